import { all, exportedMemory, filled, type Group, LAZY, MiB, peerWithContext } from '../group';

const SIZE = 4 * MiB;

export const legacyLifetime: Group = {
  name: 'legacy lifetime',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const third = await peerWithContext('third');

    const shared = await exportedMemory(a, SIZE, 0xab);
    const mapping = await b.must('ipcOpenMemHandle', shared.handle, LAZY);
    steps.record('A frees it', await a.call('memFree', shared.pointer));
    const kept = await b.call('read', mapping, SIZE);
    steps.record('B reads', kept, { 'the old bytes': all(kept.value, 0xab) });
    steps.record('B writes', await b.call('memcpyHtoD', mapping, new Uint8Array(4096).fill(0xcd)));
    steps.record(
      'another process opens the handle after A freed',
      await third.call('ipcOpenMemHandle', shared.handle, LAZY),
    );

    const anew = await a.call('memAlloc', SIZE);
    if (anew.value !== undefined) await a.must('memsetD8', anew.value, 0x11, SIZE);
    await a.must('ctxSynchronize');
    const still = await b.call('read', mapping, SIZE);
    steps.record('A allocates 4 MiB again', anew, {
      'B still sees the old pages': all(still.value?.subarray(4096), 0xab) && all(still.value?.subarray(0, 4096), 0xcd),
    });
    await b.must('ipcCloseMemHandle', mapping);
    steps.record('B closes, then reads', await b.call('read', mapping, 16));

    const leaving = await exportedMemory(a, SIZE, 0x55);
    const left = await b.must('ipcOpenMemHandle', leaving.handle, LAZY);
    await a.exit();
    const after = await b.call('read', left, SIZE);
    steps.record('A exits normally; B reads', after, { 'the old bytes': all(after.value, 0x55) });
    steps.record('a new open of the handle after A exited', await third.call('ipcOpenMemHandle', leaving.handle, LAZY));
    steps.record('B closes afterwards', await b.call('ipcCloseMemHandle', left));

    const victim = await peerWithContext('A, to be killed');
    await filled(victim, SIZE, 0);
    const doomed = await exportedMemory(victim, SIZE, 0x77);
    const survivor = await b.must('ipcOpenMemHandle', doomed.handle, LAZY);
    await victim.kill();
    const bytes = await b.call('read', survivor, SIZE);
    steps.record('A is killed with SIGKILL; B reads', bytes, { 'the old bytes': all(bytes.value, 0x77) });
  },
};
