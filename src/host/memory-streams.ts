/**
 * Streams in which memory of pools is allocated and freed, one for each device. They do nothing else, so they never wait
 * behind other work, and being idle means that the memory is there, or is gone.
 */
import { type Stream, StreamFlag } from '#native/cuda/index';
import { ending } from './problems';
import type { Session } from './session';

const FIRST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 10;

export class MemoryStreams {
  private readonly streams = new Map<number, Stream>();
  private hasEnded = false;

  constructor(private readonly session: Session) {}

  /** The stream of a device, whose context is current afterwards. */
  of(device: number): Stream {
    this.session.use(device);
    let stream = this.streams.get(device);
    if (stream === undefined) {
      stream = this.session.call({ args: 'stream for memory of pools, NON_BLOCKING' }, (cuda) =>
        cuda.streamCreate(StreamFlag.NON_BLOCKING),
      );
      this.streams.set(device, stream);
    }
    return stream;
  }

  /**
   * Resolves when everything in the stream of a device is done, and pools have given back what was freed there. Asks again
   * and again; other calls have their turn.
   * @throws GpuIpcError `host-lost` when the host ended meanwhile
   */
  async idle(device: number): Promise<void> {
    const stream = this.streams.get(device);
    if (stream === undefined) return;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      if (this.hasEnded) throw ending();
      this.session.use(device);
      const status = this.session.call({ args: 'stream for memory of pools' }, (cuda) => cuda.streamQuery(stream));
      if (status === 'ready') break;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    // With nothing left to do it does not wait; without it pools keep what was freed (measured).
    this.session.call({ args: 'stream for memory of pools' }, (cuda) => cuda.streamSynchronize(stream));
  }

  /** Gives the streams back; what they still have to do is done all the same. */
  end(): void {
    this.hasEnded = true;
    for (const [device, stream] of this.streams) {
      this.session.use(device);
      this.session.call({ args: 'stream for memory of pools' }, (cuda) => cuda.streamDestroy(stream));
    }
    this.streams.clear();
  }
}
