/** Streams: queues of work that the device does in order. */
import { declare } from '../declare';
import { NOT_READY } from '../results';
import type { DevicePtr, EventHandle, Stream } from '../types';

export const streams = {
  /** `flags`: StreamFlag; NON_BLOCKING does not wait for the default stream. */
  streamCreate: declare('cuStreamCreate(_Out_ CUstream *phStream, unsigned int Flags)', (call) => {
    const stream = new BigUint64Array(1);
    return (flags: number): Stream => {
      call(stream, flags);
      return (stream[0] ?? 0n) as Stream;
    };
  }),

  /** Returns at once; queued work still runs to its end. */
  streamDestroy: declare('cuStreamDestroy_v2(CUstream hStream)', (call) => (stream: Stream): void => {
    call(stream);
  }),

  /** Blocks the thread until the stream is done. Never while it waits for another process: that one may be gone. */
  streamSynchronize: declare('cuStreamSynchronize(CUstream hStream)', (call) => (stream: Stream): void => {
    call(stream);
  }),

  /** Whether everything queued so far is done. */
  streamQuery: declare(
    'cuStreamQuery(CUstream hStream)',
    (call) =>
      (stream: Stream): 'ready' | 'not-ready' =>
        call(stream) === 0 ? 'ready' : 'not-ready',
    { answers: [NOT_READY] },
  ),

  /** The stream goes on when the event, own or imported, is complete. The host does not wait. */
  streamWaitEvent: declare(
    'cuStreamWaitEvent(CUstream hStream, CUevent hEvent, unsigned int Flags)',
    (call) =>
      (stream: Stream, event: EventHandle): void => {
        call(stream, event, 0);
      },
  ),

  /** The stream goes on when the 32 bits at `address` compare with `value` as WaitValueFlag says. */
  streamWaitValue32: declare(
    'cuStreamWaitValue32_v2(CUstream stream, CUdeviceptr addr, uint32_t value, unsigned int flags)',
    (call) =>
      (stream: Stream, address: DevicePtr, value: number, flags: number): void => {
        call(stream, address, value, flags);
      },
    { since: '11.7' },
  ),

  /** Writes 32 bits when the stream gets there. */
  streamWriteValue32: declare(
    'cuStreamWriteValue32_v2(CUstream stream, CUdeviceptr addr, uint32_t value, unsigned int flags)',
    (call) =>
      (stream: Stream, address: DevicePtr, value: number, flags = 0): void => {
        call(stream, address, value, flags);
      },
    { since: '11.7' },
  ),
};
