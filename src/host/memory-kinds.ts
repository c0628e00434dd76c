/**
 * Memory of the kinds that no process can share: managed, page-locked, mapped, and of the default pool. People have such
 * memory and wonder why it cannot be exported; here it can be made, looked at and tried.
 */
import type { MemoryKind } from '#contract/values';
import {
  asDevicePtr,
  type Cuda,
  DEFAULT_STREAM,
  type DevicePtr,
  type HostPtr,
  MemAttachFlag,
  MemHostAllocFlag,
} from '#native/cuda/index';
import type { HostState } from './host-state';
import { ending } from './problems';
import type { About } from './session';

/** Kinds that are made here; the others have files of their own. */
export type UnsharedKind = Extract<MemoryKind, 'managed' | 'pinned' | 'mapped' | 'default-pool'>;

export const isUnshared = (kind: MemoryKind): kind is UnsharedKind =>
  kind === 'managed' || kind === 'pinned' || kind === 'mapped' || kind === 'default-pool';

/** Memory, and the one right way to free it. */
export interface UnsharedMemory {
  /** What every call takes as a device address. With unified addressing that of page-locked memory is the host's own. */
  readonly pointer: DevicePtr;
  /** Needs a current context. */
  free(cuda: Cuda): void;
}

/**
 * Allocates on the device whose context is current. Memory of the default pool is there when it resolves.
 * @param about what the calls are about, for the log
 */
export async function allocateUnshared(
  host: HostState,
  kind: UnsharedKind,
  bytes: number,
  device: number,
  about: About,
): Promise<UnsharedMemory> {
  const { session } = host;
  session.use(device);
  switch (kind) {
    case 'managed': {
      const pointer = session.call(about, (cuda) => cuda.memAllocManaged(bytes, MemAttachFlag.GLOBAL));
      return { pointer, free: (cuda) => cuda.memFree(pointer) };
    }
    case 'pinned': {
      const memory = session.call(about, (cuda) => cuda.memAllocHost(bytes));
      return pageLocked(memory, asDevicePtr(memory));
    }
    case 'mapped': {
      const memory = session.call(about, (cuda) => cuda.memHostAlloc(bytes, MemHostAllocFlag.DEVICEMAP));
      try {
        return pageLocked(
          memory,
          session.call(about, (cuda) => cuda.memHostGetDevicePointer(memory)),
        );
      } catch (thrown) {
        session.call(about, (cuda) => cuda.memFreeHost(memory));
        throw thrown;
      }
    }
    case 'default-pool': {
      // Ordered in the stream that copies and fills use, so it can be freed there after them.
      const pointer = session.call(about, (cuda) => cuda.memAllocAsync(bytes, DEFAULT_STREAM));
      await defaultStreamIdle(host, device, about);
      // A host that is ending gives its contexts back, and this with them.
      if (host.ending) throw ending();
      return { pointer, free: (cuda) => cuda.memFreeAsync(pointer, DEFAULT_STREAM) };
    }
  }
}

const pageLocked = (memory: HostPtr, pointer: DevicePtr): UnsharedMemory => ({
  pointer,
  free: (cuda) => cuda.memFreeHost(memory),
});

/** Looks until everything in the default stream is done; between two looks other calls have their turn. */
async function defaultStreamIdle(host: HostState, device: number, about: About): Promise<void> {
  while (!host.ending) {
    host.session.use(device);
    if (host.session.call(about, (cuda) => cuda.streamQuery(DEFAULT_STREAM)) === 'ready') return;
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}
