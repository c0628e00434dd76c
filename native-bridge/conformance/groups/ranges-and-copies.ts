import { offsetBy, PointerAttribute } from '../../cuda/index';
import { filled, type Group, MiB, NOBODYS, NULL_POINTER, peerWithContext } from '../group';

const SIZE = 4 * MiB;

export const rangesAndCopies: Group = {
  name: 'ranges and copies',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const { totalBytes } = await a.must('memGetInfo');
    steps.record('cuMemAlloc_v2 of 0 bytes', await a.call('memAlloc', 0));
    steps.record('cuMemAlloc_v2 larger than the device', await a.call('memAlloc', totalBytes + SIZE));
    steps.record('cuMemFree_v2 of 0', await a.call('memFree', NULL_POINTER));

    const gone = await filled(a, SIZE, 1);
    await a.must('memFree', gone);
    steps.record('cuMemFree_v2 twice', await a.call('memFree', gone));
    const live = await filled(a, SIZE, 2);
    steps.record('cuMemFree_v2 of an interior address', await a.call('memFree', offsetBy(live, 4096)));

    steps.record('cuMemcpyDtoH_v2 of 0 bytes, from a valid address or from 0', [
      await a.call('read', live, 0),
      await a.call('read', NULL_POINTER, 0),
    ]);
    steps.record(
      "cuMemcpyDtoH_v2 that runs past the allocation's end",
      await a.call('read', offsetBy(live, SIZE - 16), 32),
    );
    const freed = await filled(a, SIZE, 3);
    await a.must('memFree', freed);
    steps.record('cuMemcpyDtoH_v2 from freed memory', await a.call('read', freed, 16));

    steps.record('cuMemGetAddressRange_v2 of 0 or of an address of nobody', [
      await a.call('memGetAddressRange', NULL_POINTER),
      await a.call('memGetAddressRange', NOBODYS),
    ]);
    const range = await a.call('memGetAddressRange', offsetBy(live, SIZE - 1));
    steps.record('cuMemGetAddressRange_v2 of an interior address', range, {
      'base and size of the whole allocation': range.value?.base === live && range.value?.bytes === SIZE,
    });
    const outcomes = [];
    for (const pointer of [NULL_POINTER, freed, NOBODYS]) {
      for (const attribute of [PointerAttribute.CONTEXT, PointerAttribute.MEMORY_TYPE, PointerAttribute.RANGE_SIZE]) {
        outcomes.push(await a.call('pointerGetAttribute', attribute, pointer));
      }
    }
    steps.record('cuPointerGetAttribute of 0, of freed memory or of an address of nobody', outcomes);
  },
};
