/**
 * Bins of histograms, computed as the kernels compute them, so that the edges that are answered are the places where a
 * kernel changes bins. The inner bins have one width and lie over the range that a sample of the buffer had; the first
 * and the last bin hold what is below and above.
 */
import { asDouble, asSingle } from './device';
import { type Elements, firstKey, keyRange, Order, valueOfKey } from './elements';
import type { ElementValue } from './types';

/** Bins of a kernel at most, with the two outer ones; WB_MAX_BINS of elements.h. */
const MOST_BINS = 258;

export interface Bins {
  /** With the two outer ones. */
  readonly count: number;
  /**
   * Arguments of a kernel: centre, radius and scale of floats; lowest, span and shift of integers. The radius of 16- and
   * 32-bit floats has above it, in the upper half, the distance from the centre up to which nothing is smaller or larger
   * than all of the sample: kernels look for the smallest and the largest only beyond. Of f64 that is the radius itself.
   */
  readonly arguments: readonly [bigint, bigint, bigint];
  /** Inner bins below the centre; of 16-bit floats the next one begins at the centre, of others it lies around it. */
  readonly innerHalf: number;
  /** Whether the bins up to innerHalf hold the negative elements and nothing else: then the kernel does not count them. */
  readonly signsInBins: boolean;
  readonly binOf: (value: ElementValue) => number;
}

/** The nearest integer, ties to the even one. */
function nearest(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  if (rest !== 0.5) return rest < 0.5 ? down : down + 1;
  return down % 2 === 0 ? down : down + 1;
}

/** What a sample says of the finite elements. */
export interface SampledRange {
  readonly low: ElementValue;
  readonly high: ElementValue;
  /** The places of both in the order of the values. */
  readonly lowKey: bigint;
  readonly highKey: bigint;
  /** Whether the bins are to lie around 0: the kernels of 16-bit floats are faster then. */
  readonly aroundZero?: boolean;
}

/**
 * @param range undefined when the sample has no finite element
 * @param wanted bins that are asked for, 0 to 256
 */
export function planBins(elements: Elements, range: SampledRange | undefined, wanted: number): Bins {
  if (elements.order !== Order.FLOAT) return integerBins(elements, range, wanted);
  return floatBins(elements, range as FloatRange | undefined, wanted);
}

type FloatRange = SampledRange & { readonly low: number; readonly high: number };

/**
 * The largest distance from the centre at which no value lies outside of the sample. The distance is rounded: where the
 * next value outside of an end has the same as the end itself, it is the next smaller distance.
 */
function safeDistance(elements: Elements, range: FloatRange, distanceOf: (value: number) => number): number {
  const limits = [-1n, 1n].map((outwards) => {
    const [key, end] = outwards < 0n ? [range.lowKey, range.low] : [range.highKey, range.high];
    let next = Number(valueOfKey(elements, key + outwards));
    // -0 and 0 are one value with two places.
    if (next === end) next = Number(valueOfKey(elements, key + 2n * outwards));
    const distance = distanceOf(end);
    return distanceOf(next) === distance ? below(distance, elements.bits) : distance;
  });
  return Math.min(...limits);
}

/** The largest number below a positive one, of the precision in which the kernels compute. */
function below(value: number, bits: number): number {
  if (bits === 64) return new Float64Array(BigUint64Array.of(asDouble(value) - 1n).buffer)[0] ?? 0;
  return new Float32Array(Uint32Array.of(Number(asSingle(value)) - 1).buffer)[0] ?? 0;
}

function floatBins(elements: Elements, range: FloatRange | undefined, wanted: number): Bins {
  const { bits } = elements;
  // 16 bits are rounded down, so that an edge lies at the centre; others to the nearest, an odd number of bins around it.
  const isHalf = bits === 16;
  const innerHalf = isHalf
    ? Math.max(1, Math.min(128, Math.floor(wanted / 2)))
    : Math.max(0, Math.min(127, Math.floor((wanted - 1) / 2)));
  const count = 2 * innerHalf + (isHalf ? 2 : 3);
  const round = bits === 64 ? (value: number) => value : Math.fround;
  const asBits = bits === 64 ? asDouble : asSingle;
  const centre = range && !range.aroundZero ? round(range.low / 2 + range.high / 2) : 0;
  // Without a range nothing is inside.
  const reach = range ? [Math.abs(round(range.high - centre)), Math.abs(round(range.low - centre))] : [-1];
  const safe = range ? safeDistance(elements, range, (value) => Math.abs(round(value - centre))) : -1;
  // The kernel of f64 has one distance for both: what lies at the ends may get an outer bin there.
  const radius = bits === 64 ? safe : Math.max(...reach);
  const limit = bits === 64 ? 0n : asSingle(safe) << 32n;
  // A little less, so that rounding never leads out of the inner bins.
  const exact = radius > 0 ? ((isHalf ? innerHalf : innerHalf + 0.5) / radius) * (1 - 2 ** -20) : 1;
  const scale = round(Math.min(exact, bits === 64 ? 2 ** 1000 : 2 ** 100));
  const binOf = (value: ElementValue): number => {
    const distance = round(Number(value) - centre);
    if (Math.abs(distance) > radius) return distance < 0 ? 0 : count - 1;
    return 1 + innerHalf + (isHalf ? Math.floor(distance * scale) : nearest(distance * scale));
  };
  const signsInBins = isHalf && centre === 0;
  return { count, arguments: [asBits(centre), asBits(radius) | limit, asBits(scale)], innerHalf, signsInBins, binOf };
}

function integerBins(
  elements: Elements,
  range: { readonly low: ElementValue; readonly high: ElementValue } | undefined,
  wanted: number,
): Bins {
  const low = BigInt(range?.low ?? 0);
  const span = BigInt(range?.high ?? 0) - low;
  const most = BigInt(Math.max(1, Math.min(MOST_BINS - 2, wanted)));
  let shift = 0n;
  while (span >> shift >= most) shift++;
  const count = Number(span >> shift) + 3;
  const binOf = (value: ElementValue): number => {
    const distance = BigInt(value) - low;
    if (distance < 0n) return 0;
    return distance > span ? count - 1 : 1 + Number(distance >> shift);
  };
  return {
    count,
    arguments: [BigInt.asUintN(elements.bits, low), span, shift],
    innerHalf: 0,
    signsInBins: false,
    binOf,
  };
}

/**
 * The histogram that a kernel's counts are, between the smallest and the largest finite element. Empty outer bins are
 * left out.
 */
export function histogramOf(
  elements: Elements,
  bins: Bins,
  counts: readonly number[],
  least: bigint,
  greatest: bigint,
): { edges: ElementValue[]; counts: number[] } {
  let first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  if (first < 0) return { edges: [], counts: [] };
  const { low, high } = keyRange(elements, 'finite');
  const edges: ElementValue[] = [valueOfKey(elements, least)];
  const kept: number[] = [counts[first] ?? 0];
  // A bin that is narrower than the distance of two values is empty: it shares an edge with the next.
  let from = low;
  for (first++; first <= last; first++) {
    const bin = first;
    from = firstKey(from, high, (key) => bins.binOf(valueOfKey(elements, key)) >= bin);
    // The edge of those around zero is that of -0, which is the same value.
    edges.push(positiveZero(valueOfKey(elements, from)));
    kept.push(counts[bin] ?? 0);
  }
  edges.push(valueOfKey(elements, greatest));
  return { edges, counts: kept };
}

const positiveZero = (value: ElementValue): ElementValue => (value === 0 ? 0 : value);

/** The histogram of values that are counted one by one, ascending: for types of eight bits and less. */
export function histogramOfCounts(
  elements: Elements,
  values: readonly { readonly value: number; readonly count: number }[],
  wanted: number,
): { edges: number[]; counts: number[] } {
  const low = values[0]?.value;
  const high = values.at(-1)?.value;
  if (low === undefined || high === undefined || wanted === 0) return { edges: [], counts: [] };
  const edges: number[] = [];
  if (elements.order === Order.FLOAT) {
    for (let i = 0; i < wanted; i++) edges.push(low + ((high - low) * i) / wanted);
  } else {
    let width = 1;
    while ((high - low) / width >= wanted) width *= 2;
    for (let edge = low; edge <= high; edge += width) edges.push(edge);
  }
  const counts = edges.map(() => 0);
  for (const { value, count } of values) {
    let bin = edges.findLastIndex((edge) => edge <= value);
    if (bin < 0) bin = 0;
    counts[bin] = (counts[bin] ?? 0) + count;
  }
  return { edges: [...edges, high], counts };
}
