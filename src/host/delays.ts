/**
 * Streams of the host's own, and work on them that lasts as long as asked: the stream waits for a hidden number in
 * device memory, and a timer has a second stream write it. Whoever looks at an event recorded behind it sees a device
 * that is busy. Nothing here blocks; but the driver's freeing and unmapping calls would wait for that work, so they ask
 * `settled` first.
 */
import { GpuIpcError } from '#contract/result';
import { type DevicePtr, NOT_SUPPORTED, type Stream, StreamFlag, WaitValueFlag } from '#native/cuda/index';
import { ending, unsupported } from './problems';
import type { Session } from './session';

interface Lane {
  /** Where events are recorded. */
  readonly stream: Stream;
  /** What a delay needs; made with the first one. */
  delay?: { readonly writer: Stream; readonly flag: DevicePtr };
  /** Delays queued so far, and the number that the flag has been told to take. */
  queued: number;
  released: number;
  /** When the last queued delay ends, by performance.now(). */
  endsAt: number;
  timers: Set<NodeJS.Timeout>;
  waiting: (() => void)[];
}

export class Delays {
  private readonly lanes = new Map<number, Lane>();
  private hasEnded = false;

  constructor(private readonly session: Session) {}

  /** The host's own non-blocking stream of a device, whose context is current afterwards. */
  stream(ordinal: number): Stream {
    return this.lane(ordinal).stream;
  }

  /**
   * Queues work that lasts `ms` behind what the stream of the device has to do already.
   * @throws GpuIpcError `unsupported` where streams cannot wait for memory
   */
  queue(ordinal: number, ms: number): void {
    const lane = this.lane(ordinal);
    const delay = this.prepared(ordinal, lane);
    const number = lane.queued + 1;
    try {
      this.session.call({ args: `stream of this host, at least ${number}, for ${ms} ms` }, (cuda) =>
        cuda.streamWaitValue32(lane.stream, delay.flag, number, WaitValueFlag.GEQ),
      );
    } catch (thrown) {
      throw asUnsupported(thrown);
    }
    lane.queued = number;
    const now = performance.now();
    lane.endsAt = Math.max(lane.endsAt, now) + ms;
    const timer = setTimeout(() => {
      lane.timers.delete(timer);
      this.release(ordinal, lane, number);
    }, lane.endsAt - now);
    lane.timers.add(timer);
  }

  /**
   * Resolves when no delay is queued on the device.
   * @throws GpuIpcError `host-lost` when the host ended meanwhile: nothing may be made in a context that is given back
   */
  async settled(ordinal: number): Promise<void> {
    const lane = this.lanes.get(ordinal);
    if (!lane || lane.released === lane.queued) return;
    await new Promise<void>((resolve) => lane.waiting.push(resolve));
    if (this.hasEnded) throw ending();
  }

  /** Ends every delay at once and gives the streams back. */
  end(): void {
    this.hasEnded = true;
    for (const [ordinal, lane] of this.lanes) {
      for (const timer of lane.timers) clearTimeout(timer);
      lane.timers.clear();
      this.session.use(ordinal);
      if (lane.released < lane.queued) this.release(ordinal, lane, lane.queued);
      this.session.call({ args: 'stream of this host' }, (cuda) => cuda.streamDestroy(lane.stream));
      const { delay } = lane;
      if (delay) {
        this.session.call({ args: 'stream that ends delays' }, (cuda) => cuda.streamDestroy(delay.writer));
        this.session.call({ args: 'number that ends delays' }, (cuda) => cuda.memFree(delay.flag));
      }
    }
    this.lanes.clear();
  }

  private lane(ordinal: number): Lane {
    this.session.use(ordinal);
    let lane = this.lanes.get(ordinal);
    if (!lane) {
      const stream = this.session.call({ args: 'stream of this host, NON_BLOCKING' }, (cuda) =>
        cuda.streamCreate(StreamFlag.NON_BLOCKING),
      );
      lane = { stream, queued: 0, released: 0, endsAt: 0, timers: new Set(), waiting: [] };
      this.lanes.set(ordinal, lane);
    }
    return lane;
  }

  private prepared(ordinal: number, lane: Lane): NonNullable<Lane['delay']> {
    if (lane.delay) return lane.delay;
    this.session.use(ordinal);
    const flag = this.session.call({ args: 'number that ends delays, 4 B' }, (cuda) => cuda.memAlloc(4));
    try {
      const zero = new Uint8Array(4);
      this.session.call({ args: 'number that ends delays, 4 B' }, (cuda) => cuda.memcpyHtoD(flag, zero));
      const writer = this.session.call({ args: 'stream that ends delays, NON_BLOCKING' }, (cuda) =>
        cuda.streamCreate(StreamFlag.NON_BLOCKING),
      );
      lane.delay = { writer, flag };
    } catch (thrown) {
      this.session.call({ args: 'number that ends delays' }, (cuda) => cuda.memFree(flag));
      throw thrown;
    }
    return lane.delay;
  }

  private release(ordinal: number, lane: Lane, number: number): void {
    const { delay } = lane;
    if (!delay || number <= lane.released) return;
    try {
      this.session.use(ordinal);
      this.session.call({ args: `number that ends delays, ${number}` }, (cuda) =>
        cuda.streamWriteValue32(delay.writer, delay.flag, number),
      );
    } catch {
      // In the log. The context is lost then, and with it whatever waited.
    }
    lane.released = number;
    if (lane.released < lane.queued) return;
    for (const resolve of lane.waiting.splice(0)) resolve();
  }
}

function asUnsupported(thrown: unknown): unknown {
  if (!(thrown instanceof GpuIpcError)) return thrown;
  const { code, cuda } = thrown.error;
  if (code !== 'unsupported' && cuda?.result !== NOT_SUPPORTED) return thrown;
  return unsupported(
    'This device cannot keep a stream waiting for memory, so an event cannot be delayed here.',
    'Record the event without a delay.',
  );
}
