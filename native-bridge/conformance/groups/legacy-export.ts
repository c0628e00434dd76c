import { asDevicePtr, type DevicePtr, HandleType, MemAttachFlag, MemHostAllocFlag, offsetBy } from '../../cuda/index';
import { differences, equal, type Group, KiB, MiB, NULL_POINTER, NULL_STREAM, peerWithContext } from '../group';
import { type Tried, tryPool, tryVirtualMemory } from './other-memory';

/** Bytes of a handle that hold the offset of the allocation in its driver block (observed, cuda-abi 2.5). */
const OFFSET_FIELD = [28, 29, 30, 31];

export const legacyExport: Group = {
  name: 'legacy export',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const base = await a.must('memAlloc', 4 * MiB);
    const large = await a.must('memAlloc', 64 * MiB);
    const small: DevicePtr[] = [];
    for (let i = 0; i < 3; i++) small.push(await a.must('memAlloc', 4 * KiB));

    const first = await a.call('ipcGetMemHandle', base);
    const again = await a.call('ipcGetMemHandle', base);
    const ofLarge = await a.call('ipcGetMemHandle', large);
    steps.record('cuIpcGetMemHandle of the base', [first, again, ofLarge], {
      'a handle has 64 bytes': first.value?.length === 64,
      'exporting again gives identical bytes': equal(first.value, again.value),
      'another allocation has another handle': !equal(first.value, ofLarge.value),
    });

    const inside = await a.call('ipcGetMemHandle', offsetBy(base, 256));
    steps.record('cuIpcGetMemHandle of base + 256', inside, {
      'identical to the handle of the base': equal(first.value, inside.value),
    });

    const handles = [];
    for (const pointer of small) handles.push(await a.call('ipcGetMemHandle', pointer));
    const [one, two, three] = handles.map(({ value }) => value ?? new Uint8Array(64));
    const [p, q, r] = small;
    steps.record('cuIpcGetMemHandle of each small allocation', handles, {
      'they differ': one !== undefined && two !== undefined && differences(one, two).length > 0,
      'they differ only in the offset field': [two, three].every(
        (other) =>
          one !== undefined &&
          other !== undefined &&
          differences(one, other).every((index) => OFFSET_FIELD.includes(index)),
      ),
      'they lie 4 KiB apart':
        p !== undefined && q !== undefined && r !== undefined && q - p === 4096n && r - q === 4096n,
    });

    const range = await a.call('memGetAddressRange', offsetBy(small[1] ?? NULL_POINTER, 100));
    steps.record('cuMemGetAddressRange_v2 of a small allocation', range, {
      'base and size of the allocation itself': range.value?.base === small[1] && range.value?.bytes === 4096,
    });

    const managed = await a.must('memAllocManaged', 1 * MiB, MemAttachFlag.GLOBAL);
    steps.record('cuIpcGetMemHandle of managed memory', await a.call('ipcGetMemHandle', managed));

    const pinned = await a.must('memAllocHost', 1 * MiB);
    steps.record('... of cuMemAllocHost memory', await a.call('ipcGetMemHandle', asDevicePtr(pinned)));

    const mapped = await a.must('memHostAlloc', 1 * MiB, MemHostAllocFlag.DEVICEMAP);
    const seenByDevice = await a.must('memHostGetDevicePointer', mapped);
    steps.record('... of cuMemHostAlloc DEVICEMAP memory', [
      await a.call('ipcGetMemHandle', asDevicePtr(mapped)),
      await a.call('ipcGetMemHandle', seenByDevice),
    ]);

    const ordered = await a.must('memAllocAsync', 1 * MiB, NULL_STREAM);
    await a.must('ctxSynchronize');
    steps.record('... of cuMemAllocAsync memory (default pool)', await a.call('ipcGetMemHandle', ordered));
    await a.must('memFreeAsync', ordered, NULL_STREAM);

    const ofTried = async (tried: Tried) => {
      if (tried.pointer === undefined) return tried.outcome;
      const outcome = await a.call('ipcGetMemHandle', tried.pointer);
      await tried.release();
      return outcome;
    };
    steps.record(
      '... of memory from a pool created with POSIX_FD',
      await ofTried(await tryPool(a, HandleType.POSIX_FILE_DESCRIPTOR)),
    );
    steps.record(
      '... of a mapped cuMemCreate allocation',
      await ofTried(await tryVirtualMemory(a, HandleType.POSIX_FILE_DESCRIPTOR)),
    );

    steps.record('... of address 0', await a.call('ipcGetMemHandle', NULL_POINTER));
    await a.must('memFree', base);
    steps.record('... of a freed allocation', await a.call('ipcGetMemHandle', base));
  },
};
