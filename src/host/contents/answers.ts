/** Answers of the whole-buffer calls in the words of the contract. Pure. */
import type { CallValue } from '#contract/calls';
import type { BufferStatistics, ElementValue, SliceSummary } from '../kernels/types';

type Statistics = Omit<CallValue<'contents.statistics'>, 'bytes' | 'tookMs' | 'takenAt'>;
type Slice = CallValue<'contents.summary'>['slices'][number];

/** A number, or text where a number cannot hold it. */
export function plainValue(value: ElementValue): number | string {
  if (typeof value === 'number') return value;
  const asNumber = Number(value);
  return Number.isSafeInteger(asNumber) ? asNumber : String(value);
}

export function statisticsOf(found: BufferStatistics): Statistics {
  const { count, min, max, mean, std, zeros, nans, negatives, denormals, checksum, histogram } = found;
  return {
    count,
    min: min === undefined ? null : plainValue(min),
    max: max === undefined ? null : plainValue(max),
    mean: mean ?? null,
    std: std ?? null,
    zeros,
    nans,
    infs: found.positiveInfinities + found.negativeInfinities,
    negatives,
    denormals,
    checksum,
    histogram: { edges: histogram.edges.map(plainValue), counts: [...histogram.counts] },
  };
}

/** @param start offset of the range that was summarised, in its memory */
export function sliceOf(
  { offset, bytes, count, min, max, zeros, nans, infinities }: SliceSummary,
  start: number,
): Slice {
  return {
    offset: start + offset,
    bytes,
    min: min === undefined ? null : Number(min),
    max: max === undefined ? null : Number(max),
    zeros,
    nans,
    infs: infinities,
    count,
  };
}
