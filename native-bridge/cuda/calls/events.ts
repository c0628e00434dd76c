/** Events, own and imported alike: an imported event has no close call of its own, it is destroyed. */
import { declare } from '../declare';
import { NOT_READY } from '../results';
import type { EventHandle, Stream } from '../types';

export const events = {
  /** `flags`: EventFlag; 6 (INTERPROCESS and DISABLE_TIMING) for one that can be exported. */
  eventCreate: declare('cuEventCreate(_Out_ CUevent *phEvent, unsigned int Flags)', (call) => {
    const event = new BigUint64Array(1);
    return (flags: number): EventHandle => {
      call(event, flags);
      return (event[0] ?? 0n) as EventHandle;
    };
  }),

  eventDestroy: declare('cuEventDestroy_v2(CUevent hEvent)', (call) => (event: EventHandle): void => {
    call(event);
  }),

  /** The event completes when the stream gets here. */
  eventRecord: declare(
    'cuEventRecord(CUevent hEvent, CUstream hStream)',
    (call) =>
      (event: EventHandle, stream: Stream): void => {
        call(event, stream);
      },
  ),

  /** An event never recorded is ready. One whose exporter died before it completed stays not-ready for ever. */
  eventQuery: declare(
    'cuEventQuery(CUevent hEvent)',
    (call) =>
      (event: EventHandle): 'ready' | 'not-ready' =>
        call(event) === 0 ? 'ready' : 'not-ready',
    { answers: [NOT_READY] },
  ),

  /** Blocks the thread. Never for an imported event in the app: its exporter may be gone; poll eventQuery instead. */
  eventSynchronize: declare('cuEventSynchronize(CUevent hEvent)', (call) => (event: EventHandle): void => {
    call(event);
  }),

  /** Milliseconds between two completed events with timing. INVALID_HANDLE for an interprocess one. */
  eventElapsedTime: declare('cuEventElapsedTime(_Out_ float *pMilliseconds, CUevent hStart, CUevent hEnd)', (call) => {
    const milliseconds = new Float32Array(1);
    return (start: EventHandle, end: EventHandle): number => {
      call(milliseconds, start, end);
      return milliseconds[0] ?? 0;
    };
  }),
};
