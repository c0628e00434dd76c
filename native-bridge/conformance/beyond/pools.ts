/** Pools: sizes, limits, ownership, and what an imported one does not do. */
import {
  AccessFlag,
  type DevicePtr,
  EventFlag,
  HandleType,
  type MemPool,
  PointerAttribute,
  PoolAttribute,
  StreamFlag,
} from '../../cuda/index';
import { all, equal, type Group, LongWork, MiB, NULL_POINTER, NULL_STREAM, peerWithContext } from '../group';
import { exportedPool } from '../groups/pools';
import { passOne } from '../passing';
import type { Peer } from '../peer-client';

const SIZE = 4 * MiB;
const GiB = 1024 * MiB;
const NO_POOL = 0n as MemPool;
const shareable = { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 };

const bytesIn = async (peer: Peer, pool: MemPool) => ({
  reserved: (await peer.call('memPoolGetAttribute', pool, PoolAttribute.RESERVED_MEM_CURRENT)).value,
  used: (await peer.call('memPoolGetAttribute', pool, PoolAttribute.USED_MEM_CURRENT)).value,
  usedHigh: (await peer.call('memPoolGetAttribute', pool, PoolAttribute.USED_MEM_HIGH)).value,
});

async function allocate(peer: Peer, pool: MemPool, bytes = SIZE): Promise<DevicePtr> {
  const pointer = await peer.must('memAllocFromPoolAsync', bytes, pool, NULL_STREAM);
  await peer.must('ctxSynchronize');
  return pointer;
}

async function release(peer: Peer, pointer: DevicePtr): Promise<void> {
  await peer.must('memFreeAsync', pointer, NULL_STREAM);
  await peer.must('ctxSynchronize');
}

export const poolsAtTheirEdges: Group = {
  name: 'pools at their edges',
  run: async (steps) => {
    const a = await peerWithContext('A');
    await sizes(a, steps);
    await currentPool(a, steps);
    await imports(a, steps);
    await order(a, steps);
    await trims(a, steps);
    await again(steps);
    await largest(a, steps);
    await deadExporter(steps);
  },
};

type Recorder = Parameters<Group['run']>[0];

async function sizes(a: Peer, steps: Recorder): Promise<void> {
  steps.record('create with FABRIC', await a.call('memPoolCreate', { ...shareable, handleTypes: HandleType.FABRIC }));
  const pool = await a.must('memPoolCreate', shareable);
  const attributes = [];
  for (const attribute of Object.values(PoolAttribute)) {
    attributes.push(await a.call('memPoolGetAttribute', pool, attribute));
  }
  steps.record('cuMemPoolGetAttribute of a new pool, every attribute', attributes, {
    'the switches are on': attributes.slice(0, 3).every(({ value }) => value === 1),
    'the sizes are 0': attributes.slice(3).every(({ value }) => value === 0),
  });
  steps.record('cuMemPoolGetAttribute of attribute 99', await a.call('memPoolGetAttribute', pool, 99));
  const pointer = await a.call('memAllocFromPoolAsync', SIZE, pool, NULL_STREAM);
  await a.must('ctxSynchronize');
  const during = await bytesIn(a, pool);
  steps.record('cuMemAllocFromPoolAsync of 4 MiB', pointer, {
    '32 MiB are reserved': during.reserved === 32 * MiB,
    '4 MiB are used': during.used === SIZE,
  });
  steps.record('cuMemAllocFromPoolAsync of 0 bytes', await a.call('memAllocFromPoolAsync', 0, pool, NULL_STREAM));
  await release(a, pointer.value ?? NULL_POINTER);
  const after = await bytesIn(a, pool);
  steps.record('cuMemPoolTrimTo 0 after its free', await a.call('memPoolTrimTo', pool, 0), {
    'nothing was reserved already': after.reserved === 0,
    'the high mark stays': after.usedHigh === SIZE,
  });
  const set = await a.call('memPoolSetAttribute', pool, PoolAttribute.RELEASE_THRESHOLD, 1024 * MiB);
  await release(a, await allocate(a, pool));
  const kept = await bytesIn(a, pool);
  const trimmed = await a.call('memPoolTrimTo', pool, 0);
  steps.record('a release threshold of 1 GiB, then cuMemPoolTrimTo 0', [set, trimmed], {
    'freed memory stays reserved': kept.reserved === 32 * MiB,
    'until it is trimmed': (await bytesIn(a, pool)).reserved === 0,
  });
  const setTo = (attribute: number, value: number) => a.call('memPoolSetAttribute', pool, attribute, value);
  steps.record('set USED_MEM_HIGH to 0', await setTo(PoolAttribute.USED_MEM_HIGH, 0));
  steps.record('set USED_MEM_HIGH to 1', await setTo(PoolAttribute.USED_MEM_HIGH, 1));
  steps.record('set USED_MEM_CURRENT', await setTo(PoolAttribute.USED_MEM_CURRENT, 0));
  const limited = await a.must('memPoolCreate', { ...shareable, maxBytes: 64 * MiB });
  const two = [
    await a.call('memAllocFromPoolAsync', 32 * MiB, limited, NULL_STREAM),
    await a.call('memAllocFromPoolAsync', 32 * MiB, limited, NULL_STREAM),
  ];
  steps.record('two of 32 MiB with a maxSize of 64 MiB', two);
  steps.record('and a third', await a.call('memAllocFromPoolAsync', 32 * MiB, limited, NULL_STREAM));
  const own = await a.call('memPoolGetAccess', pool, 0);
  steps.record("cuMemPoolGetAccess of the pool's own device", own, {
    READWRITE: own.value === AccessFlag.READWRITE,
  });
  steps.record('cuMemPoolSetAccess NONE of its own device', await a.call('memPoolSetAccess', pool, 0, AccessFlag.NONE));
  steps.record('cuMemPoolSetAccess READ', await a.call('memPoolSetAccess', pool, 0, AccessFlag.READ));
}

async function currentPool(a: Peer, steps: Recorder): Promise<void> {
  const device = await a.must('deviceGet', 0);
  const standard = await a.must('deviceGetDefaultMemPool', device);
  steps.record('export the default pool', await a.call('memPoolExportToShareableHandle', standard));
  steps.record('destroy the default pool', await a.call('memPoolDestroy', standard));
  const pool = await a.must('memPoolCreate', shareable);
  const chosen = await a.call('deviceSetMemPool', device, pool);
  const pointer = await a.must('memAllocAsync', SIZE, NULL_STREAM);
  await a.must('ctxSynchronize');
  steps.record('cuDeviceSetMemPool, then cuMemAllocAsync', chosen, {
    'it is the current pool': (await a.must('deviceGetMemPool', device)) === pool,
    'the memory is from it': (await a.must('pointerGetAttribute', PointerAttribute.MEMPOOL_HANDLE, pointer)) === pool,
  });
  const destroyed = await a.call('memPoolDestroy', pool);
  const read = await a.call('read', pointer, 16);
  steps.record('destroy the current pool while memory of it is in use', destroyed, {
    'the default pool is current again': (await a.must('deviceGetMemPool', device)) === standard,
    'the memory can be read': read.result === 'CUDA_SUCCESS',
  });
  steps.record('free that memory', await a.call('memFreeAsync', pointer, NULL_STREAM));
}

async function imports(a: Peer, steps: Recorder): Promise<void> {
  const b = await peerWithContext('B');
  const { pool, descriptor, pointer, data } = await exportedPool(a, 0xab);
  const again = await a.call('memPoolExportToShareableHandle', pool);
  steps.record('export a pool a second time', again, { 'another descriptor': again.value !== descriptor });
  const received = await passOne(a, b, descriptor);
  const theirs = await b.must('memPoolImportFromShareableHandle', received);
  const second = await b.must('memPoolImportFromShareableHandle', received);
  await b.must('closeDescriptor', received);
  const mapping = await b.call('memPoolImportPointer', theirs, data);
  steps.record('B imports a pointer after it closed the fd', mapping, {
    'another pool for each import': theirs !== second,
  });
  steps.record(
    'B sets the imported pool as the current one',
    await b.call('deviceSetMemPool', await b.must('deviceGet', 0), theirs),
  );
  steps.record('B exports the imported pool', await b.call('memPoolExportToShareableHandle', theirs));
  const opened = mapping.value ?? NULL_POINTER;
  steps.record('B exports the imported pointer', await b.call('memPoolExportPointer', opened));
  steps.record('B trims the imported pool', await b.call('memPoolTrimTo', theirs, 0));
  const reserved = await b.call('memPoolGetAttribute', theirs, PoolAttribute.RESERVED_MEM_CURRENT);
  steps.record('B asks what the imported pool reserves', reserved, { '32 MiB': reserved.value === 32 * MiB });
  const other = await exportedPool(a, 0xcd);
  steps.record('B imports a pointer of another pool', await b.call('memPoolImportPointer', theirs, other.data));
  steps.record(
    'B imports a pointer of 64 zero bytes',
    await b.call('memPoolImportPointer', theirs, new Uint8Array(64) as typeof data),
  );
  await b.call('memPoolImportPointer', theirs, data);
  await release(b, opened);
  steps.record('B imported a pointer twice and frees it once, then reads', await b.call('read', opened, 16));
  const reopened = (await b.call('memPoolImportPointer', theirs, data)).value ?? NULL_POINTER;
  steps.record('B frees the imported pointer with cuMemFree_v2', await b.call('memFree', reopened));
  const third = (await b.call('memPoolImportPointer', theirs, data)).value ?? NULL_POINTER;
  const destroyed = await b.call('memPoolDestroy', theirs);
  const read = await b.call('read', third, 16);
  steps.record('B destroys the imported pool while its pointer is open', destroyed, {
    'the memory can be read': read.result === 'CUDA_SUCCESS',
  });
  const mine = await a.must('memPoolImportFromShareableHandle', descriptor);
  const same = await a.call('memPoolImportPointer', mine, data);
  steps.record('A imports a pointer of its own', same, {
    'at another address': same.value !== pointer,
    'the same bytes': all((await a.call('read', same.value ?? NULL_POINTER, SIZE)).value, 0xab),
  });
  await a.must('memFreeAsync', pointer, NULL_STREAM);
  await a.must('ctxSynchronize');
  await a.must('memPoolDestroy', pool);
  steps.record('B reads after A destroyed the pool', await b.call('read', third, 16));
  steps.record('B imports a pointer of the destroyed pool', await b.call('memPoolImportPointer', second, data));
  steps.record('B imports the fd of virtual memory as a pool', await importWrong(a, b));
}

async function importWrong(a: Peer, b: Peer) {
  const handle = await a.must('memCreate', 2 * MiB, shareable);
  const descriptor = await passOne(a, b, await a.must('memExportToShareableHandle', handle));
  return b.call('memPoolImportFromShareableHandle', descriptor);
}

async function order(a: Peer, steps: Recorder): Promise<void> {
  const pool = await a.must('memPoolCreate', { handleTypes: HandleType.NONE, deviceOrdinal: 0 });
  const work = await LongWork.in(a);
  const pointer = await a.must('memAllocFromPoolAsync', SIZE, pool, work.stream);
  await a.must('streamSynchronize', work.stream);
  const used = (await bytesIn(a, pool)).used;
  await work.begin();
  const freed = await a.call('memFreeAsync', pointer, work.stream);
  const stream = await a.must('streamCreate', 1);
  const elsewhere = await a.call('memAllocFromPoolAsync', SIZE, pool, stream);
  steps.record('cuMemFreeAsync behind long work, and an allocation on another stream', [freed, elsewhere], {
    'at another address': elsewhere.value !== pointer,
    'both are used': (await bytesIn(a, pool)).used === 2 * (used ?? 0),
  });
  steps.record('read what is freed behind long work', await a.call('read', pointer, 16));
  await work.finish();
  await a.must('ctxSynchronize');
  const left = (await bytesIn(a, pool)).used;
  steps.record(
    'free the other one when the work is done',
    await a.call('memFreeAsync', elsewhere.value ?? NULL_POINTER, stream),
    {
      'it was the only one left': left === used,
    },
  );
}

/** Freed memory stays reserved until its stream is synchronised: neither a trim nor an event that is done gives it back. */
async function trims(a: Peer, steps: Recorder): Promise<void> {
  for (const after of ['nothing', 'a completed event', 'a synchronisation of the stream'] as const) {
    const pool = await a.must('memPoolCreate', shareable);
    const stream = await a.must('streamCreate', StreamFlag.NON_BLOCKING);
    const pointer = await a.must('memAllocFromPoolAsync', SIZE, pool, stream);
    await a.must('streamSynchronize', stream);
    await a.must('memFreeAsync', pointer, stream);
    if (after === 'a completed event') {
      const event = await a.must('eventCreate', EventFlag.DISABLE_TIMING);
      await a.must('eventRecord', event, stream);
      while ((await a.must('eventQuery', event)) === 'not-ready')
        await new Promise((resolve) => setTimeout(resolve, 1));
    }
    if (after === 'a synchronisation of the stream') await a.must('streamSynchronize', stream);
    const trimmed = await a.call('memPoolTrimTo', pool, 0);
    const { reserved } = await bytesIn(a, pool);
    steps.record(`cuMemFreeAsync, then cuMemPoolTrimTo 0 after ${after}`, trimmed, {
      'nothing is reserved': reserved === 0,
    });
  }
}

/** A free that was waited for: its place may be used again, but not by memory that an importer has open. */
async function again(steps: Recorder): Promise<void> {
  // New, as when it was measured: where a process that has done more finds room is another question.
  const a = await peerWithContext('A');
  const b = await peerWithContext('B');
  const { pool, descriptor, pointer, data } = await exportedPool(a, 0x11);
  const theirs = await b.must('memPoolImportFromShareableHandle', await passOne(a, b, descriptor));
  const opened = await b.must('memPoolImportPointer', theirs, data);
  const retained = await b.call('memRetainAllocationHandle', opened);
  steps.record('B cuMemRetainAllocationHandle of an imported pool pointer', retained);
  await release(a, pointer);
  const next = await a.call('memAllocFromPoolAsync', SIZE, pool, NULL_STREAM);
  await a.must('ctxSynchronize');
  await a.must('memsetD8', next.value ?? NULL_POINTER, 0x22, SIZE);
  await a.must('ctxSynchronize');
  const itsData = await a.must('memPoolExportPointer', next.value ?? NULL_POINTER);
  const read = await b.call('read', opened, SIZE);
  steps.record('A frees, synchronises and allocates the same size again; B reads', [next, read], {
    'at the same address': next.value === pointer,
    'other pointer data': !equal(itsData, data),
    'the old bytes': all(read.value, 0x11),
  });
  await release(b, opened);
  steps.record(
    'B asks what the imported pool reserves when its pointer is closed',
    await b.call('memPoolGetAttribute', theirs, PoolAttribute.RESERVED_MEM_CURRENT),
  );
  steps.record('B destroys the imported pool when its pointer is closed', await b.call('memPoolDestroy', theirs));
}

/** The largest that opens. One of 8 GiB crashes the importing process (docs/driver-facts.md), so it is no step. */
async function largest(a: Peer, steps: Recorder): Promise<void> {
  const b = await peerWithContext('B');
  const pool = await a.must('memPoolCreate', shareable);
  const descriptor = await a.must('memPoolExportToShareableHandle', pool);
  const pointer = await allocate(a, pool, 4 * GiB);
  await a.must('memsetD8', pointer, 0x5a, MiB);
  await a.must('ctxSynchronize');
  const data = await a.must('memPoolExportPointer', pointer);
  const theirs = await b.must('memPoolImportFromShareableHandle', await passOne(a, b, descriptor));
  const opened = await b.call('memPoolImportPointer', theirs, data);
  steps.record('B imports a pointer of 4 GiB', opened, {
    "A's bytes": all((await b.call('read', opened.value ?? NULL_POINTER, 4)).value, 0x5a),
  });
  await release(b, opened.value ?? NULL_POINTER);
  await release(a, pointer);
}

async function deadExporter(steps: Recorder): Promise<void> {
  const a = await peerWithContext('A');
  const b = await peerWithContext('B');
  const { descriptor, data } = await exportedPool(a, 0xab);
  const received = await passOne(a, b, descriptor);
  const theirs = await b.must('memPoolImportFromShareableHandle', received);
  const mapping = await b.must('memPoolImportPointer', theirs, data);
  await a.kill();
  const read = await b.call('read', mapping, SIZE);
  steps.record('A is killed; B reads', read, { 'the old bytes': all(read.value, 0xab) });
  const late = await b.call('memPoolImportFromShareableHandle', received);
  steps.record('B imports the pool after A was killed', late);
  steps.record('and a pointer of it', await b.call('memPoolImportPointer', late.value ?? NO_POOL, data));
}
