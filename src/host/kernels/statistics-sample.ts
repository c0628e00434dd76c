/** A sample of a buffer: where the bins of its histogram lie, and what its moments are taken around. Pure. */
import type { SampledRange } from './bins';
import { asDouble } from './device';
import { type Elements, elementCount, keyOfBits, keyRange, Order, valueOfKey } from './elements';
import type { ElementValue } from './types';

const SAMPLES = 65_536;

export interface Sample extends SampledRange {
  readonly mean: number;
}

/** Where the elements of a sample lie: `samples` of `size` bytes, each `step` bytes after the one before. */
export function samplePlaces(elements: Elements, bytes: number): { size: number; samples: number; step: number } {
  const size = elements.bits / 8;
  const count = elementCount(elements, bytes);
  const samples = Math.min(SAMPLES, count);
  return { size, samples, step: Math.floor(count / samples) * size };
}

/** What elements of 16 bits and more, one after the other, say. Undefined when none of them is finite. */
export function sampleOf(elements: Elements, taken: Uint8Array): Sample | undefined {
  const size = elements.bits / 8;
  const samples = taken.byteLength / size;
  const finite = keyRange(elements, 'finite');
  const bytes = new DataView(taken.buffer, taken.byteOffset, taken.byteLength);
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
export function pivotOf(
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
