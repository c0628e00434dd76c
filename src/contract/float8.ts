/**
 * The two 8-bit float formats of the OCP 8-bit Floating Point Specification (OFP8, revision 1.0), as GPUs and PyTorch
 * use them. E4M3 has no infinity: its largest exponent holds numbers up to 448, and only S.1111.111 is NaN. E5M2 is
 * built as IEEE 754 builds half precision: it is the upper half of one.
 */
import { evenRound, f16ToNumber } from './float16';

/** E4M3 to number, exact. */
export function f8e4m3ToNumber(bits: number): number {
  const exponent = (bits >> 3) & 0xf;
  const fraction = bits & 0x7;
  if (exponent === 15 && fraction === 7) return Number.NaN;
  const magnitude = exponent === 0 ? fraction * 2 ** -9 : (8 + fraction) * 2 ** (exponent - 10);
  return bits & 0x80 ? -magnitude : magnitude;
}

/** E5M2 to number, exact. */
export const f8e5m2ToNumber = (bits: number): number => f16ToNumber((bits & 0xff) << 8);

/** Number to E4M3, to nearest, ties to even. Too large is NaN, infinity too, as in PyTorch: it does not saturate. */
export function numberToF8e4m3(value: number): number {
  if (Number.isNaN(value)) return 0x7f;
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  const magnitude = Math.abs(value);
  // Half-way to 480, where NaN stands, is rounded to the even 448.
  return sign | (magnitude > 464 ? 0x7f : toSteps(magnitude, -6, 3));
}

/** Number to E5M2, to nearest, ties to even; too large is infinity. NaN is 0x7f. */
export function numberToF8e5m2(value: number): number {
  if (Number.isNaN(value)) return 0x7f;
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  const magnitude = Math.abs(value);
  return sign | (magnitude >= 61440 ? 0x7c : toSteps(magnitude, -14, 2));
}

/**
 * The pattern of a magnitude in a format whose normal numbers begin at 2^`lowest` and whose fractions have `width`
 * bits. A carry of the rounding moves into the exponent by itself; below 2^`lowest` the exponent field is 0.
 */
function toSteps(magnitude: number, lowest: number, width: number): number {
  const normal = magnitude >= 2 ** lowest;
  const exponent = normal ? Math.floor(Math.log2(magnitude)) : lowest;
  const steps = evenRound(magnitude / 2 ** (exponent - width));
  return normal ? steps + ((exponent - lowest) << width) : steps;
}
