/** Pools: what can be exported, imported, allocated and freed, and in which order. */
import { AccessFlag, type DevicePtr, HandleType, type MemPool } from '../../cuda/index';
import { all, type Group, MiB, NULL_POINTER, NULL_STREAM, peerWithContext } from '../group';
import { NOT_OPEN, OTHER_FILE, passOne } from '../passing';
import { Peer } from '../peer-client';
import { onRealDriver } from '../setting';

const SIZE = 4 * MiB;
const NO_POOL = 0n as MemPool;

/** Memory of a pool with every byte `value`, finished writing. */
async function filledFrom(peer: Peer, pool: MemPool, value: number): Promise<DevicePtr> {
  const pointer = await peer.must('memAllocFromPoolAsync', SIZE, pool, NULL_STREAM);
  await peer.must('memsetD8', pointer, value, SIZE);
  await peer.must('ctxSynchronize');
  return pointer;
}

/** A pool of device 0 that can be exported, exported; its memory, and what that is imported from. */
export async function exportedPool(peer: Peer, value: number) {
  const pool = await peer.must('memPoolCreate', { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 });
  const descriptor = await peer.must('memPoolExportToShareableHandle', pool);
  const pointer = await filledFrom(peer, pool, value);
  return { pool, descriptor, pointer, data: await peer.must('memPoolExportPointer', pointer) };
}

export const pools: Group = {
  name: 'pools',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const create = (handleTypes: number, maxBytes = 0) =>
      a.call('memPoolCreate', { handleTypes, deviceOrdinal: 0, maxBytes });
    const shareable = await create(HandleType.POSIX_FILE_DESCRIPTOR);
    steps.record('create with handleTypes POSIX_FD', shareable);
    const alone = await create(HandleType.NONE);
    steps.record('create with NONE', alone);
    steps.record('create with WIN32 on Linux', await create(HandleType.WIN32));
    steps.record('create with maxSize 64 MiB', await create(HandleType.POSIX_FILE_DESCRIPTOR, 64 * MiB));

    const pool = shareable.value ?? NO_POOL;
    const exported = await a.call('memPoolExportToShareableHandle', pool);
    steps.record('export fd of a POSIX_FD pool', exported);
    steps.record('export fd of a NONE pool', await a.call('memPoolExportToShareableHandle', alone.value ?? NO_POOL));
    const pointer = await filledFrom(a, pool, 0xab);
    const data = await a.call('memPoolExportPointer', pointer);
    steps.record('cuMemPoolExportPointer of a POSIX_FD pool allocation', data);
    const hidden = await filledFrom(a, alone.value ?? NO_POOL, 1);
    steps.record('... of a NONE pool allocation', await a.call('memPoolExportPointer', hidden));
    const ordinary = await a.must('memAlloc', SIZE);
    steps.record('... of a cuMemAlloc allocation', await a.call('memPoolExportPointer', ordinary));
    if (exported.value === undefined || data.value === undefined) return;

    const descriptor = await passOne(a, b, exported.value);
    const imported = await b.call('memPoolImportFromShareableHandle', descriptor);
    steps.record('B imports the pool', imported);
    steps.record('B imports the same fd again', await b.call('memPoolImportFromShareableHandle', descriptor));
    steps.record('A imports its own pool', await a.call('memPoolImportFromShareableHandle', exported.value));
    steps.record('B imports a fd that is not open', await b.call('memPoolImportFromShareableHandle', NOT_OPEN));
    const other = await b.must('openFile', OTHER_FILE);
    steps.record('B imports a fd of another file', await b.call('memPoolImportFromShareableHandle', other));
    const theirs = imported.value ?? NO_POOL;
    steps.record(
      'B allocates from the imported pool',
      await b.call('memAllocFromPoolAsync', SIZE, theirs, NULL_STREAM),
    );
    const opened = await b.call('memPoolImportPointer', theirs, data.value);
    steps.record('B cuMemPoolImportPointer', opened);
    const again = await b.call('memPoolImportPointer', theirs, data.value);
    steps.record('B imports the same pointer again', again, { 'the same address': again.value === opened.value });
    const mapping = opened.value ?? NULL_POINTER;
    const read = await b.call('read', mapping, SIZE);
    steps.record('B reads', read, { "A's bytes": all(read.value, 0xab) });
    const range = await b.call('memGetAddressRange', mapping);
    steps.record('B cuMemGetAddressRange_v2', range, {
      'the imported pointer': range.value?.base === mapping,
      "the allocation's size": range.value?.bytes === SIZE,
    });
    steps.record('B cuIpcCloseMemHandle of a pool pointer', await b.call('ipcCloseMemHandle', mapping));
    await a.must('memFreeAsync', pointer, NULL_STREAM);
    await a.must('ctxSynchronize');
    const old = await b.call('read', mapping, SIZE);
    steps.record('A frees first, B reads', old, { 'the old bytes': all(old.value, 0xab) });

    // In a process that imported it once: whether imports are counted is another question.
    const c = await peerWithContext('C');
    const second = await exportedPool(a, 0xcd);
    const poolOfC = await c.must('memPoolImportFromShareableHandle', await passOne(a, c, second.descriptor));
    const once = await c.must('memPoolImportPointer', poolOfC, second.data);
    await c.must('memFreeAsync', once, NULL_STREAM);
    steps.record('B frees (cuMemFreeAsync), then reads', await c.call('read', once, 16));
    await betweenDevices(steps);
  },
};

async function betweenDevices(steps: Parameters<Group['run']>[0]): Promise<void> {
  const before = 'B on another device reads before cuMemPoolSetAccess';
  const after = '... after cuMemPoolSetAccess';
  const env: Record<string, string> = onRealDriver ? {} : { GPU_IPC_SIM_DEVICES: '2' };
  const scout = await Peer.start('scout', env);
  await scout.must('init');
  if ((await scout.must('deviceGetCount')) < 2) {
    for (const step of [before, after]) steps.skip(step, 'there is one device');
    return;
  }
  const a = await peerWithContext('A', 0, env);
  const b = await peerWithContext('B', 1, env);
  const { descriptor, data } = await exportedPool(a, 0xef);
  const pool = await b.must('memPoolImportFromShareableHandle', await passOne(a, b, descriptor));
  const pointer = await b.must('memPoolImportPointer', pool, data);
  steps.record(before, await b.call('read', pointer, 16));
  await b.must('memPoolSetAccess', pool, 1, AccessFlag.READWRITE);
  const read = await b.call('read', pointer, 16);
  steps.record(after, read, { "A's bytes": all(read.value, 0xef) });
}

export const poolOrder: Group = {
  name: 'pool order',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const options = { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 };
    const pool = await a.must('memPoolCreate', options);
    const pointer = await filledFrom(a, pool, 1);
    steps.record(
      'cuMemPoolExportPointer before the pool itself was ever exported with cuMemPoolExportToShareableHandle',
      await a.call('memPoolExportPointer', pointer),
    );
    const small = await a.must('memPoolCreate', { ...options, maxBytes: 64 * MiB });
    steps.record('allocate more than maxSize', await a.call('memAllocFromPoolAsync', 128 * MiB, small, NULL_STREAM));
  },
};
