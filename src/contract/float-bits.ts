/** What a float is made of: its sign, exponent and fraction, and the decimal number that it is exactly. */
import type { ByteOrder } from './decode-values';
import { dtypes, type FloatDtypeId } from './dtypes';

export interface FloatFormat {
  readonly exponentBits: number;
  readonly fractionBits: number;
  readonly bias: number;
  /** Whether an exponent of all ones means infinity or NaN. Not so in E4M3: there only all ones of both are NaN. */
  readonly hasInfinity: boolean;
}

const format = (exponentBits: number, fractionBits: number, hasInfinity = true): FloatFormat => ({
  exponentBits,
  fractionBits,
  bias: 2 ** (exponentBits - 1) - 1,
  hasInfinity,
});

export const floatFormats: Readonly<Record<FloatDtypeId, FloatFormat>> = {
  f8e4m3: format(4, 3, false),
  f8e5m2: format(5, 2),
  f16: format(5, 10),
  bf16: format(8, 7),
  f32: format(8, 23),
  f64: format(11, 52),
};

export interface FloatFields {
  /** All bits, as they stand in memory read in the byte order. */
  readonly bits: bigint;
  readonly sign: 0 | 1;
  /** The exponent field as it is stored. */
  readonly exponent: number;
  /** The fraction field as it is stored, without the leading one. */
  readonly fraction: bigint;
  readonly kind: 'zero' | 'subnormal' | 'normal' | 'infinity' | 'nan';
  /** The power of two that the significand is multiplied with; undefined for zero, infinity and NaN. */
  readonly power: number | undefined;
  /** The fields as zeros and ones: `0 10000000 10010010000111111011011`. */
  readonly text: string;
}

/** The fields of the float at `offset`. RangeError when it does not lie inside `bytes`. */
export function floatFields(
  bytes: Uint8Array,
  offset: number,
  dtype: FloatDtypeId,
  order: ByteOrder = 'little',
): FloatFields {
  const size = dtypes[dtype].bytes;
  if (offset < 0 || offset + size > bytes.byteLength) throw new RangeError('The float does not lie inside the bytes.');
  let bits = 0n;
  for (let i = 0; i < size; i++) {
    bits = (bits << 8n) | BigInt(bytes[order === 'big' ? offset + i : offset + size - 1 - i] as number);
  }
  const { exponentBits, fractionBits, bias, hasInfinity } = floatFormats[dtype];
  const fraction = BigInt.asUintN(fractionBits, bits);
  const exponent = Number(BigInt.asUintN(exponentBits, bits >> BigInt(fractionBits)));
  const sign = bits >> BigInt(exponentBits + fractionBits) === 0n ? 0 : 1;
  const full = exponent === 2 ** exponentBits - 1;
  const fullFraction = fraction === 2n ** BigInt(fractionBits) - 1n;
  let kind: FloatFields['kind'];
  if (full && hasInfinity) kind = fraction === 0n ? 'infinity' : 'nan';
  else if (full && fullFraction) kind = 'nan';
  else if (exponent > 0) kind = 'normal';
  else kind = fraction === 0n ? 'zero' : 'subnormal';
  const power = kind === 'normal' ? exponent - bias : kind === 'subnormal' ? 1 - bias : undefined;
  const binary = (value: bigint, width: number): string => value.toString(2).padStart(width, '0');
  const text = `${sign} ${binary(BigInt(exponent), exponentBits)} ${binary(fraction, fractionBits)}`;
  return { bits, sign, exponent, fraction, kind, power, text };
}

const scratch = new DataView(new ArrayBuffer(8));

/**
 * The number as decimal text, every digit of it and no exponent: 0.1 as a double is
 * 0.1000000000000000055511151231257827021181583404541015625. At most 1,077 characters; `NaN`, `Inf`, `-Inf`, `-0`.
 * Numbers of all float types are doubles, so this is exact for all of them.
 */
export function exactDecimal(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  if (!Number.isFinite(value)) return `${sign}Inf`;
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  const stored = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  // value = significand × 2^power
  const significand = stored === 0 ? fraction : fraction | (1n << 52n);
  const power = (stored === 0 ? 1 : stored) - 1075;
  if (power >= 0) return `${sign}${significand << BigInt(power)}`;
  // 2^-n is 5^n / 10^n: the digits of significand × 5^n, with the point n places from the right.
  const digits = (significand * 5n ** BigInt(-power)).toString().padStart(1 - power, '0');
  const after = digits.slice(power).replace(/0+$/, '');
  return `${sign}${digits.slice(0, power)}${after === '' ? '' : `.${after}`}`;
}
