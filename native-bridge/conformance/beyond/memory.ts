/** Memory, copies and fills at their edges. */
import { asDevicePtr, type HostPtr, MemAttachFlag, offsetBy } from '../../cuda/index';
import { all, equal, filled, type Group, KiB, MiB, NOBODYS, NULL_POINTER, peerWithContext } from '../group';

const SIZE = 4 * MiB;

/** What the fills of 8, 16 and 32 bits below leave behind. */
// biome-ignore format: one line for each fill
const PATTERN = Uint8Array.of(
  0xef, 0xbe, 0xef, 0xbe, 0xef, 0xbe, 0xef, 0xbe,
  0xde, 0xc0, 0xad, 0xde, 0xde, 0xc0, 0xad, 0xde,
  0x04, 0x03, 0x02, 0x01,
  0x7f, 0x7f, 0x7f, 0x7f,
);

export const memoryAtItsEdges: Group = {
  name: 'memory at its edges',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const live = await filled(a, SIZE, 7);
    const bytes = new Uint8Array(32);

    const one = await a.call('memAlloc', 1);
    const range = await a.call('memGetAddressRange', one.value ?? NULL_POINTER);
    steps.record('cuMemAlloc_v2 of 1 byte', one, { 'the size is 1': range.value?.bytes === 1 });
    const odd = await a.call('memAlloc', 1000);
    const next = await a.call('memAlloc', 1000);
    steps.record('cuMemAlloc_v2 of 1000 bytes', [odd, next], {
      'aligned to 512': (odd.value ?? 1n) % 512n === 0n && (next.value ?? 1n) % 512n === 0n,
    });
    steps.record('cuMemFree_v2 of an address of nobody', await a.call('memFree', NOBODYS));

    steps.record('cuMemsetD8_v2 past the end', await a.call('memsetD8', offsetBy(live, SIZE - 16), 1, 32));
    steps.record('cuMemsetD8_v2 of 0 bytes', await a.call('memsetD8', live, 1, 0));
    steps.record('cuMemsetD8_v2 of 0 bytes at address 0', await a.call('memsetD8', NULL_POINTER, 1, 0));
    steps.record('cuMemsetD8_v2 at address 0', await a.call('memsetD8', NULL_POINTER, 1, 16));
    steps.record('cuMemsetD16_v2 at an odd address', await a.call('memsetD16', offsetBy(live, 1), 1, 4));
    steps.record('cuMemsetD32_v2 at an address not aligned to 4', await a.call('memsetD32', offsetBy(live, 2), 1, 4));
    steps.record('cuMemsetD32_v2 past the end', await a.call('memsetD32', offsetBy(live, SIZE - 4), 1, 2));
    steps.record('cuMemsetD8_v2 of an address of nobody', await a.call('memsetD8', NOBODYS, 1, 16));

    steps.record('cuMemcpyHtoD_v2 past the end', await a.call('memcpyHtoD', offsetBy(live, SIZE - 16), bytes));
    steps.record('cuMemcpyHtoD_v2 to address 0', await a.call('memcpyHtoD', NULL_POINTER, bytes));
    steps.record('cuMemcpyHtoD_v2 to an address of nobody', await a.call('memcpyHtoD', NOBODYS, bytes));
    steps.record('cuMemcpyHtoD_v2 of 0 bytes', await a.call('memcpyHtoD', live, bytes, 0));
    steps.record('cuMemcpyDtoH_v2 from an address of nobody', await a.call('read', NOBODYS, 16));
    steps.record('cuMemcpyDtoH_v2 of the last byte', await a.call('read', offsetBy(live, SIZE - 1), 1));
    const other = await filled(a, SIZE, 9);
    steps.record(
      'cuMemcpyDtoD_v2 past the end of the source',
      await a.call('memcpyDtoD', other, offsetBy(live, SIZE - 16), 32),
    );
    steps.record(
      'cuMemcpyDtoD_v2 past the end of the target',
      await a.call('memcpyDtoD', offsetBy(other, SIZE - 16), live, 32),
    );
    const copied = await a.call('memcpyDtoD', other, live, SIZE);
    await a.must('ctxSynchronize');
    steps.record('cuMemcpyDtoD_v2 of a whole allocation', copied, {
      'the bytes are there': all((await a.call('read', other, SIZE)).value, 7),
    });

    const p = await a.must('memAlloc', 4 * KiB);
    const q = await a.must('memAlloc', 4 * KiB);
    const [lower = p, upper = q] = p < q ? [p, q] : [q, p];
    steps.record('cuMemcpyDtoH_v2 across two small neighbours', await a.call('read', lower, 8 * KiB), {
      'they are neighbours': upper - lower === 4096n,
    });

    const stream = await a.must('streamCreate', 1);
    steps.record(
      'cuMemsetD8Async past the end',
      await a.call('memsetD8Async', offsetBy(live, SIZE - 8), 1, 16, stream),
    );
    steps.record(
      'cuMemcpyDtoDAsync_v2 past the end',
      await a.call('memcpyDtoDAsync', other, offsetBy(live, SIZE - 1), 2, stream),
    );

    const pinned = await a.must('memAllocHost', 4 * KiB);
    steps.record('cuMemFree_v2 of cuMemAllocHost memory', await a.call('memFree', asDevicePtr(pinned)));
    const hostRange = await a.call('memGetAddressRange', asDevicePtr(pinned));
    steps.record('cuMemGetAddressRange_v2 of cuMemAllocHost memory', hostRange, {
      'base and size of it': hostRange.value?.base === asDevicePtr(pinned) && hostRange.value.bytes === 4 * KiB,
    });
    steps.record('cuMemFreeHost', await a.call('memFreeHost', pinned));
    steps.record('cuMemFreeHost twice', await a.call('memFreeHost', pinned));
    steps.record('cuMemFreeHost of device memory', await a.call('memFreeHost', live as bigint as HostPtr));

    steps.record('cuMemHostRegister_v2', await a.call('register', 'page', 64 * KiB));
    const into = await a.call('readInto', 'page', live, 64 * KiB);
    steps.record('cuMemcpyDtoH_v2 into registered memory', into, { 'the bytes are there': all(into.value, 7) });
    steps.record('cuMemHostRegister_v2 twice', await a.call('register', 'page', 64 * KiB));
    steps.record('cuMemHostUnregister', await a.call('unregister', 'page'));
    steps.record('cuMemHostUnregister twice', await a.call('unregister', 'page'));
    steps.record('cuMemHostRegister_v2 again', await a.call('register', 'page', 64 * KiB));

    const target = await filled(a, 64 * KiB, 0);
    const patterns = [
      await a.call('memsetD16', target, 0xbeef, 4),
      await a.call('memsetD32', offsetBy(target, 8), 0xdeadc0de, 2),
      await a.call('memsetD32Async', offsetBy(target, 16), 0x01020304, 1, stream),
      await a.call('memsetD8Async', offsetBy(target, 20), 0x7f, 4, stream),
      await a.call('streamSynchronize', stream),
    ];
    await a.must('ctxSynchronize');
    const filledWith = await a.call('read', target, 24);
    steps.record('cuMemsetD16_v2, cuMemsetD32_v2 and their streams', [...patterns, filledWith], {
      'little-endian values': equal(filledWith.value, PATTERN),
    });
    const moved = [
      await a.call('memcpyDtoDAsync', offsetBy(target, 4 * KiB), target, 24, stream),
      await a.call('readAsync', 'page', offsetBy(target, 4 * KiB), 24, stream),
      await a.call('writeAsync', 'page', offsetBy(target, 8 * KiB), 24, stream),
      await a.call('streamSynchronize', stream),
    ];
    const there = await a.call('read', offsetBy(target, 8 * KiB), 24);
    steps.record('asynchronous copies through registered memory, in stream order', [...moved, there], {
      'the bytes went all the way': equal(there.value, PATTERN),
      'and are in host memory': equal((await a.call('contents', 'page')).value?.slice(0, 24), PATTERN),
    });
    steps.record(
      'cuMemcpyDtoHAsync_v2 past the end',
      await a.call('readAsync', 'page', offsetBy(live, SIZE - 8), 16, stream),
    );

    const managed = await a.must('memAllocManaged', 1 * MiB, MemAttachFlag.GLOBAL);
    steps.record('cuMemAllocManaged of 0 bytes', await a.call('memAllocManaged', 0, MemAttachFlag.GLOBAL));
    steps.record('cuMemAllocManaged with flags 0', await a.call('memAllocManaged', 4096, 0));
    steps.record('cuMemFree_v2 of managed memory', await a.call('memFree', managed));

    const before = await a.must('memGetInfo');
    const large = await a.must('memAlloc', 64 * MiB);
    const during = await a.must('memGetInfo');
    await a.must('memFree', large);
    const after = await a.call('memGetInfo');
    steps.record('cuMemGetInfo_v2 after an allocation of 64 MiB and its free', after, {
      'the allocation is counted': before.freeBytes - during.freeBytes >= 64 * MiB,
      'and given back': after.value?.freeBytes === before.freeBytes,
    });
  },
};
