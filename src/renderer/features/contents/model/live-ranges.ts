/**
 * Bytes in many places of one memory, read again and again: cells of a tensor that lie far apart, rows of a picture.
 * What a view needs changes with scrolling; what was read last stays until what is new has come. Knows nothing of React.
 */
import { type ByteRange, coalesceRanges } from '#contract/ranges';
import type { IpcError, Result } from '#contract/result';
import { isFinal } from '../../../lib/bytes-follow';
import { Signal } from './signal';

export interface LiveRangesOptions {
  /** One read. Must not reject. */
  readonly read: (range: ByteRange) => Promise<Result<{ bytes: Uint8Array; takenAt: number }>>;
}

interface Piece {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Bytes of one read at most: a picture comes in parts, and other calls find their way between them. */
const PART = 4 * 1024 * 1024;
/** Reads under way at once: places far apart would otherwise wait for each other's way there and back. */
const AT_ONCE = 8;
/** No more than this is read in a second, however high the rate. */
const MOST_PER_SECOND = 128 * 1024 * 1024;
/** Nor more reads: each is a call of the driver, which others wait for and the log shows. */
const MOST_READS_PER_SECOND = 400;
const RETRY_MS = 1000;
/** So many bytes are kept while nobody looks; more would add up over the memories that were looked at. */
const KEPT = 4 * 1024 * 1024;

export class LiveRanges {
  /** Other bytes are known, or a read failed. */
  readonly onData = new Signal();
  /** Counts what `onData` told of. */
  version = 0;
  /** Why the last round failed; undefined when it worked. */
  error: IpcError | undefined;
  /** When the newest bytes were copied, milliseconds since 1970. */
  takenAt: number | undefined;

  private wanted: readonly ByteRange[] = [];
  private pieces: readonly Piece[] = [];
  private hz = 10;
  private following = false;
  private slowed = false;
  /** Somebody looks at it. */
  private open = false;
  /** Number of the round that is under way or was the last: one that is overtaken brings nothing any more. */
  private round = 0;
  private busy = false;
  private again = false;
  private startedAt = Number.NEGATIVE_INFINITY;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: LiveRangesOptions) {}

  /** What to read from now on. What is known already is not read anew before its turn. */
  want(ranges: readonly ByteRange[]): void {
    const next = coalesceRanges(ranges);
    if (sameRanges(next, this.wanted)) return;
    this.wanted = next;
    if (this.isKnown(next)) this.schedule();
    else this.readSoon();
  }

  private isKnown(ranges: readonly ByteRange[]): boolean {
    return ranges.every(({ offset, length }) => this.find(offset, length) !== undefined);
  }

  start(): void {
    this.open = true;
    if (this.isKnown(this.wanted)) this.schedule();
    else this.readSoon();
  }

  stop(): void {
    this.open = false;
    this.round++;
    this.busy = false;
    this.again = false;
    clearTimeout(this.timer);
    const bytes = this.pieces.reduce((sum, piece) => sum + piece.bytes.length, 0);
    if (bytes > KEPT) this.pieces = [];
  }

  /** Whether to read again and again, how often, and whether nobody sees it now. */
  setFollowing(following: boolean, hz: number, slowed: boolean): void {
    this.following = following;
    this.hz = hz;
    this.slowed = slowed;
    this.schedule();
  }

  /** One round now, also while it does not follow. */
  step(): void {
    this.readSoon();
  }

  /** `length` bytes at an offset, as they were read last: where they stand in which bytes. Undefined when they are not known. */
  find(offset: number, length: number): { readonly bytes: Uint8Array; readonly at: number } | undefined {
    const { pieces } = this;
    let [low, high] = [0, pieces.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const piece = pieces[middle] as Piece;
      if (offset < piece.offset) high = middle - 1;
      else if (offset >= piece.offset + piece.bytes.length) low = middle + 1;
      else
        return offset + length <= piece.offset + piece.bytes.length
          ? { bytes: piece.bytes, at: offset - piece.offset }
          : undefined;
    }
    return undefined;
  }

  private readSoon(): void {
    if (!this.open) return;
    // What is under way is about something else, perhaps: the next round begins when it is back.
    if (this.busy) this.again = true;
    else void this.read();
  }

  private schedule(): void {
    clearTimeout(this.timer);
    if (!this.open || !this.following || this.busy || this.wanted.length === 0) return;
    if (this.error !== undefined && isFinal(this.error)) return;
    const bytes = this.wanted.reduce((sum, { length }) => sum + length, 0);
    const least = Math.max(bytes / MOST_PER_SECOND, this.wanted.length / MOST_READS_PER_SECOND) * 1000;
    const period = Math.max(1000 / this.hz, least, this.slowed ? 2000 : 0);
    const wait = this.error === undefined ? period : Math.max(RETRY_MS, period);
    this.timer = setTimeout(() => void this.read(), Math.max(0, this.startedAt + wait - performance.now()));
  }

  private async read(): Promise<void> {
    clearTimeout(this.timer);
    this.startedAt = performance.now();
    this.busy = true;
    this.again = false;
    const round = ++this.round;
    const { wanted } = this;
    const parts = wanted.flatMap(partsOf);
    const bytes = new Map<ByteRange, Uint8Array>();
    let error: IpcError | undefined;
    let next = 0;
    const work = async () => {
      for (let part = parts[next++]; part !== undefined; part = parts[next++]) {
        const result = await this.options.read(part);
        if (round !== this.round) return;
        if (result.ok) {
          bytes.set(part, result.value.bytes);
          this.takenAt = result.value.takenAt;
        } else {
          error = result.error;
          // The others of this round would fail alike.
          next = parts.length;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, parts.length) }, work));
    if (round !== this.round) return;
    this.busy = false;
    this.error = error;
    if (error === undefined) this.pieces = wanted.map((range) => joined(range, bytes));
    this.version++;
    this.onData.emit();
    if (this.again) void this.read();
    else this.schedule();
  }
}

function partsOf({ offset, length }: ByteRange): ByteRange[] {
  const parts: ByteRange[] = [];
  for (let at = 0; at < length; at += PART) parts.push({ offset: offset + at, length: Math.min(PART, length - at) });
  return parts;
}

function joined(range: ByteRange, read: ReadonlyMap<ByteRange, Uint8Array>): Piece {
  const parts = [...read].filter(([{ offset }]) => offset >= range.offset && offset < range.offset + range.length);
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return { offset: range.offset, bytes: first[1] };
  const bytes = new Uint8Array(range.length);
  for (const [{ offset }, part] of parts) bytes.set(part, offset - range.offset);
  return { offset: range.offset, bytes };
}

const sameRanges = (a: readonly ByteRange[], b: readonly ByteRange[]): boolean =>
  a.length === b.length && a.every(({ offset, length }, i) => offset === b[i]?.offset && length === b[i]?.length);
