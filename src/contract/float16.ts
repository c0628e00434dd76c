/** The two 16-bit float formats, which JavaScript's DataView does not have on every runtime this program runs on. */

const single = new Float32Array(1);
const singleBits = new Uint32Array(single.buffer);

/** IEEE 754 half precision to number, exact. */
export function f16ToNumber(bits: number): number {
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  const sign = (bits & 0x8000) << 16;
  if (exponent === 0) {
    const magnitude = fraction * 2 ** -24;
    return sign ? -magnitude : magnitude;
  }
  singleBits[0] =
    exponent === 31 ? sign | 0x7f800000 | (fraction << 13) : sign | ((exponent + 112) << 23) | (fraction << 13);
  return single[0] as number;
}

/** bfloat16 to number, exact: it is the upper half of a single. */
export function bf16ToNumber(bits: number): number {
  singleBits[0] = bits << 16;
  return single[0] as number;
}

/** Number to half precision, to nearest, ties to even; too large is infinity. NaN is 0x7e00. */
export function numberToF16(value: number): number {
  if (Number.isNaN(value)) return 0x7e00;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= 65520) return sign | 0x7c00;
  // The distance between neighbours is 2^-24 below 2^-14 and doubles with each power of two above.
  const exponent = magnitude < 2 ** -14 ? -14 : Math.floor(Math.log2(magnitude));
  const steps = evenRound(magnitude / 2 ** (exponent - 10));
  // A carry of the rounding moves into the exponent by itself; below 2^-14 the exponent field is 0.
  return sign | (magnitude < 2 ** -14 ? steps : steps + ((exponent + 14) << 10));
}

/** Number to bfloat16, to nearest, ties to even; too large is infinity. NaN is 0x7fc0. */
export function numberToBf16(value: number): number {
  if (Number.isNaN(value)) return 0x7fc0;
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  const magnitude = Math.abs(value);
  if (magnitude >= (2 - 2 ** -8) * 2 ** 127) return sign | 0x7f80;
  const exponent = magnitude < 2 ** -126 ? -126 : Math.floor(Math.log2(magnitude));
  const steps = evenRound(magnitude / 2 ** (exponent - 7));
  return sign | (magnitude < 2 ** -126 ? steps : steps + ((exponent + 126) << 7));
}

/** A number from 0 on to the nearest whole number, ties to even. */
export function evenRound(value: number): number {
  const down = Math.floor(value);
  const rest = value - down;
  return rest > 0.5 || (rest === 0.5 && down % 2 === 1) ? down + 1 : down;
}
