/** Statistics of a buffer: a sample for the range of the histogram, then one pass, then what the blocks found together. */
import { formatBytes } from '#contract/units';
import { offsetBy } from '#native/cuda/index';
import type { KernelModule } from '#native/kernels/modules';
import { type Bins, planBins } from './bins';
import type { KernelDevice, Lane } from './device';
import { type Elements, elementsOf, Order } from './elements';
import { BYTES_OF_A_TURN } from './piece-sum';
import { type Found, largeStatistics, nothingFound, smallStatistics } from './statistics-results';
import { pivotOf, type Sample, sampleOf, samplePlaces } from './statistics-sample';
import type { BufferStatistics, Job, MemoryRange, StatisticsOptions } from './types';

const GRANULE = 16;
/** As the kernels are compiled for: __launch_bounds__. */
const THREADS = 512;
const BLOCKS_A_MULTIPROCESSOR = 2;
/** wb_partial */
const PARTIAL_WORDS = 16;
/** Where the parts of the results are in a lane's memory. */
const COUNTS_AT = 0;
const COUNTS_BYTES = 4096;
const PARTIALS_AT = COUNTS_BYTES;
/** Above half of the inner bins in an argument of the kernels: see Bins.signsInBins. */
const SIGNS_IN_BINS = 1n << 32n;

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
      small || range.bytes * 8 < elements.bits ? undefined : await takeSample(device, lane, range, elements, job);
    const bins = planBins(elements, sample, wanted);
    const pivot = pivotOf(elements, sample);
    const module = `statistics_${small ? 'bytes' : elements.dtype}` as KernelModule;
    const found = await pass(device, lane, range, elements, module, bins, pivot, job);
    if (small) return smallStatistics(elements, range.bytes, found, wanted);
    return largeStatistics(elements, range.bytes, found, { bins, wanted, sample, pivot });
  });
}

/** Finite elements at equal distances: where the values lie. Undefined when none of them is finite. */
async function takeSample(
  device: KernelDevice,
  lane: Lane,
  range: MemoryRange,
  elements: Elements,
  job: Job,
): Promise<Sample | undefined> {
  const { size, samples, step } = samplePlaces(elements, range.bytes);
  await device.step(lane, job, `${range.label}, ${samples} samples`, () => {
    const values = [range.pointer, step, size, samples, lane.memory];
    device.launch(lane, 'sample', 'gather', { blocks: Math.ceil(samples / 256), threads: 256 }, values);
    device.readBack(lane, 0, samples * size);
  });
  return sampleOf(elements, lane.host.subarray(0, samples * size));
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
  const found = nothingFound(binCount);
  const chunks = device.chunks();
  for (let done = 0; done < range.bytes; ) {
    const bytes = Math.min(chunks.next(), range.bytes - done, BYTES_OF_A_TURN - (done % BYTES_OF_A_TURN));
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
        BigInt(bins.innerHalf) | (bins.signsInBins ? SIGNS_IN_BINS : 0n),
        binCount,
      ]);
      device.readBack(lane, 0, PARTIALS_AT + blocks * PARTIAL_WORDS * 8);
    });
    chunks.took(bytes, performance.now() - began);
    gatherResults(found, lane, blocks, elements);
    done += bytes;
    job.progress(done, range.bytes);
  }
  if (bins.signsInBins) {
    for (let bin = 0; bin <= bins.innerHalf; bin++) found.negative += BigInt(found.counts[bin] ?? 0);
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
