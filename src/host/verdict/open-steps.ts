/**
 * The importer's half of a trial: opens what was exported, in a process that has done nothing else, and lets go of it in
 * the order that the driver asks for.
 */
import type { TrialOffer } from '#contract/trial-protocol';
import {
  AccessFlag,
  type AllocationHandle,
  asFabricHandle,
  asMemHandle,
  asPoolPointer,
  DEFAULT_STREAM,
  type DevicePtr,
  IpcMemFlag,
  offsetBy,
} from '#native/cuda/index';
import type { HostState } from '../host-state';
import { refuseTooLarge } from '../pool-pointer-size';
import type { Steps } from './steps';

export interface Opened {
  readonly pointer: DevicePtr;
}

/** What is to be undone, last first. */
export type Undo = { readonly what: string; readonly detail: string; readonly do: () => void }[];

/**
 * Opens an offer. The descriptors stay the caller's, who closes them when it returns or throws.
 * @param undo  gets what a later release has to do, also of the steps before one that fails
 * @throws GpuIpcError of the step that failed
 */
export function openSteps(
  host: HostState,
  offer: TrialOffer,
  descriptors: readonly number[],
  steps: Steps,
  undo: Undo,
): Opened {
  const { session } = host;
  const about = { args: 'trial' };
  steps.do('cuDevicePrimaryCtxRetain', `a context of device ${offer.device}`, () => session.use(offer.device));
  const handle = offer.handle ?? new Uint8Array(64);
  switch (offer.mechanism) {
    case 'legacy': {
      const pointer = steps.do('cuIpcOpenMemHandle_v2', 'flags 1', () =>
        session.call(about, (cuda) => cuda.ipcOpenMemHandle(asMemHandle(handle), IpcMemFlag.LAZY_ENABLE_PEER_ACCESS)),
      );
      undo.push({
        what: 'cuIpcCloseMemHandle',
        detail: 'in the importer',
        do: () => session.call(about, (cuda) => cuda.ipcCloseMemHandle(pointer)),
      });
      return { pointer };
    }
    case 'pool': {
      const pool = steps.do('cuMemPoolImportFromShareableHandle', 'the pool, by its descriptor', () =>
        session.call(about, (cuda) => cuda.memPoolImportFromShareableHandle(descriptors[0] ?? -1)),
      );
      undo.push({
        what: 'cuMemPoolDestroy',
        detail: 'the imported pool',
        do: () => session.call(about, (cuda) => cuda.memPoolDestroy(pool)),
      });
      const pointer = steps.do('cuMemPoolImportPointer', 'the memory, by its 64 bytes', () => {
        refuseTooLarge(handle, offer.bytes);
        return session.call(about, (cuda) => cuda.memPoolImportPointer(pool, asPoolPointer(handle)));
      });
      undo.push({
        what: 'cuMemFreeAsync',
        detail: 'in the importer',
        do: () => {
          session.call(about, (cuda) => cuda.memFreeAsync(pointer, DEFAULT_STREAM));
          // A process of its own with nothing else to do: it may wait, and its end does not depend on it.
          session.call(about, (cuda) => cuda.streamSynchronize(DEFAULT_STREAM));
        },
      });
      return { pointer };
    }
    case 'virtual':
    case 'fabric':
      return openCreated(host, offer, descriptors, steps, undo);
  }
}

function openCreated(
  host: HostState,
  offer: TrialOffer,
  descriptors: readonly number[],
  steps: Steps,
  undo: Undo,
): Opened {
  const { session } = host;
  const about = { args: 'trial' };
  const fabric = offer.mechanism === 'fabric' ? asFabricHandle(offer.handle ?? new Uint8Array(64)) : undefined;
  const range = steps.do('cuMemAddressReserve', `${offer.bytes} bytes of addresses`, () =>
    session.call(about, (cuda) => cuda.memAddressReserve(offer.bytes)),
  );
  undo.push({
    what: 'cuMemAddressFree',
    detail: 'the addresses',
    do: () => session.call(about, (cuda) => cuda.memAddressFree(range, offer.bytes)),
  });
  offer.pieces.forEach(({ offset, length }, index) => {
    const where = offer.pieces.length > 1 ? `piece ${index + 1} of ${offer.pieces.length}` : 'the memory';
    const physical: AllocationHandle = steps.do('cuMemImportFromShareableHandle', where, () =>
      session.call(about, (cuda) =>
        fabric === undefined
          ? cuda.memImportFromShareableHandle(descriptors[index] ?? -1)
          : cuda.memImportFromFabricHandle(fabric),
      ),
    );
    undo.push({
      what: 'cuMemRelease',
      detail: where,
      do: () => session.call(about, (cuda) => cuda.memRelease(physical)),
    });
    const pointer = offsetBy(range, offset);
    steps.do('cuMemMap', `${where}, ${length} bytes`, () =>
      session.call(about, (cuda) => cuda.memMap(pointer, length, physical)),
    );
    undo.push({
      what: 'cuMemUnmap',
      detail: where,
      do: () => session.call(about, (cuda) => cuda.memUnmap(pointer, length)),
    });
    steps.do('cuMemSetAccess', `${where}, to read`, () =>
      session.call(about, (cuda) => cuda.memSetAccess(pointer, length, offer.device, AccessFlag.READ)),
    );
  });
  return { pointer: range };
}
