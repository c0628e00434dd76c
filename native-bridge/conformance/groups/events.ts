import { asEventHandle } from '../../cuda/index';
import { exportedEvent, type Group, INTERPROCESS, LongWork, NULL_EVENT, peerWithContext } from '../group';
import type { Outcome } from '../peer-client';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

export const events: Group = {
  name: 'events',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');

    const plain = [];
    for (const flags of [0, 1, 2]) plain.push(await a.call('eventCreate', flags));
    steps.record('flags 0, 1 or 2: create', plain);
    const refused = [];
    for (const { value } of plain) refused.push(await a.call('ipcGetEventHandle', value ?? NULL_EVENT));
    steps.record('flags 0, 1 or 2: cuIpcGetEventHandle', refused);
    steps.record('flags 4 or 5 (INTERPROCESS without DISABLE_TIMING): create', [
      await a.call('eventCreate', 4),
      await a.call('eventCreate', 5),
    ]);
    const shareable = [await a.call('eventCreate', INTERPROCESS), await a.call('eventCreate', 7)];
    steps.record('flags 6 or 7: create', shareable);
    const handles = [];
    for (const { value } of shareable) handles.push(await a.call('ipcGetEventHandle', value ?? NULL_EVENT));
    steps.record('flags 6 or 7: cuIpcGetEventHandle', handles);

    const { event, handle } = await exportedEvent(a);
    steps.record('A opens its own event handle', await a.call('ipcOpenEventHandle', handle));
    const opened = await b.call('ipcOpenEventHandle', handle);
    const imported = opened.value ?? NULL_EVENT;
    steps.record('B opens it', opened);
    const again = await b.call('ipcOpenEventHandle', handle);
    steps.record('B opens it again', again, { 'a different CUevent': again.value !== imported });

    steps.record('B queries an event never recorded', await b.call('eventQuery', imported));
    const asked = performance.now();
    steps.record('B cuEventSynchronize on it', await b.call('eventSynchronize', imported), {
      'returns at once': performance.now() - asked < 2000,
    });

    const work = await LongWork.in(a);
    const stream = await b.must('streamCreate', 1);
    await work.begin();
    await a.must('eventRecord', event, work.stream);
    steps.record('A records after long work; A queries', await a.call('eventQuery', event));
    steps.record('B queries', await b.call('eventQuery', imported));
    await b.must('streamWaitEvent', stream, imported);
    const held = await b.call('streamQuery', stream);

    let waiting: Outcome<void> | undefined;
    const waited = b.call('eventSynchronize', imported).then((outcome) => {
      waiting = outcome;
      return outcome;
    });
    await pause(300);
    const stillWaiting = waiting === undefined;
    await work.finish();
    steps.record('B cuEventSynchronize', await waited, { "it waits for A's work": stillWaiting });
    const releasedBy = performance.now() + 5000;
    let released = await b.call('streamQuery', stream);
    while (released.result === 'CUDA_ERROR_NOT_READY' && performance.now() < releasedBy) {
      await pause(10);
      released = await b.call('streamQuery', stream);
    }
    steps.record('B cuStreamWaitEvent, then cuStreamQuery', held, {
      "until A's work is done": released.result === 'CUDA_SUCCESS',
    });

    await b.must('eventRecord', imported, stream);
    await b.must('streamSynchronize', stream);
    steps.record('B records the imported event; A queries', await a.call('eventQuery', event));
    steps.record('cuEventElapsedTime with an interprocess event', await a.call('eventElapsedTime', event, event));
    await a.must('eventDestroy', event);
    steps.record('A destroys the event; B queries, records, synchronises, destroys', [
      await b.call('eventQuery', imported),
      await b.call('eventRecord', imported, stream),
      await b.call('eventSynchronize', imported),
      await b.call('eventDestroy', imported),
    ]);

    const victim = await peerWithContext('A, to be killed');
    const doomed = await exportedEvent(victim);
    const orphan = await b.must('ipcOpenEventHandle', doomed.handle);
    const unfinished = await LongWork.in(victim);
    await unfinished.begin();
    await victim.must('eventRecord', doomed.event, unfinished.stream);
    await victim.kill();
    const first = await b.call('eventQuery', orphan);
    await pause(500);
    steps.record('A is killed while its recorded work runs; B queries', [first, await b.call('eventQuery', orphan)]);

    steps.record(
      'open an event handle of 64 zero bytes',
      await b.call('ipcOpenEventHandle', asEventHandle(new Uint8Array(64))),
    );
  },
};
