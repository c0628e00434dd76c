/**
 * What is known here of a memory of any size: the pages that were read lately, each byte with its state and with the
 * read that last saw it change. Pages that nobody has looked at for long are forgotten.
 */
import type { ByteRange } from '#contract/ranges';
import { ByteChanges, type ChangeClock, UNREAD } from '../../../lib/bytes-changes';

/** Unit of reading and forgetting, in bytes. Reads that keep to it make equal calls, which the call log folds. */
export const PAGE = 4096;
/** Pages that are kept; a page with its marks takes 24 KiB. */
const KEPT_PAGES = 96;

export interface MirrorPage {
  readonly data: ByteChanges;
  /** When its bytes were last read, on the clock of `performance.now()`; -Infinity before the first time. */
  readAt: number;
  /** When it came into the window that is being read. */
  wantedAt: number;
}

export class MemoryMirror {
  /** In the order of last use, oldest first. */
  private readonly pages = new Map<number, MirrorPage>();

  constructor(
    readonly size: number,
    readonly clock: ChangeClock,
  ) {}

  /** The page that holds `offset`, when there is one. */
  page(offset: number): MirrorPage | undefined {
    return this.pages.get(Math.floor(offset / PAGE));
  }

  /** Takes over what a read of `range` brought at `now`. Returns how many bytes are different from before. */
  apply(offset: number, bytes: Uint8Array, now: number): number {
    const read = this.clock.tick();
    let changed = 0;
    this.forEachPart({ offset, length: bytes.length }, (index, within, at, length) => {
      const page = this.touch(index);
      changed += page.data.apply(within, bytes.subarray(at, at + length), read);
      page.readAt = now;
    });
    this.forget();
    return changed;
  }

  /** A read of `range` failed: what was never read there is unreadable. */
  fail(range: ByteRange): void {
    this.forEachPart(range, (index, within, _, length) => this.touch(index).data.fail(within, length));
    this.forget();
  }

  /** Marks the pages of a window as wanted since `now`, unless they were in the window before. */
  want(range: ByteRange, before: ByteRange | undefined, now: number): void {
    this.forEachPart(range, (index) => {
      const start = index * PAGE;
      const known = before !== undefined && start + PAGE > before.offset && start < before.offset + before.length;
      const page = this.pages.get(index);
      if (page && !known) page.wantedAt = now;
    });
  }

  /** One byte as last read; undefined when it never was. */
  byte(offset: number): number | undefined {
    const page = this.page(offset);
    const within = offset % PAGE;
    return page && page.data.known[within] === 1 ? page.data.bytes[within] : undefined;
  }

  /** The bytes of a range; undefined unless each of them has been read. */
  bytes(range: ByteRange): Uint8Array | undefined {
    const out = new Uint8Array(range.length);
    let complete = true;
    this.forEachPart(range, (index, within, at, length) => {
      const page = this.pages.get(index);
      if (!page?.data.known.subarray(within, within + length).every((known) => known === 1)) complete = false;
      else out.set(page.data.bytes.subarray(within, within + length), at);
    });
    return complete ? out : undefined;
  }

  /** As many bytes from `offset` on as have been read without a gap, at most `most`. */
  bytesFrom(offset: number, most: number): Uint8Array {
    const end = Math.min(this.size, offset + most);
    let to = offset;
    while (to < end && this.byte(to) !== undefined) to++;
    return this.bytes({ offset, length: to - offset }) ?? new Uint8Array(0);
  }

  /** The smallest range of whole pages that holds everything in `range` that was not read yet. */
  unreadPart(range: ByteRange): ByteRange | undefined {
    let first: number | undefined;
    let last = 0;
    this.forEachPart(range, (index, within, _, length) => {
      const known = this.pages.get(index)?.data.known.subarray(within, within + length);
      if (known && !known.includes(UNREAD)) return;
      first ??= index;
      last = index;
    });
    if (first === undefined) return undefined;
    const offset = first * PAGE;
    return { offset, length: Math.min(this.size, (last + 1) * PAGE) - offset };
  }

  /** When the least recent page of a range was read; -Infinity when one never was. */
  oldestRead(range: ByteRange): number {
    let oldest = Number.POSITIVE_INFINITY;
    this.forEachPart(range, (index) => {
      oldest = Math.min(oldest, this.pages.get(index)?.readAt ?? Number.NEGATIVE_INFINITY);
    });
    return oldest;
  }

  /** How many bytes of a range carry a cue now. */
  countChanged(range: ByteRange): number {
    const since = this.clock.firstActive();
    let count = 0;
    this.forEachPart(range, (index, within, _, length) => {
      const at = this.pages.get(index)?.data.changedAt;
      if (!at) return;
      for (let i = within; i < within + length; i++) if ((at[i] as number) >= since) count++;
    });
    return count;
  }

  /** The runs of bytes in a range that a read numbered `since` or later saw change, in order. */
  changedRuns(range: ByteRange, since: number): ByteRange[] {
    const runs: { offset: number; length: number }[] = [];
    this.forEachPart(range, (index, within, _, length) => {
      const at = this.pages.get(index)?.data.changedAt;
      if (!at) return;
      for (let i = within; i < within + length; i++) {
        if ((at[i] as number) < since || at[i] === 0) continue;
        const offset = index * PAGE + i;
        const last = runs.at(-1);
        if (last && last.offset + last.length === offset) last.length++;
        else runs.push({ offset, length: 1 });
      }
    });
    return runs;
  }

  /** Calls back for each page of a range with the part of the range that lies in it. */
  private forEachPart(
    range: ByteRange,
    part: (index: number, within: number, at: number, length: number) => void,
  ): void {
    const end = Math.min(range.offset + range.length, this.size);
    for (let offset = range.offset; offset < end; ) {
      const index = Math.floor(offset / PAGE);
      const next = Math.min(end, (index + 1) * PAGE);
      part(index, offset - index * PAGE, offset - range.offset, next - offset);
      offset = next;
    }
  }

  /** The page, made when missing, now the most recently used. */
  private touch(index: number): MirrorPage {
    const page = this.pages.get(index) ?? {
      data: new ByteChanges(Math.min(PAGE, this.size - index * PAGE)),
      readAt: Number.NEGATIVE_INFINITY,
      wantedAt: 0,
    };
    this.pages.delete(index);
    this.pages.set(index, page);
    return page;
  }

  private forget(): void {
    for (const index of this.pages.keys()) {
      if (this.pages.size <= KEPT_PAGES) return;
      this.pages.delete(index);
    }
  }
}
