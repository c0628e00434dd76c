/** Which bytes a trial compares: everything, or of large memory the beginning, the end, and evenly spread parts. */
import type { TrialPart } from '#contract/trial-protocol';

/** Up to here everything is compared. */
export const COMPARE_ALL = 256 * 1024 * 1024;

const END_BYTES = COMPARE_ALL / 4;
const SPREAD_PARTS = 32;
const SPREAD_BYTES = COMPARE_ALL / 2 / SPREAD_PARTS;

/**
 * @param pieces  where there is memory at all, in the order of offsets
 * @returns parts in the order of offsets, none of which overlap
 */
export function partsToCompare(pieces: readonly TrialPart[]): TrialPart[] {
  const total = bytesIn(pieces);
  if (total <= COMPARE_ALL) return [...pieces];
  const middle = total - 2 * END_BYTES;
  const spread = Array.from({ length: SPREAD_PARTS }, (_, index) => ({
    offset: END_BYTES + Math.floor(((index + 0.5) * middle) / SPREAD_PARTS - SPREAD_BYTES / 2),
    length: SPREAD_BYTES,
  }));
  const wanted = [{ offset: 0, length: END_BYTES }, ...spread, { offset: total - END_BYTES, length: END_BYTES }];
  return wanted.flatMap((part) => placed(pieces, part));
}

export const bytesIn = (parts: readonly TrialPart[]): number => parts.reduce((sum, { length }) => sum + length, 0);

/** Where a part of the bytes lies when what is between the pieces does not count. */
function placed(pieces: readonly TrialPart[], part: TrialPart): TrialPart[] {
  const found: TrialPart[] = [];
  let before = 0;
  for (const { offset, length } of pieces) {
    const from = Math.max(part.offset, before);
    const to = Math.min(part.offset + part.length, before + length);
    if (from < to) found.push({ offset: offset + from - before, length: to - from });
    before += length;
  }
  return found;
}
