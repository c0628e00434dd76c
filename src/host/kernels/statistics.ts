/** Statistics of a buffer: a sample for the range of the histogram, then one pass, then what the blocks found together. */
import { formatBytes } from '#contract/units';
import { offsetBy } from '#native/cuda/index';
import type { KernelModule } from '#native/kernels/modules';
import { type Bins, histogramOf, histogramOfCounts, planBins, type SampledRange } from './bins';
import { asDouble, type KernelDevice, type Lane } from './device';
import { type Elements, elementCount, elementsOf, keyOfBits, keyRange, Order, valueOfKey } from './elements';
import type { BufferStatistics, ElementValue, Job, MemoryRange, StatisticsOptions } from './types';

const GRANULE = 16;
const SAMPLES = 65_536;
/** As the kernels are compiled for: __launch_bounds__. */
const THREADS = 512;
const BLOCKS_A_MULTIPROCESSOR = 2;
/** wb_partial */
const PARTIAL_WORDS = 16;
/** Where the parts of the results are in a lane's memory. */
const COUNTS_AT = 0;
const COUNTS_BYTES = 4096;
const PARTIALS_AT = COUNTS_BYTES;
const MASK_64 = (1n << 64n) - 1n;

/** What all blocks of all launches found. */
interface Found {
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
class Sum {
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

export async function statistics(
  device: KernelDevice,
  range: MemoryRange,
  { dtype, bins: wanted }: StatisticsOptions,
  job: Job,
): Promise<BufferStatistics> {
  const elements = elementsOf(dtype);
  return device.withLane(async (lane) => {
    const small = elements.bits <= 8;
    const sample =
      small || range.bytes * 8 < elements.bits ? undefined : await sampleOf(device, lane, range, elements, job);
    const bins = planBins(elements, sample, wanted);
    const pivot = pivotOf(elements, sample);
    const module = `statistics_${small ? 'bytes' : elements.dtype}` as KernelModule;
    const found = await pass(device, lane, range, elements, module, bins, pivot, job);
    if (small) return smallStatistics(elements, range.bytes, found, wanted);
    return largeStatistics(elements, range.bytes, found, { bins, wanted, sample, pivot });
  });
}

interface Sample extends SampledRange {
  readonly mean: number;
}

/** Finite elements at equal distances: where the values lie. Undefined when none of them is finite. */
async function sampleOf(
  device: KernelDevice,
  lane: Lane,
  range: MemoryRange,
  elements: Elements,
  job: Job,
): Promise<Sample | undefined> {
  const size = elements.bits / 8;
  const count = elementCount(elements, range.bytes);
  const samples = Math.min(SAMPLES, count);
  const step = Math.floor(count / samples) * size;
  await device.step(lane, job, `${range.label}, ${samples} samples`, () => {
    const values = [range.pointer, step, size, samples, lane.memory];
    device.launch(lane, 'sample', 'gather', { blocks: Math.ceil(samples / 256), threads: 256 }, values);
    device.readBack(lane, 0, samples * size);
  });
  const finite = keyRange(elements, 'finite');
  const bytes = new DataView(lane.host.buffer, 0, samples * size);
  let lowKey = finite.high + 1n;
  let highKey = -1n;
  let sum = 0;
  let finiteCount = 0;
  const magnitudes = new Float64Array(samples);
  for (let at = 0; at < samples * size; at += size) {
    const bits =
      size === 2
        ? BigInt(bytes.getUint16(at, true))
        : size === 4
          ? BigInt(bytes.getUint32(at, true))
          : bytes.getBigUint64(at, true);
    const key = keyOfBits(elements, bits);
    if (key < finite.low || key > finite.high) continue;
    if (key < lowKey) lowKey = key;
    if (key > highKey) highKey = key;
    const value = Number(elements.decode(bits));
    sum += value / samples;
    magnitudes[finiteCount++] = Math.abs(value);
  }
  if (finiteCount === 0) return undefined;
  const mean = (sum * samples) / finiteCount;
  const low = valueOfKey(elements, lowKey);
  const high = valueOfKey(elements, highKey);
  const limit = Math.min(-Number(low), Number(high));
  const aroundZero = elements.order === Order.FLOAT && elements.bits === 16 && isUsual(magnitudes, elements, limit);
  return { low, high, aroundZero, lowKey, highKey, mean };
}

/**
 * Whether nearly all of a sample are normal numbers of at most this magnitude. Others, of which one in thousands would
 * already be noticed, take the kernels of 16-bit floats longer when the bins lie around zero.
 */
function isUsual(magnitudes: Float64Array, elements: Elements, limit: number): boolean {
  const smallestNormal = elements.dtype === 'f16' ? 2 ** -14 : 2 ** -126;
  // What is not finite was left out, and is 0 here.
  const usual = magnitudes.reduce((count, x) => count + (x >= smallestNormal && x <= limit ? 1 : 0), 0);
  return (magnitudes.length - usual) * 2048 <= magnitudes.length;
}

/** A value near to all others, so that the squares of the distances to it keep the digits of a small deviation. */
function pivotOf(
  elements: Elements,
  sample: Sample | undefined,
): { readonly value: ElementValue; readonly bits: bigint } {
  // What 16 bits can tell apart, 53 bits can square without.
  if (!sample || elements.bits === 16) return { value: 0, bits: 0n };
  if (elements.order === Order.FLOAT) {
    const value = Number.isFinite(sample.mean) ? sample.mean : 0;
    return { value, bits: asDouble(value) };
  }
  // A rounded mean of large integers may lie outside of their type.
  const rounded = BigInt(Math.round(sample.mean));
  const [low, high] = [BigInt(sample.low), BigInt(sample.high)];
  const value = rounded < low ? low : rounded > high ? high : rounded;
  return { value, bits: BigInt.asUintN(64, value) };
}

async function pass(
  device: KernelDevice,
  lane: Lane,
  range: MemoryRange,
  elements: Elements,
  module: KernelModule,
  bins: Bins,
  pivot: { readonly bits: bigint },
  job: Job,
): Promise<Found> {
  const blocks = device.multiprocessors * BLOCKS_A_MULTIPROCESSOR;
  const binCount = elements.bits <= 8 ? 256 : bins.count;
  const found: Found = {
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
    counts: Array.from({ length: binCount }, () => 0),
  };
  const chunks = device.chunks();
  for (let done = 0; done < range.bytes; ) {
    const bytes = Math.min(chunks.next(), range.bytes - done);
    const began = performance.now();
    await device.step(lane, job, `${range.label}, ${module} of ${formatBytes(bytes)}`, (cuda) => {
      cuda.memsetD8Async(lane.memory, 0, COUNTS_BYTES, lane.stream);
      device.launch(lane, module, module, { blocks, threads: THREADS }, [
        offsetBy(range.pointer, done),
        bytes,
        done / GRANULE,
        offsetBy(lane.memory, PARTIALS_AT),
        offsetBy(lane.memory, COUNTS_AT),
        ...bins.arguments,
        pivot.bits,
        bins.innerHalf,
        binCount,
      ]);
      device.readBack(lane, 0, PARTIALS_AT + blocks * PARTIAL_WORDS * 8);
    });
    chunks.took(bytes, performance.now() - began);
    gatherResults(found, lane, blocks, elements);
    done += bytes;
    job.progress(done, range.bytes);
  }
  return found;
}

function gatherResults(found: Found, lane: Lane, blocks: number, elements: Elements): void {
  const counts = new BigUint64Array(lane.host.buffer, COUNTS_AT, found.counts.length);
  counts.forEach((count, bin) => {
    found.counts[bin] = (found.counts[bin] ?? 0) + Number(count);
  });
  const words = new BigUint64Array(lane.host.buffer, PARTIALS_AT, blocks * PARTIAL_WORDS);
  const doubles = new Float64Array(lane.host.buffer, PARTIALS_AT, blocks * PARTIAL_WORDS);
  for (let at = 0; at < words.length; at += PARTIAL_WORDS) {
    const word = (index: number): bigint => words[at + index] ?? 0n;
    const number = (index: number): number => doubles[at + index] ?? 0;
    found.nonzero += word(0);
    found.normal += word(1);
    found.negative += word(2);
    found.nans += word(3);
    found.positiveInfinities += word(4);
    found.negativeInfinities += word(5);
    if (word(6) < found.least) found.least = word(6);
    if (word(7) > found.greatest) found.greatest = word(7);
    if (elements.order === Order.FLOAT) {
      found.floatSum.add(number(8));
      found.floatSum.add(number(9));
    } else {
      found.sum += BigInt.asIntN(128, (word(9) << 64n) | word(8));
    }
    if (elements.order !== Order.FLOAT && elements.bits === 16) {
      found.squares += word(10);
    } else {
      found.floatSquares.add(number(10));
      found.floatSquares.add(number(11));
    }
    found.checksum += word(12);
  }
}

function largeStatistics(
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
function smallStatistics(elements: Elements, bytes: number, found: Found, wanted: number): BufferStatistics {
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
