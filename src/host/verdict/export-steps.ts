/**
 * The exporter's half of a trial: the driver calls that make what an importer needs, whatever the verdict says. All of
 * them refuse memory of another kind with a result (measured); none reads or changes it.
 */
import type { TrialOffer, TrialPart } from '#contract/trial-protocol';
import type { Mechanism } from '#contract/values';
import { type DevicePtr, type MemPool, offsetBy, PointerAttribute, type Situation } from '#native/cuda/index';
import type { HostState } from '../host-state';
import type { Steps } from './steps';

/** The memory that is tried. */
export interface Tried {
  readonly id: string;
  readonly label: string;
  readonly device: number;
  readonly pointer: DevicePtr;
  readonly bytes: number;
  /** Where there is memory: all of it, or what is mapped in a range. */
  readonly pieces: readonly TrialPart[];
  /** What explains a refusal. */
  readonly situation: Situation;
}

export interface Exported {
  readonly handle: Uint8Array | null;
  /** New ones of this process, to be closed after the trial. */
  readonly descriptors: readonly number[];
}

export const offerOf = (mechanism: Mechanism, tried: Tried, { handle, descriptors }: Exported): TrialOffer => ({
  mechanism,
  handle,
  descriptors: descriptors.length,
  pieces: tried.pieces,
  device: tried.device,
  bytes: tried.bytes,
});

/**
 * Exports memory for a trial.
 * @param keep  told of each new descriptor at once, so that none is lost when a later step fails
 * @throws GpuIpcError of the step that failed
 */
export function exportSteps(
  host: HostState,
  mechanism: Mechanism,
  tried: Tried,
  steps: Steps,
  keep: (descriptor: number) => void,
): Pick<Exported, 'handle'> {
  host.session.use(tried.device);
  const about = { args: `${tried.label}, trial`, objectId: tried.id, situation: tried.situation };
  const kept = (descriptor: number): number => {
    keep(descriptor);
    return descriptor;
  };
  switch (mechanism) {
    case 'legacy': {
      const handle = steps.do('cuIpcGetMemHandle', '64 bytes', () =>
        host.session.call(about, (cuda) => cuda.ipcGetMemHandle(tried.pointer)),
      );
      return { handle: Uint8Array.from(handle) };
    }
    case 'pool': {
      const pool = steps.do('cuPointerGetAttribute MEMPOOL_HANDLE', poolText, () =>
        host.session.call(about, (cuda) => cuda.pointerGetAttribute(PointerAttribute.MEMPOOL_HANDLE, tried.pointer)),
      ) as MemPool;
      // Without a pool the pointer is tried alone: this is where the driver refuses it.
      if (pool !== 0n) {
        steps.do('cuMemPoolExportToShareableHandle', 'a file descriptor of its pool', () =>
          kept(host.session.call(about, (cuda) => cuda.memPoolExportToShareableHandle(pool))),
        );
      }
      const handle = steps.do('cuMemPoolExportPointer', '64 bytes', () =>
        host.session.call(about, (cuda) => cuda.memPoolExportPointer(tried.pointer)),
      );
      return { handle: Uint8Array.from(handle) };
    }
    case 'virtual':
      for (const { offset } of tried.pieces) {
        const where = tried.pieces.length > 1 ? ` at + ${offset}` : '';
        const pointer = offsetBy(tried.pointer, offset);
        const handle = steps.do('cuMemRetainAllocationHandle', `its physical memory${where}`, () =>
          host.session.call(about, (cuda) => cuda.memRetainAllocationHandle(pointer)),
        );
        try {
          steps.do('cuMemExportToShareableHandle', `a file descriptor${where}`, () =>
            kept(host.session.call(about, (cuda) => cuda.memExportToShareableHandle(handle))),
          );
        } finally {
          host.session.call(about, (cuda) => cuda.memRelease(handle));
        }
      }
      return { handle: null };
    case 'fabric': {
      const pointer = offsetBy(tried.pointer, tried.pieces[0]?.offset ?? 0);
      const physical = steps.do('cuMemRetainAllocationHandle', 'its physical memory', () =>
        host.session.call(about, (cuda) => cuda.memRetainAllocationHandle(pointer)),
      );
      try {
        const handle = steps.do('cuMemExportToShareableHandle', 'a fabric handle', () =>
          host.session.call(about, (cuda) => cuda.memExportToFabricHandle(physical)),
        );
        return { handle: Uint8Array.from(handle) };
      } finally {
        host.session.call(about, (cuda) => cuda.memRelease(physical));
      }
    }
  }
}

const poolText = (pool: bigint): string => (pool === 0n ? 'none: it is not of a pool' : 'its pool');
