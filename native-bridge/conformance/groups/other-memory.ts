/** Memory of kinds that a legacy handle cannot share. Each is tried: a driver may lack the calls. */
import { AccessFlag, type DevicePtr, Granularity } from '../../cuda/index';
import { MiB, NULL_STREAM } from '../group';
import type { Outcome, Peer } from '../peer-client';

const POOL_BYTES = 1 * MiB;
const VIRTUAL_BYTES = 2 * MiB;

/** Either the memory and how to let go of it, or the outcome that says why there is none. */
export type Tried =
  | { readonly pointer: DevicePtr; readonly release: () => Promise<void> }
  | { readonly pointer: undefined; readonly outcome: Outcome<unknown> };

/** 1 MiB from a pool of its own. */
export async function tryPool(peer: Peer, handleTypes: number): Promise<Tried> {
  const created = await peer.call('memPoolCreate', { handleTypes, deviceOrdinal: 0 });
  const pool = created.value;
  if (pool === undefined) return { pointer: undefined, outcome: created };
  const pointer = await peer.must('memAllocFromPoolAsync', POOL_BYTES, pool, NULL_STREAM);
  await peer.must('ctxSynchronize');
  return {
    pointer,
    release: async () => {
      await peer.must('memFreeAsync', pointer, NULL_STREAM);
      await peer.must('ctxSynchronize');
      await peer.must('memPoolDestroy', pool);
    },
  };
}

/** 2 MiB from cuMemCreate, mapped and accessible. */
export async function tryVirtualMemory(peer: Peer, handleTypes: number): Promise<Tried> {
  const properties = { handleTypes, deviceOrdinal: 0 };
  const created = await peer.call('memCreate', VIRTUAL_BYTES, properties);
  const handle = created.value;
  if (handle === undefined) return { pointer: undefined, outcome: created };
  const granularity = await peer.must('memGetAllocationGranularity', properties, Granularity.MINIMUM);
  if (VIRTUAL_BYTES % granularity !== 0) throw new Error(`2 MiB is no multiple of the granularity ${granularity}`);
  const pointer = await peer.must('memAddressReserve', VIRTUAL_BYTES);
  await peer.must('memMap', pointer, VIRTUAL_BYTES, handle);
  await peer.must('memSetAccess', pointer, VIRTUAL_BYTES, 0, AccessFlag.READWRITE);
  return {
    pointer,
    release: async () => {
      await peer.must('memUnmap', pointer, VIRTUAL_BYTES);
      await peer.must('memRelease', handle);
      await peer.must('memAddressFree', pointer, VIRTUAL_BYTES);
    },
  };
}
