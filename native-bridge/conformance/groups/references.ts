import { exportedMemory, type Group, LAZY, MiB, peerWithContext } from '../group';

export const references: Group = {
  name: 'references',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const third = await peerWithContext('third');
    const { pointer, handle } = await exportedMemory(a, 4 * MiB, 0xab);
    const mapping = await b.must('ipcOpenMemHandle', handle, LAZY);
    await b.must('ipcOpenMemHandle', handle, LAZY);

    steps.record('close', await b.call('ipcCloseMemHandle', mapping));
    steps.record('close', await b.call('ipcCloseMemHandle', mapping));
    steps.record('close a third time', await b.call('ipcCloseMemHandle', mapping));
    steps.record('cuMemGetAddressRange_v2 afterwards', await b.call('memGetAddressRange', mapping));
    const reopened = await b.call('ipcOpenMemHandle', handle, LAZY);
    steps.record('open again', reopened);

    await a.must('memFree', pointer);
    const served = await b.call('ipcOpenMemHandle', handle, LAZY);
    steps.record('A frees; B, still holding it open, opens the same handle again', served, {
      "served from B's own mapping: same pointer": served.value === reopened.value,
    });
    steps.record('a third process opens it', await third.call('ipcOpenMemHandle', handle, LAZY));
    for (const { value } of [reopened, served]) if (value !== undefined) await b.must('ipcCloseMemHandle', value);
    steps.record('B closes both, then opens again', await b.call('ipcOpenMemHandle', handle, LAZY));
  },
};
