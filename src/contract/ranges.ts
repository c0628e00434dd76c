/** Byte ranges: half-open, `offset` and `length` in bytes, safe integers. */

export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

const rangeEnd = (range: ByteRange): number => range.offset + range.length;

/** Whether `inner` lies completely inside an object of `size` bytes. False for fractions, negatives and unsafe sums. */
export function fitsIn(inner: ByteRange, size: number): boolean {
  return (
    Number.isSafeInteger(inner.offset) &&
    Number.isSafeInteger(inner.length) &&
    inner.offset >= 0 &&
    inner.length >= 0 &&
    inner.offset <= size &&
    inner.length <= size - inner.offset
  );
}

/** The part of a range that lies inside an object of `size` bytes; length 0 when none does. */
export function clampRange(range: ByteRange, size: number): ByteRange {
  const offset = Math.min(Math.max(range.offset, 0), size);
  const end = Math.min(Math.max(rangeEnd(range), offset), size);
  return { offset, length: end - offset };
}

/** What two ranges have in common, undefined when nothing. */
export function intersectRanges(a: ByteRange, b: ByteRange): ByteRange | undefined {
  const offset = Math.max(a.offset, b.offset);
  const end = Math.min(rangeEnd(a), rangeEnd(b));
  return end > offset ? { offset, length: end - offset } : undefined;
}

/** The same bytes in as few ranges as possible, in order. Ranges at most `gap` bytes apart become one; empty ones go. */
export function coalesceRanges(ranges: readonly ByteRange[], gap = 0): ByteRange[] {
  const sorted = ranges.filter((range) => range.length > 0).sort((a, b) => a.offset - b.offset);
  const merged: { offset: number; length: number }[] = [];
  for (const range of sorted) {
    const last = merged.at(-1);
    if (last && range.offset <= rangeEnd(last) + gap)
      last.length = Math.max(rangeEnd(last), rangeEnd(range)) - last.offset;
    else merged.push({ offset: range.offset, length: range.length });
  }
  return merged;
}

/** The parts of `range` that none of `taken` covers, in order. */
export function subtractRanges(range: ByteRange, taken: readonly ByteRange[]): ByteRange[] {
  const left: ByteRange[] = [];
  let at = range.offset;
  for (const other of coalesceRanges(taken)) {
    const hit = intersectRanges(other, { offset: at, length: rangeEnd(range) - at });
    if (!hit) continue;
    if (hit.offset > at) left.push({ offset: at, length: hit.offset - at });
    at = rangeEnd(hit);
  }
  if (at < rangeEnd(range)) left.push({ offset: at, length: rangeEnd(range) - at });
  return left;
}
