import { exportedMemory, type Group, LAZY, MiB, peerWithContext } from '../group';

export const contexts: Group = {
  name: 'contexts',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const { pointer, handle } = await exportedMemory(a, 4 * MiB, 0xab);
    const mapping = await b.must('ipcOpenMemHandle', handle, LAZY);

    await b.must('ctxCreate', 0, await b.must('deviceGet', 0));
    steps.record('B opens the same handle in the second context', await b.call('ipcOpenMemHandle', handle, LAZY));
    const closed = await b.call('ipcCloseMemHandle', mapping);
    const range = await b.call('memGetAddressRange', mapping);
    steps.record('B (second context current) closes the pointer that it opened in the primary one', closed, {
      'the mapping is gone': range.result === 'CUDA_ERROR_NOT_FOUND',
    });

    await a.must('ctxCreate', 0, await a.must('deviceGet', 0));
    const exported = await a.call('ipcGetMemHandle', pointer);
    steps.record('A exports from its second context a pointer of its primary one', exported);
    steps.record('A opens its own handle in its second context', await a.call('ipcOpenMemHandle', handle, LAZY));
  },
};
