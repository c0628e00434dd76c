/**
 * Bulk copies out of device memory: several at once, into page-locked memory, on a stream of their own, while the thread
 * serves other calls.
 */
import { formatSize } from '#contract/units';
import { type DevicePtr, EventFlag, type EventHandle, offsetBy, type Stream, StreamFlag } from '#native/cuda/index';
import type { MemoryTarget } from '../objects';
import type { Session } from '../session';

/** A copy on its way. What it goes into stays referenced here, and must not be touched before it is done. */
export interface Copy {
  readonly device: number;
  readonly event: EventHandle;
  readonly into: Uint8Array;
  readonly objectId: string;
}

/** How many copies are on their way at once, at most times. */
const EVENTS = 4;

interface Lane {
  readonly stream: Stream;
  /** Events that no copy uses at present. */
  readonly events: EventHandle[];
}

export class Copies {
  private readonly lanes = new Map<number, Lane>();

  constructor(private readonly session: Session) {}

  /** cuMemcpyDtoHAsync_v2 of as many bytes as `into` has. */
  start({ id, device, pointer, label }: MemoryTarget, offset: number, into: Uint8Array): Copy {
    const { stream, events } = this.lane(device);
    const from: DevicePtr = offsetBy(pointer, offset);
    // Equal words for all pieces: they become one record of the log.
    const about = { args: `${label}, in pieces of ${formatSize(into.byteLength)}`, objectId: id };
    const event = events.pop() ?? this.newEvent();
    try {
      this.session.call(about, (cuda) => {
        cuda.memcpyDtoHAsync(into, from, stream);
        cuda.eventRecord(event, stream);
      });
    } catch (thrown) {
      events.push(event);
      throw thrown;
    }
    return { device, event, into, objectId: id };
  }

  /** Resolves when the bytes are there; `pause` is how to wait. Rejects when the driver says that they never will be. */
  async finished({ device, event, objectId }: Copy, pause: () => Promise<void>): Promise<void> {
    for (;;) {
      this.session.use(device);
      const status = this.session.call({ args: 'end of a copy', objectId }, (cuda) => cuda.eventQuery(event));
      if (status === 'ready') break;
      await pause();
    }
    this.lanes.get(device)?.events.push(event);
  }

  /** Gives streams and events back. */
  end(): void {
    for (const [device, { stream, events }] of this.lanes) {
      this.session.use(device);
      for (const event of events) {
        this.session.call({ args: 'end of a copy' }, (cuda) => cuda.eventDestroy(event));
      }
      this.session.call({ args: 'stream for copies' }, (cuda) => cuda.streamDestroy(stream));
    }
    this.lanes.clear();
  }

  private newEvent(): EventHandle {
    const about = { args: 'end of a copy, DISABLE_TIMING' };
    return this.session.call(about, (cuda) => cuda.eventCreate(EventFlag.DISABLE_TIMING));
  }

  private lane(device: number): Lane {
    this.session.use(device);
    let lane = this.lanes.get(device);
    if (lane === undefined) {
      const stream = this.session.call({ args: 'stream for copies, NON_BLOCKING' }, (cuda) =>
        cuda.streamCreate(StreamFlag.NON_BLOCKING),
      );
      lane = { stream, events: [] };
      this.lanes.set(device, lane);
      for (let event = 0; event < EVENTS; event++) lane.events.push(this.newEvent());
    }
    return lane;
  }
}
