/** A range in slices of one size, for a map of the whole. */
import { offsetBy } from '#native/cuda/index';
import type { KernelDevice } from './device';
import { elementCount, elementsOf, keyRange, valueOfKey, zeroKeys } from './elements';
import type { Job, MemoryRange, SliceSummary, SummaryOptions } from './types';

const THREADS = 256;
/** wb_slice */
const SLICE_BYTES = 64;
/** As many blocks as keep a large GPU busy; each does a part of a slice. */
const WANTED_PARTS = 4096;
/** As the results of one launch fit in a lane. */
const MOST_PARTS = 32_768;
/** Parts are not smaller, where slices are larger. */
const LEAST_PART_BYTES = 65_536;

export async function summary(
  device: KernelDevice,
  range: MemoryRange,
  { dtype, slices: wanted }: SummaryOptions,
  job: Job,
): Promise<readonly SliceSummary[]> {
  const elements = elementsOf(dtype);
  const count = elementCount(elements, range.bytes);
  if (count === 0) return [];
  const { part, each } = partsOf(count, elements.bits, wanted);
  const perSlice = each / part;
  const parts = Math.ceil(count / part);
  const ordered = keyRange(elements, 'ordered');
  const zero = zeroKeys(elements);
  const found = Array.from({ length: Math.ceil(count / each) }, () => ({
    least: -1n,
    greatest: -1n,
    zeros: 0,
    nans: 0,
    infinities: 0,
  }));
  const chunks = device.chunks();
  const partBytes = (part * elements.bits) / 8;
  await device.withLane(async (lane) => {
    for (let first = 0; first < parts; ) {
      const blocks = Math.max(1, Math.min(MOST_PARTS, Math.floor(chunks.next() / partBytes), parts - first));
      const here = Math.min(blocks * part, count - first * part);
      const began = performance.now();
      const at = first;
      await device.step(lane, job, `${range.label}, ${blocks} parts of a summary`, () => {
        device.launch(lane, 'summary', `summary_${elements.bits}`, { blocks, threads: THREADS }, [
          offsetBy(range.pointer, at * partBytes),
          here,
          part,
          elements.order,
          ordered.low,
          ordered.high,
          zero.low,
          zero.high,
          elements.infinite ? 1 : 0,
          lane.memory,
        ]);
        device.readBack(lane, 0, blocks * SLICE_BYTES);
      });
      chunks.took((here * elements.bits) / 8, performance.now() - began);
      const words = new BigUint64Array(lane.host.buffer, 0, (blocks * SLICE_BYTES) / 8);
      for (let i = 0; i < blocks; i++) {
        const slice = found[Math.floor((first + i) / perSlice)];
        const word = (index: number): bigint => words[i * (SLICE_BYTES / 8) + index] ?? 0n;
        if (!slice) continue;
        if (word(0) <= word(1)) {
          if (slice.least < 0n || word(0) < slice.least) slice.least = word(0);
          if (word(1) > slice.greatest) slice.greatest = word(1);
        }
        slice.zeros += Number(word(2));
        slice.nans += Number(word(3));
        slice.infinities += Number(word(4));
      }
      first += blocks;
      job.progress(Math.min(range.bytes, Math.round(first * partBytes)), range.bytes);
    }
  });
  return found.map(({ least, greatest, ...counts }, index) => {
    const from = index * each;
    const here = Math.min(each, count - from);
    return {
      offset: (from * elements.bits) / 8,
      bytes: Math.ceil((here * elements.bits) / 8),
      count: here,
      min: least < 0n ? undefined : valueOfKey(elements, least),
      max: least < 0n ? undefined : valueOfKey(elements, greatest),
      ...counts,
    };
  });
}

/** Elements of a part and of a slice, a whole number of parts: where they are large, whole pieces of 16 bytes. */
function partsOf(count: number, bits: number, wanted: number): { part: number; each: number } {
  const slice = Math.ceil(count / wanted);
  const fitting = Math.floor((slice * bits) / 8 / LEAST_PART_BYTES);
  const perSlice = Math.max(1, Math.min(fitting, Math.ceil(WANTED_PARTS / wanted)));
  let part = Math.ceil(slice / perSlice);
  const unit = (part * bits) / 8 >= 4096 ? 128 / bits : bits === 4 ? 2 : 1;
  part = Math.ceil(part / unit) * unit;
  return { part, each: part * perSlice };
}
