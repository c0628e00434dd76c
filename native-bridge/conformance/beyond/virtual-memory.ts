/** Virtual memory: sizes, several mappings, references, and who counts it. */
import {
  AccessFlag,
  type AllocationHandle,
  type DevicePtr,
  Granularity,
  HandleType,
  LocationType,
  offsetBy,
  PointerAttribute,
} from '../../cuda/index';
import { all, type Group, MiB, NULL_STREAM, peerWithContext } from '../group';
import { exportedPool } from '../groups/pools';
import { exportedVirtualMemory } from '../groups/virtual-memory';
import { OTHER_FILE, passOne } from '../passing';
import { Peer } from '../peer-client';
import { onRealDriver } from '../setting';

const SIZE = 2 * MiB;
const NO_HANDLE = 0n as AllocationHandle;
const shareable = { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 };

type Recorder = Parameters<Group['run']>[0];

export const virtualMemoryAtItsEdges: Group = {
  name: 'virtual memory at its edges',
  run: async (steps) => {
    const a = await peerWithContext('A');
    await sizes(a, steps);
    await handles(a, steps);
    await sideBySide(a, steps);
    await between(a, steps);
    await counted(steps);
  },
};

async function sizes(a: Peer, steps: Recorder): Promise<void> {
  for (const [name, option] of Object.entries(Granularity)) {
    const found = await a.call('memGetAllocationGranularity', shareable, option);
    steps.record(`cuMemGetAllocationGranularity ${name}`, found, { '2 MiB': found.value === SIZE });
  }
  steps.record('cuMemGetAllocationGranularity of option 2', await a.call('memGetAllocationGranularity', shareable, 2));
  const create = (bytes: number, handleTypes = 0, deviceOrdinal = 0) =>
    a.call('memCreate', bytes, { handleTypes, deviceOrdinal });
  steps.record('create 0 bytes', await create(0));
  steps.record('create 3 MiB', await create(3 * MiB));
  steps.record('create with WIN32', await create(SIZE, HandleType.WIN32));
  steps.record('create on device 99', await create(SIZE, 0, 99));
  steps.record('create 1 PiB', await create(2 ** 50));
  steps.record('reserve 1 MiB', await a.call('memAddressReserve', 1 * MiB));
  steps.record('reserve 0 bytes', await a.call('memAddressReserve', 0));
  steps.record('reserve with an alignment of 3', await a.call('memAddressReserve', SIZE, 3));
  const aligned = await a.call('memAddressReserve', SIZE, 64 * MiB);
  steps.record('reserve with an alignment of 64 MiB', aligned, {
    'it is aligned': (aligned.value ?? 1n) % BigInt(64 * MiB) === 0n,
  });
  const range = await a.must('memAddressReserve', 2 * SIZE);
  steps.record('read reserved addresses', await a.call('read', range, 16));
  steps.record('cuMemGetAddressRange_v2 of them', await a.call('memGetAddressRange', range));
  steps.record('free half of them', await a.call('memAddressFree', range, SIZE));
  steps.record('free all of them', await a.call('memAddressFree', range, 2 * SIZE));
  const ordinary = await a.must('memAlloc', SIZE);
  const handle = await a.must('memCreate', SIZE, shareable);
  steps.record('map to cuMemAlloc memory', await a.call('memMap', ordinary, SIZE, handle));
  steps.record('unmap cuMemAlloc memory', await a.call('memUnmap', ordinary, SIZE));
  steps.record('cuMemSetAccess of it', await a.call('memSetAccess', ordinary, SIZE, 0, AccessFlag.READWRITE));
  steps.record('cuMemGetAccess of it', await a.call('memGetAccess', ordinary, 0));
}

async function handles(a: Peer, steps: Recorder): Promise<void> {
  const { handle, pointer } = await exportedVirtualMemory(a, SIZE, 0xab);
  const found = await a.call('memGetAllocationPropertiesFromHandle', handle);
  steps.record('cuMemGetAllocationPropertiesFromHandle', found, {
    'the handle types': found.value?.handleTypes === HandleType.POSIX_FILE_DESCRIPTOR,
    'the device': found.value?.locationType === LocationType.DEVICE && found.value.deviceOrdinal === 0,
  });
  const retained = await a.call('memRetainAllocationHandle', offsetBy(pointer, 4096));
  steps.record('cuMemRetainAllocationHandle of an interior address', retained, {
    'the same handle': retained.value === handle,
  });
  steps.record('release it twice', [await a.call('memRelease', handle), await a.call('memRelease', handle)]);
  const read = await a.call('read', pointer, SIZE);
  steps.record('read what is only mapped', read, { 'the bytes': all(read.value, 0xab) });
  steps.record('cuMemFree_v2 of it', await a.call('memFree', pointer));
  steps.record('cuMemFreeAsync of it', await a.call('memFreeAsync', pointer, NULL_STREAM));
  steps.record('free its addresses while it is mapped', await a.call('memAddressFree', pointer, SIZE));
  const again = await a.must('memRetainAllocationHandle', pointer);
  const second = await a.must('memAddressReserve', SIZE);
  const mapped = [
    await a.call('memMap', second, SIZE, again),
    await a.call('memSetAccess', second, SIZE, 0, AccessFlag.READWRITE),
  ];
  await a.call('memsetD8', second, 0xcd, SIZE);
  await a.must('ctxSynchronize');
  steps.record('map it a second time elsewhere', mapped, {
    'the same memory': all((await a.call('read', pointer, SIZE)).value, 0xcd),
  });
  await a.call('memUnmap', second, SIZE);
  steps.record('unmap it twice', await a.call('memUnmap', second, SIZE));
}

/** Several allocations as one range. */
async function sideBySide(a: Peer, steps: Recorder): Promise<void> {
  const range = await a.must('memAddressReserve', 4 * SIZE);
  const at = (index: number): DevicePtr => offsetBy(range, index * SIZE);
  for (const index of [0, 1]) {
    await a.must('memMap', at(index), SIZE, await a.must('memCreate', SIZE, shareable));
  }
  const none = await a.call('memGetAccess', range, 0);
  steps.record('cuMemGetAccess of a new mapping', none, { NONE: none.value === AccessFlag.NONE });
  steps.record('cuMemSetAccess of half a mapping', await a.call('memSetAccess', range, SIZE / 2, 0, AccessFlag.READ));
  steps.record(
    'cuMemSetAccess beyond what is mapped',
    await a.call('memSetAccess', range, 3 * SIZE, 0, AccessFlag.READ),
  );
  await a.must('memSetAccess', range, SIZE, 0, AccessFlag.READWRITE);
  steps.record('fill two mappings, the second without access', await a.call('memsetD8', range, 1, 2 * SIZE));
  steps.record(
    'cuMemSetAccess of two mappings',
    await a.call('memSetAccess', range, 2 * SIZE, 0, AccessFlag.READWRITE),
  );
  const filled = await a.call('memsetD8', range, 0x77, 2 * SIZE);
  await a.must('ctxSynchronize');
  const read = await a.call('read', at(0.5), SIZE);
  steps.record('fill and read across two mappings', [filled, read], { 'the bytes': all(read.value, 0x77) });
  const found = await a.call('memGetAddressRange', at(1));
  const size = await a.call('pointerGetAttribute', PointerAttribute.RANGE_SIZE, at(1));
  steps.record('cuMemGetAddressRange_v2 of the second', found, {
    'the mapping': found.value?.base === at(1) && found.value.bytes === SIZE,
    'RANGE_SIZE is the reservation': size.value === BigInt(4 * SIZE),
  });
  steps.record('unmap half a mapping', await a.call('memUnmap', range, SIZE / 2));
  steps.record('unmap two mappings at once', await a.call('memUnmap', range, 2 * SIZE));
  steps.record('free the range', await a.call('memAddressFree', range, 4 * SIZE));
}

async function between(a: Peer, steps: Recorder): Promise<void> {
  const b = await peerWithContext('B');
  const { handle, pointer, descriptor } = await exportedVirtualMemory(a, SIZE, 0xab);
  const another = await a.call('memExportToShareableHandle', handle);
  steps.record('export a second time', another, { 'another descriptor': another.value !== descriptor });
  const received = await passOne(a, b, descriptor);
  const first = await b.must('memImportFromShareableHandle', received);
  const second = await b.call('memImportFromShareableHandle', received);
  steps.record('B imports the same fd again', second, { 'another handle': second.value !== first });
  const found = await b.call('memGetAllocationPropertiesFromHandle', first);
  steps.record('cuMemGetAllocationPropertiesFromHandle of an import', found, {
    'the handle types': found.value?.handleTypes === HandleType.POSIX_FILE_DESCRIPTOR,
  });
  steps.record('B exports what it imported', await b.call('memExportToShareableHandle', first));
  await b.must('closeDescriptor', received);
  const address = await b.must('memAddressReserve', SIZE);
  steps.record('B maps it after it closed the fd', await b.call('memMap', address, SIZE, first));
  await b.must('memSetAccess', address, SIZE, 0, AccessFlag.READWRITE);
  steps.record('cuIpcGetMemHandle of an import', await b.call('ipcGetMemHandle', address));
  const other = await b.must('openFile', OTHER_FILE);
  steps.record('B imports a fd of another file', await b.call('memImportFromShareableHandle', other));
  const pool = await exportedPool(a, 1);
  const ofPool = await passOne(a, b, pool.descriptor);
  steps.record('B imports the fd of a pool', await b.call('memImportFromShareableHandle', ofPool));
  await a.must('memUnmap', pointer, SIZE);
  await a.must('memRelease', handle);
  const own = await a.call('memImportFromShareableHandle', descriptor);
  steps.record('A imports its own fd after it released the memory', own);
  const later = await a.must('memAddressReserve', SIZE);
  await a.call('memMap', later, SIZE, own.value ?? NO_HANDLE);
  await a.call('memSetAccess', later, SIZE, 0, AccessFlag.READ);
  const kept = await a.call('read', later, SIZE);
  steps.record('and reads it', kept, { 'the old bytes': all(kept.value, 0xab) });
  await a.kill();
  const read = await b.call('read', address, SIZE);
  steps.record('A is killed; B reads', read, { 'the old bytes': all(read.value, 0xab) });
}

/** What cuMemGetInfo_v2 says, with nobody else on the device. */
async function counted(steps: Recorder): Promise<void> {
  const bytes = 64 * MiB;
  // Other tests' simulated processes are on another simulated machine.
  const env: { [name: string]: string } = onRealDriver ? {} : { GPU_IPC_SIM_MACHINE: `conformance-${process.pid}` };
  const a = await peerWithContext('A', 0, env);
  const b = await peerWithContext('B', 0, env);
  const watcher = await peerWithContext('watcher', 0, env);
  const spare = await peerWithContext('spare', 0, env);
  const free = async () => (await watcher.must('memGetInfo')).freeBytes;
  const before = await free();
  const handle = await a.must('memCreate', bytes, shareable);
  const taken = before - (await free());
  const received = await passOne(a, b, await a.must('memExportToShareableHandle', handle));
  const imported = await b.call('memImportFromShareableHandle', received);
  const shared = before - (await free());
  steps.record('B imports 64 MiB', imported, {
    'creating took that much': taken === bytes,
    'importing takes nothing': shared === bytes,
  });
  const released = await a.call('memRelease', handle);
  steps.record('A releases them', released, { 'B has them still': before - (await free()) === bytes });
  // A real driver gives back a killed process's context too, which takes more than these 64 MiB.
  const beforeSpare = await free();
  await spare.kill();
  const afterSpare = await free();
  await a.kill();
  const given = (await free()) - afterSpare;
  steps.record('A is killed', await b.call('memGetInfo'), {
    'B has them still': given < afterSpare - beforeSpare + bytes / 2,
  });
  await b.kill();
  const last = await free();
  steps.record('B is killed', await watcher.call('memGetInfo'), { 'nothing is taken': last >= before });
}

const BETWEEN_DEVICES = [
  'B on another device reads an import with access for its device',
  'B reads an import with access for the other device only',
  'B writes with access for its device; A reads',
  "A's own memory, with access for the other device too, read there",
] as const;

export const virtualMemoryBetweenDevices: Group = {
  name: 'virtual memory between devices',
  run: async (steps) => {
    const env: { [name: string]: string } = onRealDriver ? {} : { GPU_IPC_SIM_DEVICES: '2' };
    const scout = await Peer.start('scout', env);
    await scout.must('init');
    if ((await scout.must('deviceGetCount')) < 2) {
      for (const step of BETWEEN_DEVICES) steps.skip(step, 'there is one device');
      return;
    }
    const a = await peerWithContext('A', 0, env);
    const b = await peerWithContext('B', 1, env);
    const { pointer, descriptor } = await exportedVirtualMemory(a, SIZE, 0xab);
    const handle = await b.must('memImportFromShareableHandle', await passOne(a, b, descriptor));
    const range = await b.must('memAddressReserve', 2 * SIZE);
    const other = offsetBy(range, SIZE);
    for (const address of [range, other]) await b.must('memMap', address, SIZE, handle);
    const allowed = await b.call('memSetAccess', range, SIZE, 1, AccessFlag.READWRITE);
    const read = await b.call('read', range, SIZE);
    const ordinal = await b.call('pointerGetAttribute', PointerAttribute.DEVICE_ORDINAL, range);
    steps.record(BETWEEN_DEVICES[0], [allowed, read], {
      "A's bytes": all(read.value, 0xab),
      'DEVICE_ORDINAL is 0': ordinal.value === 0n,
    });
    await b.must('memSetAccess', other, SIZE, 0, AccessFlag.READWRITE);
    steps.record(BETWEEN_DEVICES[1], await b.call('read', other, 16));
    const written = await b.call('memsetD8', range, 0xcd, SIZE);
    await b.must('ctxSynchronize');
    const seen = await a.call('read', pointer, SIZE);
    steps.record(BETWEEN_DEVICES[2], [written, seen], { "B's bytes": all(seen.value, 0xcd) });
    await a.must('memSetAccess', pointer, SIZE, 1, AccessFlag.READ);
    const context = await a.must('devicePrimaryCtxRetain', await a.must('deviceGet', 1));
    await a.must('ctxSetCurrent', context);
    const there = await a.call('read', pointer, SIZE);
    steps.record(BETWEEN_DEVICES[3], there, { "B's bytes": all(there.value, 0xcd) });
  },
};
