/** What a pass over a buffer found, and the statistics that it makes: the same for the GPU and for the CPU. */
import { type Bins, histogramOf, histogramOfCounts } from './bins';
import { type Elements, elementCount, Order, valueOfKey } from './elements';
import type { Sample } from './statistics-sample';
import type { BufferStatistics, ElementValue } from './types';

const MASK_64 = (1n << 64n) - 1n;

/** What all parts of a pass found. */
export interface Found {
  nonzero: bigint;
  normal: bigint;
  negative: bigint;
  nans: bigint;
  positiveInfinities: bigint;
  negativeInfinities: bigint;
  least: bigint;
  greatest: bigint;
  sum: bigint;
  floatSum: Sum;
  squares: bigint;
  floatSquares: Sum;
  checksum: bigint;
  counts: number[];
}

/** Neumaier's sum of doubles. */
export class Sum {
  private total = 0;
  private rest = 0;
  add(value: number): void {
    const next = this.total + value;
    this.rest += Math.abs(this.total) >= Math.abs(value) ? this.total - next + value : value - next + this.total;
    this.total = next;
  }
  get value(): number {
    // Infinite sums have no rest.
    return Number.isFinite(this.rest) ? this.total + this.rest : this.total;
  }
}

/** @param bins counters of the histogram */
export const nothingFound = (bins: number): Found => ({
  nonzero: 0n,
  normal: 0n,
  negative: 0n,
  nans: 0n,
  positiveInfinities: 0n,
  negativeInfinities: 0n,
  least: MASK_64,
  greatest: 0n,
  sum: 0n,
  floatSum: new Sum(),
  squares: 0n,
  floatSquares: new Sum(),
  checksum: 0n,
  counts: Array.from({ length: bins }, () => 0),
});

/** Of types of 16 bits and more. */
export function largeStatistics(
  elements: Elements,
  bytes: number,
  found: Found,
  plan: {
    readonly bins: Bins;
    readonly wanted: number;
    readonly sample: Sample | undefined;
    readonly pivot: { readonly value: ElementValue };
  },
): BufferStatistics {
  const count = elementCount(elements, bytes);
  const { sample, pivot } = plan;
  const positiveInfinities = Number(found.positiveInfinities);
  const negativeInfinities = Number(found.negativeInfinities);
  const nans = Number(found.nans);
  const finite = count - nans - positiveInfinities - negativeInfinities;
  // Kernels look outside of the range of the sample only.
  let { least, greatest } = found;
  if (sample && sample.lowKey < least) least = sample.lowKey;
  if (sample && sample.highKey > greatest) greatest = sample.highKey;
  const smallest = finite > 0 ? valueOfKey(elements, least) : undefined;
  const largest = finite > 0 ? valueOfKey(elements, greatest) : undefined;
  const min = negativeInfinities > 0 ? Number.NEGATIVE_INFINITY : (smallest ?? infinityOf(positiveInfinities, 1));
  const max = positiveInfinities > 0 ? Number.POSITIVE_INFINITY : (largest ?? infinityOf(negativeInfinities, -1));
  const moments = momentsOf(elements, found, finite, pivot.value, least === greatest ? smallest : undefined);
  return {
    count,
    min,
    max,
    ...moments,
    zeros: count - Number(found.nonzero),
    nans,
    positiveInfinities,
    negativeInfinities,
    negatives: Number(found.negative),
    denormals: elements.order === Order.FLOAT ? Number(found.nonzero - found.normal) : 0,
    checksum: checksumText(found.checksum, bytes),
    histogram:
      plan.wanted === 0 || finite === 0
        ? { edges: [], counts: [] }
        : histogramOf(elements, plan.bins, found.counts, least, greatest),
  };
}

const infinityOf = (count: number, sign: 1 | -1): number | undefined =>
  count > 0 ? sign * Number.POSITIVE_INFINITY : undefined;

type Moments = Pick<BufferStatistics, 'sum' | 'mean' | 'std'>;

/** @param only the one value that all finite elements have, if they have */
function momentsOf(
  elements: Elements,
  found: Found,
  finite: number,
  pivot: ElementValue,
  only: ElementValue | undefined,
): Moments {
  if (elements.order === Order.FLOAT) {
    const distance = found.floatSum.value;
    const sum = distance + finite * Number(pivot);
    if (finite === 0) return { sum: 0, mean: undefined, std: undefined };
    if (only !== undefined) return { sum: Number(only) * finite, mean: Number(only), std: 0 };
    const variance = found.floatSquares.value / finite - (distance / finite) ** 2;
    return {
      sum,
      mean: finiteOr(Number(pivot) + distance / finite),
      // Rounding may leave less than nothing of a deviation of nearly nothing.
      std: Number.isNaN(variance) ? undefined : finiteOr(Math.sqrt(Math.max(0, variance))),
    };
  }
  const sum = found.sum;
  if (finite === 0) return { sum, mean: undefined, std: undefined };
  const n = BigInt(finite);
  const mean = quotient(sum, n);
  if (elements.bits === 16) {
    return { sum, mean, std: Math.sqrt(Math.max(0, quotient(n * found.squares - sum * sum, n * n))) };
  }
  const distance = quotient(sum - n * BigInt(pivot), n);
  return { sum, mean, std: Math.sqrt(Math.max(0, found.floatSquares.value / finite - distance ** 2)) };
}

const finiteOr = (value: number): number | undefined => (Number.isFinite(value) ? value : undefined);

/** a / b as a double, also where they are larger than doubles are exact. */
function quotient(a: bigint, b: bigint): number {
  const whole = a / b;
  const rest = a - whole * b;
  // 64 bits of the fraction are more than a double has.
  return Number(whole) + Number((rest << 64n) / b) / 2 ** 64;
}

/** Everything of a type of at most eight bits from how often each byte occurs. */
export function smallStatistics(elements: Elements, bytes: number, found: Found, wanted: number): BufferStatistics {
  const counts = new Map<number, number>();
  const of = { zeros: 0, nans: 0, positiveInfinities: 0, negativeInfinities: 0, negatives: 0, denormals: 0 };
  let count = 0;
  const smallestNormal = elements.dtype === 'f8e4m3' ? 2 ** -6 : elements.dtype === 'f8e5m2' ? 2 ** -14 : 0;
  const add = (bits: number, times: number): void => {
    const value = Number(elements.decode(BigInt(bits)));
    count += times;
    if (Number.isNaN(value)) of.nans += times;
    else if (value === Number.POSITIVE_INFINITY) of.positiveInfinities += times;
    else if (value === Number.NEGATIVE_INFINITY) of.negativeInfinities += times;
    else counts.set(value, (counts.get(value) ?? 0) + times);
    if (value === 0) of.zeros += times;
    if (value < 0) of.negatives += times;
    if (value !== 0 && Math.abs(value) < smallestNormal) of.denormals += times;
  };
  found.counts.forEach((times, byte) => {
    if (times === 0) return;
    if (elements.bits === 4) {
      add(byte & 15, times);
      add(byte >> 4, times);
    } else {
      add(byte, times);
    }
  });
  // -0 and 0 are one value, and so one entry.
  const values = [...counts].map(([value, times]) => ({ value: value === 0 ? 0 : value, count: times }));
  values.sort((a, b) => a.value - b.value);
  const finite = count - of.nans - of.positiveInfinities - of.negativeInfinities;
  const sum = new Sum();
  for (const { value, count: times } of values) sum.add(value * times);
  const mean = finite > 0 ? sum.value / finite : undefined;
  const squares = new Sum();
  for (const { value, count: times } of values) squares.add((value - (mean ?? 0)) ** 2 * times);
  return {
    count,
    min:
      of.negativeInfinities > 0 ? Number.NEGATIVE_INFINITY : (values[0]?.value ?? infinityOf(of.positiveInfinities, 1)),
    max:
      of.positiveInfinities > 0
        ? Number.POSITIVE_INFINITY
        : (values.at(-1)?.value ?? infinityOf(of.negativeInfinities, -1)),
    sum: elements.order === Order.FLOAT ? sum.value : BigInt(sum.value),
    mean,
    std: finite > 0 ? Math.sqrt(squares.value / finite) : undefined,
    ...of,
    checksum: checksumText(found.checksum, bytes),
    histogram: histogramOfCounts(elements, values, wanted),
  };
}

/** The sum of the pieces and the number of bytes, mixed (the last steps of SplitMix64). */
function checksumText(pieces: bigint, bytes: number): string {
  let value = (pieces + BigInt(bytes) * 0x9e3779b97f4a7c15n) & MASK_64;
  value = ((value ^ (value >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK_64;
  value = ((value ^ (value >> 27n)) * 0x94d049bb133111ebn) & MASK_64;
  value ^= value >> 31n;
  return value.toString(16).padStart(16, '0');
}
