/**
 * Follows a range of memory: reads it again and again at a chosen rate, never with more than one read in flight, and
 * when more is asked for meanwhile only the newest wish waits. Knows nothing of windows or React.
 */
import type { ByteRange } from '#contract/ranges';
import type { ErrorCode, IpcError, Result } from '#contract/result';

export interface MemoryRead {
  readonly range: ByteRange;
  readonly bytes: Uint8Array;
  /** When the bytes were copied, milliseconds since 1970. */
  readonly takenAt: number;
}

export interface FollowOptions {
  /** One read. Must not reject. */
  readonly read: (range: ByteRange) => Promise<Result<{ bytes: Uint8Array; takenAt: number }>>;
  readonly onRead: (read: MemoryRead) => void;
  readonly onError: (error: IpcError, range: ByteRange) => void;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
}

/** The rates that are offered, in reads per second. */
export const FOLLOW_RATES = [0.5, 1, 2, 5, 10, 30, 60] as const;

/** These do not heal by asking again: the object or its process is gone. */
const FINAL: ReadonlySet<ErrorCode> = new Set(['closed', 'not-found', 'host-lost', 'not-allowed', 'no-driver']);
export const isFinal = (error: IpcError): boolean => FINAL.has(error.code);

/** After a failure that may heal, this long until the next attempt. */
const RETRY_MS = 1000;

export class MemoryFollower {
  private range: ByteRange | undefined;
  private hz = 10;
  private running = false;
  private slowed = false;
  private ended = false;
  private inFlight = false;
  /** A read is wanted as soon as the one in flight is back. */
  private wanted = false;
  private lastStart = Number.NEGATIVE_INFINITY;
  private failures = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly now: () => number;

  constructor(private readonly options: FollowOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  get paused(): boolean {
    return !this.running;
  }

  /** Milliseconds between reads at the present rate. */
  get period(): number {
    return this.slowed ? Math.max(1000 / this.hz, 2000) : 1000 / this.hz;
  }

  /** What to read from now on. With `soon` the first read does not wait for its turn (bytes came into sight). */
  setRange(range: ByteRange | undefined, soon = false): void {
    this.range = range;
    if (range === undefined) this.wanted = false;
    else if (soon) this.ask();
    this.schedule();
  }

  setHz(hz: number): void {
    this.hz = hz;
    this.schedule();
  }

  /** Reads at least every two seconds only, for a window that nobody sees. */
  setSlowed(slowed: boolean): void {
    this.slowed = slowed;
    this.schedule();
  }

  start(): void {
    this.running = true;
    this.schedule();
  }

  pause(): void {
    this.running = false;
    this.schedule();
  }

  /** One read now, also while paused, also after a failure that ended following. */
  step(): void {
    this.ended = false;
    this.failures = 0;
    this.ask();
    this.schedule();
  }

  /** Ends it: a read in flight is not reported any more. */
  stop(): void {
    this.running = false;
    this.ended = true;
    this.range = undefined;
    this.wanted = false;
    clearTimeout(this.timer);
  }

  private ask(): void {
    if (this.ended) return;
    if (this.inFlight) this.wanted = true;
    else void this.readNow();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (!this.running || this.ended || this.inFlight || this.range === undefined) return;
    const wait = this.failures > 0 ? Math.max(RETRY_MS, this.period) : this.period;
    const due = this.lastStart + wait - this.now();
    this.timer = setTimeout(() => void this.readNow(), Math.max(0, due));
  }

  private async readNow(): Promise<void> {
    const range = this.range;
    if (range === undefined || this.inFlight || this.ended) return;
    clearTimeout(this.timer);
    this.inFlight = true;
    this.wanted = false;
    const now = this.now();
    // Keep the beat: timers fire up to a millisecond early or some late, and that must not add up.
    const beat = this.lastStart + this.period;
    this.lastStart = now > beat - 1 && now < beat + this.period ? beat : now;
    const result = await this.options.read(range);
    this.inFlight = false;
    // The range was taken away meanwhile: whatever came back is about something else now.
    if (this.range === undefined) return;
    if (result.ok) {
      this.failures = 0;
      this.options.onRead({ range, bytes: result.value.bytes, takenAt: result.value.takenAt });
    } else {
      this.failures++;
      this.wanted = false;
      if (isFinal(result.error)) this.ended = true;
      this.options.onError(result.error, range);
    }
    if (this.wanted && !this.ended) void this.readNow();
    else this.schedule();
  }
}
