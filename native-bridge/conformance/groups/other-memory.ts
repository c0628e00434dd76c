/** Memory of kinds that a legacy handle cannot share. */
import { AccessFlag, type DevicePtr } from '../../cuda/index';
import { MiB } from '../group';
import type { Outcome, Peer } from '../peer-client';

export const VIRTUAL_BYTES = 2 * MiB;

/** A mapped and accessible cuMemCreate allocation of 2 MiB; without `pointer` when the driver has no such call. */
export async function createVirtualMemory(
  peer: Peer,
  handleTypes: number,
): Promise<{ pointer: DevicePtr | undefined; outcome: Outcome<unknown> }> {
  const created = await peer.call('memCreate', VIRTUAL_BYTES, { handleTypes, deviceOrdinal: 0 });
  if (created.value === undefined) return { pointer: undefined, outcome: created };
  const pointer = await peer.must('memAddressReserve', VIRTUAL_BYTES);
  await peer.must('memMap', pointer, VIRTUAL_BYTES, created.value);
  await peer.must('memSetAccess', pointer, VIRTUAL_BYTES, 0, AccessFlag.READWRITE);
  return { pointer, outcome: created };
}
