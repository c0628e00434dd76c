import {
  all,
  exportedMemory,
  filled,
  type Group,
  LAZY,
  MiB,
  NULL_POINTER,
  peerWithContext,
  zeroHandle,
} from '../group';

const SIZE = 4 * MiB;

export const legacyImport: Group = {
  name: 'legacy import',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const { pointer, handle } = await exportedMemory(a, SIZE, 0xab);

    steps.record('A opens its own handle', await a.call('ipcOpenMemHandle', handle, LAZY));
    steps.record('B opens with flags 0', await b.call('ipcOpenMemHandle', handle, 0));
    const opened = await b.call('ipcOpenMemHandle', handle, LAZY);
    const mapping = opened.value ?? NULL_POINTER;
    steps.record('B opens with flags 1', opened);
    steps.record('B opens with flags 2', await b.call('ipcOpenMemHandle', handle, 2));
    const three = await b.call('ipcOpenMemHandle', handle, 3);
    steps.record('B opens with flags 3', three);
    if (three.value !== undefined) await b.must('ipcCloseMemHandle', three.value);
    const second = await b.call('ipcOpenMemHandle', handle, LAZY);
    steps.record('B opens the same handle a second time', second, { 'same pointer': second.value === mapping });

    const range = await b.call('memGetAddressRange', mapping);
    steps.record('B cuMemGetAddressRange_v2 of the imported pointer', range, {
      'base is the imported pointer': range.value?.base === mapping,
      'size is 4194304': range.value?.bytes === SIZE,
    });
    const read = await b.call('read', mapping, SIZE);
    steps.record('B reads', read, { 'every byte is 0xAB': all(read.value, 0xab) && read.value?.length === SIZE });

    const written = await b.call('memcpyHtoD', mapping, new Uint8Array(4096).fill(0xcd));
    const seen = await a.call('read', pointer, 8192);
    steps.record('B writes, A reads', [written, seen], {
      "A sees B's bytes": all(seen.value?.subarray(0, 4096), 0xcd),
      'and its own after them': all(seen.value?.subarray(4096), 0xab),
    });

    const freed = await b.call('memFree', mapping);
    const usable = await b.call('read', mapping, 16);
    steps.record('B cuMemFree_v2 of the imported pointer', freed, {
      'the mapping stays usable': usable.result === 'CUDA_SUCCESS',
    });
    steps.record('B closes once while two references are open, then reads', [
      await b.call('ipcCloseMemHandle', mapping),
      await b.call('read', mapping, 16),
    ]);
    steps.record('B closes the last reference', await b.call('ipcCloseMemHandle', mapping));
    steps.record('B reads after the last close', await b.call('read', mapping, 16));

    const own = await filled(b, SIZE, 1);
    steps.record('B cuIpcCloseMemHandle of its own cuMemAlloc pointer', await b.call('ipcCloseMemHandle', own));
    steps.record('B cuIpcCloseMemHandle of 0', await b.call('ipcCloseMemHandle', NULL_POINTER));
    steps.record('B opens a handle of 64 zero bytes', await b.call('ipcOpenMemHandle', zeroHandle(), LAZY));
  },
};
