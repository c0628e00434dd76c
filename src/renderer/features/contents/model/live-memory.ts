/**
 * Reads a memory as long as somebody looks: what is in sight and a margin, at a chosen rate; knows how fresh it is, what
 * changed, and why a read failed. MemorySession adds the person: cursor, types, edits, bookmarks.
 */

import type { DtypeId } from '#contract/dtypes';
import type { ByteRange } from '#contract/ranges';
import type { IpcError, Result } from '#contract/result';
import { type DataDescription, MAX_TRANSFER_BYTES } from '#contract/values';
import { ChangeClock } from '../../../lib/bytes-changes';
import { isFinal, MemoryFollower } from '../../../lib/bytes-follow';
import { MemoryMirror, PAGE } from './memory-mirror';
import { calmed, Signal } from './signal';

/** An allocation of this process, or a mapping that it has open. */
export interface MemorySource {
  /** For memory.read and buffers.write. */
  readonly id: string;
  readonly bytes: number;
  readonly address: string;
  /** As people call it, when they do. */
  readonly label?: string;
  readonly dtype: DtypeId | undefined;
  /** More than the type, where somebody said more: what views begin with. */
  readonly data?: DataDescription | undefined;
  /** It is other people's memory: the name of who made it, as far as known. Undefined for an own allocation. */
  readonly importedFrom: string | undefined;
}

export interface SessionCalls {
  readonly read: (id: string, range: ByteRange) => Promise<Result<{ bytes: Uint8Array; takenAt: number }>>;
  readonly write: (id: string, offset: number, bytes: Uint8Array<ArrayBuffer>) => Promise<Result<unknown>>;
  /** Called with the number of bytes of each read that arrived. */
  readonly onArrived?: (bytes: number) => void;
}

/** Rows read beyond what is in sight, as a part of what is: scrolling finds them there already. */
const MARGIN = 0.5;
/** How many periods without a read make what is shown stale. */
const MISSED_READS = 3;
/** On top of the missed periods: a read takes its time, too. */
const STALE_GRACE_MS = 150;
/** A placeholder is shown where nothing was read for this long; before, the place is empty. */
const PLACEHOLDER_MS = 80;
/** Fades are redrawn at most this often. */
const MIN_FADE_MS = 40;
/** Nobody reads a number that changes more often. */
const VALUES_MS = 100;

export class LiveMemory {
  /** Bytes, cues or staleness changed: draw again. */
  readonly onData = new Signal();
  /** The same, for values that are read one by one. */
  readonly onValues = calmed(this.onData, VALUES_MS);
  /** Rate, pause, freshness, failure, number of changes, type, byte order. */
  readonly onStatus = new Signal();
  /** Something else is in sight. */
  readonly onSight = new Signal();
  /** One read was asked for: views that read for themselves do so, too. */
  readonly onStep = new Signal();

  readonly clock = new ChangeClock(() => performance.now());
  readonly mirror: MemoryMirror;

  /** When the newest bytes were copied, milliseconds since 1970. */
  takenAt: number | undefined;
  /** Why the last read failed; undefined when it worked. */
  error: IpcError | undefined;
  /** What is shown has missed its reads. Renewed with each read and four times a second. */
  stale = false;
  /** Age of the newest bytes in milliseconds, as of the last look. */
  age = 0;
  /** Unread bytes in sight have been waited for long enough to say so. */
  placeholders = false;
  /** When a byte last changed, milliseconds since 1970; undefined when none has. */
  lastChangeAt: number | undefined;

  private readonly follower: MemoryFollower;
  private visible: ByteRange | undefined;
  private window: ByteRange | undefined;
  private hz = 10;
  private isPaused = false;
  private awake = false;
  private hasEnded = false;
  private lastReadAt = Number.NEGATIVE_INFINITY;
  private awakeAt = 0;
  private lastChangeRead = 0;
  private waiting: ReturnType<typeof setTimeout> | undefined;
  private fading: ReturnType<typeof setTimeout> | undefined;
  private watch: ReturnType<typeof setInterval> | undefined;
  /** Counted once for each drawing. */
  private counted: number | undefined;

  constructor(
    readonly source: MemorySource,
    protected readonly calls: SessionCalls,
  ) {
    this.mirror = new MemoryMirror(source.bytes, this.clock);
    this.follower = new MemoryFollower({
      read: (range) => calls.read(source.id, range),
      onRead: ({ range, bytes, takenAt }) => this.arrived(range, bytes, takenAt),
      onError: (error, range) => this.failed(error, range),
    });
  }

  get size(): number {
    return this.source.bytes;
  }
  get paused(): boolean {
    return this.isPaused;
  }
  /** The memory is gone for this process: what is shown is the last of it. */
  get ended(): boolean {
    return this.hasEnded;
  }
  /** Whether anything has ever been read. */
  get hasBytes(): boolean {
    return this.takenAt !== undefined;
  }

  // ---------------------------------------------------------------- life

  /** Begins to follow what is in sight. */
  wake(): void {
    if (this.awake || this.hasEnded) return;
    this.awake = true;
    this.awakeAt = performance.now();
    this.watch = setInterval(() => this.look(), 250);
    this.updateReading();
    if (!this.isPaused) this.follower.start();
  }

  /** Nobody looks: reads nothing, keeps everything. */
  sleep(): void {
    if (!this.awake) return;
    this.awake = false;
    this.visible = undefined;
    this.window = undefined;
    this.follower.pause();
    this.follower.setRange(undefined);
    clearInterval(this.watch);
    clearTimeout(this.fading);
    this.waitFor(false);
  }

  /** The memory was freed or closed. The bytes stay, as old ones. */
  end(): void {
    if (this.hasEnded) return;
    this.sleep();
    this.hasEnded = true;
    this.stale = true;
    this.placeholders = true;
    this.follower.stop();
    this.onData.emit();
    this.onStatus.emit();
  }

  // ---------------------------------------------------------------- following

  /** What a view shows now. */
  setVisible(range: ByteRange): void {
    const before = this.visible;
    if (before && before.offset === range.offset && before.length === range.length) return;
    this.visible = range;
    const window = windowAround(range, this.size);
    this.mirror.want(window, this.window, performance.now());
    this.window = window;
    this.counted = undefined;
    this.updateReading();
    this.onSight.emit();
  }

  setHz(hz: number): void {
    if (hz === this.hz) return;
    this.hz = hz;
    this.follower.setHz(hz);
    this.onStatus.emit();
  }

  setSlowed(slowed: boolean): void {
    this.follower.setSlowed(slowed);
  }

  setReducedMotion(reduced: boolean): void {
    this.clock.reducedMotion = reduced;
    this.changed();
  }

  /** Stops reading what is shown; cues freeze. What comes into sight and was never read is still read once. */
  pause(): void {
    if (this.isPaused || this.hasEnded) return;
    this.isPaused = true;
    this.clock.freeze();
    this.follower.pause();
    this.stale = false;
    this.onStatus.emit();
    this.onData.emit();
  }

  follow(): void {
    if (!this.isPaused || this.hasEnded) return;
    this.isPaused = false;
    this.clock.thaw();
    this.updateReading();
    if (this.awake) this.follower.start();
    this.onStatus.emit();
    this.onData.emit();
  }

  /** Reads what is shown once. Paused, only what changed since the last read carries a cue then. */
  step(): void {
    if (this.hasEnded) return;
    this.onStep.emit();
    if (this.window === undefined) return;
    if (this.isPaused) this.clock.expire();
    this.follower.setRange(this.window);
    this.follower.step();
  }

  /** Whether the byte's page has missed its reads. */
  isStale(offset: number): boolean {
    if (this.hasEnded || (this.error !== undefined && isFinal(this.error))) return true;
    if (this.isPaused) return false;
    const page = this.mirror.page(offset);
    if (page === undefined) return false;
    return performance.now() - Math.max(page.readAt, page.wantedAt, this.awakeAt) > this.staleAfter();
  }

  /** Whether what is shown has missed its reads, as of now; `stale` is the same as of the last look. */
  private isStaleNow(): boolean {
    if (this.hasEnded || (this.error !== undefined && isFinal(this.error))) return true;
    if (this.isPaused || !this.hasBytes) return false;
    return performance.now() - Math.max(this.lastReadAt, this.awakeAt) > this.staleAfter();
  }

  // ---------------------------------------------------------------- changes

  /** Bytes around what is shown that carry a cue now. */
  get changedCount(): number {
    if (this.window === undefined) return 0;
    this.counted ??= this.mirror.countChanged(this.window);
    return this.counted;
  }

  /** Whether there is a change to go to. */
  get hasChanges(): boolean {
    return this.lastChangeRead > 0;
  }

  /** The next or previous run of changed bytes from an offset on, round the ends. */
  protected changeAfter(from: number, direction: 1 | -1): ByteRange | undefined {
    if (this.window === undefined) return undefined;
    let runs = this.mirror.changedRuns(this.window, this.clock.firstActive());
    // Nothing carries a cue any more: then what the last read that saw a change has changed.
    if (runs.length === 0) runs = this.mirror.changedRuns(this.window, this.lastChangeRead);
    return direction > 0
      ? (runs.find(({ offset }) => offset > from) ?? runs[0])
      : (runs.findLast(({ offset }) => offset < from) ?? runs.at(-1));
  }

  /** What a view shows now. */
  get inSight(): ByteRange | undefined {
    return this.visible;
  }
  /** The runs of bytes around what is shown that carry a cue now, in order. */
  get changedRuns(): readonly ByteRange[] {
    return this.window === undefined ? [] : this.mirror.changedRuns(this.window, this.clock.firstActive());
  }

  /** A range as it is here, or read now where it is not. */
  async bytesOf(range: ByteRange): Promise<Result<Uint8Array>> {
    const known = this.mirror.bytes(range);
    if (known) return { ok: true, value: known };
    if (range.length > MAX_TRANSFER_BYTES) {
      return { ok: false, error: { code: 'out-of-range', message: 'At most 64 MiB can be read at once.' } };
    }
    const result = await this.calls.read(this.source.id, range);
    return result.ok ? { ok: true, value: result.value.bytes } : result;
  }

  // ---------------------------------------------------------------- inside

  private staleAfter(): number {
    return MISSED_READS * this.follower.period + STALE_GRACE_MS;
  }

  private updateReading(): void {
    if (!this.awake || this.visible === undefined || this.window === undefined) return;
    const unread = this.mirror.unreadPart(this.visible);
    this.waitFor(unread !== undefined);
    if (this.isPaused) {
      // Only what nobody has seen yet: the rest stays as it was when time stood still.
      if (unread) this.follower.setRange(unread, true);
      return;
    }
    const old = this.mirror.oldestRead(this.visible) < performance.now() - this.follower.period;
    this.follower.setRange(this.window, unread !== undefined || old);
  }

  /** Starts or ends waiting for bytes that nobody has seen yet. */
  private waitFor(unread: boolean): void {
    if (!unread) {
      clearTimeout(this.waiting);
      this.waiting = undefined;
      this.placeholders = false;
      return;
    }
    if (this.placeholders) return;
    this.waiting ??= setTimeout(() => {
      this.placeholders = true;
      this.onData.emit();
    }, PLACEHOLDER_MS);
  }

  private arrived(range: ByteRange, bytes: Uint8Array, takenAt: number): void {
    const now = performance.now();
    const changed = this.mirror.apply(range.offset, bytes, now);
    if (this.visible) this.waitFor(this.mirror.unreadPart(this.visible) !== undefined);
    this.lastReadAt = now;
    if (this.takenAt === undefined || this.isPaused) this.age = Math.max(0, Date.now() - takenAt);
    this.takenAt = takenAt;
    this.error = undefined;
    if (changed > 0) {
      this.lastChangeRead = this.clock.lastRead;
      this.lastChangeAt = takenAt;
    }
    this.calls.onArrived?.(bytes.byteLength);
    this.changed();
  }

  private failed(error: IpcError, range: ByteRange): void {
    this.mirror.fail(range);
    this.error = error;
    this.changed();
  }

  /** Draws again now, and once more when the next cue fades. */
  protected changed(): void {
    this.counted = undefined;
    this.stale = this.isStaleNow();
    this.onData.emit();
    this.onStatus.emit();
    clearTimeout(this.fading);
    const next = this.awake ? this.clock.nextChange() : undefined;
    if (next !== undefined) this.fading = setTimeout(() => this.changed(), Math.max(MIN_FADE_MS, next));
  }

  /** Four times a second: the age of what is shown, and whether it has become stale. */
  private look(): void {
    const stale = this.isStaleNow();
    if (stale !== this.stale) this.onData.emit();
    this.stale = stale;
    this.age = this.takenAt === undefined ? 0 : Math.max(0, Date.now() - this.takenAt);
    this.onStatus.emit();
  }
}

/** The whole pages to read for a view: what is in sight and a margin. */
export function windowAround(visible: ByteRange, size: number): ByteRange {
  const margin = Math.ceil(visible.length * MARGIN);
  const offset = Math.max(0, Math.floor((visible.offset - margin) / PAGE) * PAGE);
  const end = Math.min(size, Math.ceil((visible.offset + visible.length + margin) / PAGE) * PAGE);
  return { offset, length: Math.max(0, end - offset) };
}
