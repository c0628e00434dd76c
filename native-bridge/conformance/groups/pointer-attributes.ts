/** The table pointerAttributes of driver-behaviour.json: what the driver says about each kind of memory. */
import {
  asDevicePtr,
  type DevicePtr,
  decodePointerAttribute,
  HandleType,
  MemAttachFlag,
  MemHostAllocFlag,
  PointerAttribute,
  type PointerAttributeName,
} from '../../cuda/index';
import { exportedMemory, KiB, LAZY, MiB, NULL_STREAM, peerWithContext } from '../group';
import { passOne } from '../passing';
import type { Peer } from '../peer-client';
import { type Tried, tryPool, tryVirtualMemory } from './other-memory';
import { exportedPool } from './pools';

type Made = { readonly peer: Peer; readonly pointer: DevicePtr } | { readonly missing: string };

/** How to make memory of each kind. */
const kinds: Readonly<Record<string, (a: Peer) => Promise<Made>>> = {
  'cuMemAlloc 4 MiB': async (a) => ({ peer: a, pointer: await a.must('memAlloc', 4 * MiB) }),
  'cuMemAlloc 4 KiB': async (a) => ({ peer: a, pointer: await a.must('memAlloc', 4 * KiB) }),
  'cuMemAllocManaged 1 MiB': async (a) => ({
    peer: a,
    pointer: await a.must('memAllocManaged', 1 * MiB, MemAttachFlag.GLOBAL),
  }),
  'cuMemAllocHost 1 MiB': async (a) => ({ peer: a, pointer: asDevicePtr(await a.must('memAllocHost', 1 * MiB)) }),
  'cuMemHostAlloc DEVICEMAP 1 MiB': async (a) => ({
    peer: a,
    pointer: asDevicePtr(await a.must('memHostAlloc', 1 * MiB, MemHostAllocFlag.DEVICEMAP)),
  }),
  'cuMemAllocAsync, default pool, 1 MiB': async (a) => {
    const pointer = await a.must('memAllocAsync', 1 * MiB, NULL_STREAM);
    await a.must('ctxSynchronize');
    return { peer: a, pointer };
  },
  'pool POSIX_FD, 1 MiB': async (a) => made(a, await tryPool(a, HandleType.POSIX_FILE_DESCRIPTOR)),
  'pool NONE, 1 MiB': async (a) => made(a, await tryPool(a, HandleType.NONE)),
  'cuMemCreate POSIX_FD, 2 MiB': async (a) => made(a, await tryVirtualMemory(a, HandleType.POSIX_FILE_DESCRIPTOR)),
  'cuMemCreate NONE, 2 MiB': async (a) => made(a, await tryVirtualMemory(a, HandleType.NONE)),
  'imported legacy mapping, 4 MiB': async (a) => {
    const b = await peerWithContext('B');
    const { handle } = await exportedMemory(a, 4 * MiB, 1);
    return { peer: b, pointer: await b.must('ipcOpenMemHandle', handle, LAZY) };
  },
  'imported pool pointer, 4 MiB': async (a) => {
    const b = await peerWithContext('B');
    const { descriptor, data } = await exportedPool(a, 1);
    const pool = await b.must('memPoolImportFromShareableHandle', await passOne(a, b, descriptor));
    return { peer: b, pointer: await b.must('memPoolImportPointer', pool, data) };
  },
};

export const kindsOfMemory: readonly string[] = Object.keys(kinds);

/** One row as the table has it: `set` for a pointer that is not 0. */
export type Row = Readonly<Record<string, string | number>>;

/**
 * Makes memory of one kind and asks for each column.
 * @returns the row, or why there is none
 */
export async function measureRow(
  kind: string,
  columns: readonly string[],
): Promise<{ row: Row } | { missing: string }> {
  const a = await peerWithContext('A');
  const memory = (await kinds[kind]?.(a)) ?? { missing: 'this kind of memory is not made here' };
  if ('missing' in memory) return memory;
  const row: Record<string, string | number> = {};
  for (const column of columns) row[column] = await ask(memory.peer, memory.pointer, column);
  return { row };
}

async function ask(peer: Peer, pointer: DevicePtr, column: string): Promise<string | number> {
  if (column === 'cuIpcGetMemHandle') return (await peer.call('ipcGetMemHandle', pointer)).result;
  if (column === 'cuMemRetainAllocationHandle') return (await peer.call('memRetainAllocationHandle', pointer)).result;
  const name = column as PointerAttributeName;
  const { result, value } = await peer.call('pointerGetAttribute', PointerAttribute[name], pointer);
  if (value === undefined) return result;
  const decoded = decodePointerAttribute(name, value);
  if (typeof decoded === 'number') return decoded;
  return decoded === 0n ? 0 : 'set';
}

const made = (peer: Peer, tried: Tried): Made =>
  tried.pointer === undefined
    ? { missing: tried.outcome.detail ?? tried.outcome.result }
    : { peer, pointer: tried.pointer };
