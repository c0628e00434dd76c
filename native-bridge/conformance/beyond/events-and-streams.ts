/** Events and streams with wrong flags, null handles, and work that is not done yet. */
import { offsetBy, StreamFlag, WaitValueFlag } from '../../cuda/index';
import {
  crashable,
  exportedEvent,
  filled,
  type Group,
  INTERPROCESS,
  KiB,
  LongWork,
  NOBODYS,
  NULL_EVENT,
  NULL_POINTER,
  NULL_STREAM,
  peerWithContext,
} from '../group';
import { onRealDriver } from '../setting';

export const eventsAndStreams: Group = {
  name: 'events and streams at their edges',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const careful = crashable('null handles');
    steps.record('cuEventCreate with flags 8', await a.call('eventCreate', 8));
    steps.record('cuEventCreate with flags 0xffffffff', await a.call('eventCreate', 0xffff_ffff));
    steps.record('cuStreamCreate with flags 2', await a.call('streamCreate', 2));
    steps.record('cuEventQuery of 0', await (await careful()).call('eventQuery', NULL_EVENT));
    steps.record('cuEventRecord of 0', await (await careful()).call('eventRecord', NULL_EVENT, NULL_STREAM));
    steps.record('cuEventSynchronize of 0', await (await careful()).call('eventSynchronize', NULL_EVENT));
    steps.record('cuEventDestroy_v2 of 0', await (await careful()).call('eventDestroy', NULL_EVENT));
    steps.record('cuStreamWaitEvent of 0', await (await careful()).call('streamWaitEvent', NULL_STREAM, NULL_EVENT));
    steps.record('cuStreamQuery of the default stream', await a.call('streamQuery', NULL_STREAM));
    steps.record('cuStreamSynchronize of the default stream', await a.call('streamSynchronize', NULL_STREAM));
    steps.record(
      'cuStreamDestroy_v2 of the default stream',
      await (await careful()).call('streamDestroy', NULL_STREAM),
    );

    const stream = await a.must('streamCreate', 1);
    const flag = await filled(a, 4 * KiB, 0);
    const { EQ } = WaitValueFlag;
    steps.record('cuStreamWaitValue32_v2 at address 0', await a.call('streamWaitValue32', stream, NULL_POINTER, 1, EQ));
    steps.record(
      'cuStreamWaitValue32_v2 at an address of nobody',
      await a.call('streamWaitValue32', stream, NOBODYS, 1, EQ),
    );
    steps.record(
      'cuStreamWaitValue32_v2 at an address not aligned to 4',
      await a.call('streamWaitValue32', stream, offsetBy(flag, 2), 1, EQ),
    );
    steps.record('cuStreamWriteValue32_v2', await a.call('streamWriteValue32', stream, flag, 77));
    await a.must('streamSynchronize', stream);
    const written = await a.call('read', flag, 4);
    steps.record('the value it wrote', written, { 'is 77': written.value?.[0] === 77 });

    const plain = await a.must('eventCreate', 2);
    steps.record('cuStreamWaitEvent of an event never recorded', await a.call('streamWaitEvent', stream, plain));
    steps.record('cuStreamQuery after that', await a.call('streamQuery', stream));

    const work = await LongWork.in(a);
    await work.begin();
    const { event } = await exportedEvent(a);
    await a.must('eventRecord', event, work.stream);
    steps.record('cuStreamQuery of a stream with work', await a.call('streamQuery', work.stream));
    steps.record('cuEventQuery of an event behind work', await a.call('eventQuery', event));
    const timed = await a.must('eventCreate', 0);
    await a.must('eventRecord', timed, work.stream);
    steps.record('cuEventElapsedTime of events not complete', await a.call('eventElapsedTime', timed, timed));
    const behind = await a.must('eventCreate', INTERPROCESS);
    await a.must('eventRecord', behind, work.stream);
    steps.record('cuEventDestroy_v2 of an event behind work', await a.call('eventDestroy', behind));
    steps.record('cuMemcpyDtoH_v2 while another, non-blocking stream works', await a.call('read', flag, 4));
    await work.finish();
    steps.record('cuEventQuery when the work is done', await a.call('eventQuery', event));
    const elapsed = await a.call('eventElapsedTime', timed, timed);
    steps.record('cuEventElapsedTime of a complete event and itself', elapsed, { 'is 0': elapsed.value === 0 });
    const untimed = await a.must('eventCreate', 2);
    steps.record('cuEventElapsedTime of events without timing', await a.call('eventElapsedTime', untimed, untimed));
    const never = await a.must('eventCreate', 0);
    steps.record('cuEventElapsedTime of events never recorded', await a.call('eventElapsedTime', never, never));

    await work.begin();
    steps.record('cuStreamDestroy_v2 of a stream with work', await a.call('streamDestroy', work.stream));
    await work.release();

    const blocking = await peerWithContext('default stream');
    const held = await LongWork.in(blocking);
    await held.begin();
    const ordered = await blocking.must('eventCreate', INTERPROCESS);
    await blocking.must('streamWaitEvent', NULL_STREAM, ordered);
    await blocking.must('eventRecord', ordered, held.stream);
    steps.record('cuEventQuery while a non-blocking stream holds it', await blocking.call('eventQuery', ordered));
    steps.record('cuStreamQuery of the default stream meanwhile', await blocking.call('streamQuery', NULL_STREAM));
    await held.finish();

    const destroyedEvent = async () => {
      const peer = await careful();
      const gone = await peer.must('eventCreate', INTERPROCESS);
      await peer.must('eventDestroy', gone);
      return { peer, gone };
    };
    const first = await destroyedEvent();
    steps.record('cuEventDestroy_v2 twice', await first.peer.call('eventDestroy', first.gone));
    const second = await destroyedEvent();
    steps.record('cuEventQuery of a destroyed event', await second.peer.call('eventQuery', second.gone));
    const third = await destroyedEvent();
    steps.record('cuIpcGetEventHandle of a destroyed event', await third.peer.call('ipcGetEventHandle', third.gone));
    if (onRealDriver) {
      steps.skip(
        'cuStreamDestroy_v2 twice',
        'it follows a freed pointer: CONTEXT_IS_DESTROYED in one run, SIGSEGV in another',
      );
    } else {
      const fourth = await careful();
      const ended = await fourth.must('streamCreate', StreamFlag.NON_BLOCKING);
      await fourth.must('streamDestroy', ended);
      steps.record('cuStreamDestroy_v2 twice', await fourth.call('streamDestroy', ended));
    }
  },
};
