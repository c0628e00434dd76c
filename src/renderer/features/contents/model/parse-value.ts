/** A value as a person types it, as the bytes of an element. */
import { type ByteOrder, encodeValue } from '#contract/decode-values';
import { type DtypeId, dtypes, isFloat, isInteger } from '#contract/dtypes';

export type ValueReading =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly message: string };

/**
 * The bytes of an element: `-12`, `0x1f`, `1.5e-3`, `nan`, `-inf`, `true`, `1.5-2i`; of packed types both elements of the
 * byte, `3 -5`. What the type cannot hold is refused; floats are rounded to the nearest.
 * @param half of a packed type: the byte as it is and which of its elements is meant, which is then the only one
 */
export function parseValue(
  text: string,
  dtype: DtypeId,
  order: ByteOrder,
  half?: { readonly byte: number; readonly lane: number },
): ValueReading {
  const { bytes: size, perUnit, part } = dtypes[dtype];
  const bytes = new Uint8Array(size);
  const trimmed = text.trim();
  if (part !== null) {
    const found = /^([^i]+?)(?:([+-][^+-]*(?:e[+-]?\d+)?)i)?$/i.exec(trimmed);
    const real = number(found?.[1] ?? '');
    const imaginary = found?.[2] === undefined ? 0 : number(found[2]);
    if (real === undefined || imaginary === undefined) return no(`“${trimmed}” is no complex number: write 1.5-2i.`);
    encodeValue(bytes, 0, dtype, { real, imaginary }, order);
    return { ok: true, bytes };
  }
  if (half !== undefined) {
    const value = scalar(trimmed, dtype);
    if (typeof value === 'string') return no(value);
    bytes[0] = half.byte;
    encodeValue(bytes, 0, dtype, value, order, half.lane);
    return { ok: true, bytes };
  }
  const words = perUnit === 1 ? [trimmed] : trimmed.split(/[\s,]+/);
  if (words.length !== perUnit) return no(`A byte holds ${perUnit} elements of ${dtype}: write ${perUnit} numbers.`);
  for (const [lane, word] of words.entries()) {
    const value = scalar(word, dtype);
    if (typeof value === 'string') return no(value);
    encodeValue(bytes, 0, dtype, value, order, lane);
  }
  return { ok: true, bytes };
}

const no = (message: string): ValueReading => ({ ok: false, message });

/** The number, or what is wrong with it. */
function scalar(word: string, dtype: DtypeId): number | bigint | string {
  const { bits, kind } = dtypes[dtype];
  if (kind === 'bool') {
    if (/^(true|1)$/i.test(word)) return 1;
    return /^(false|0)$/i.test(word) ? 0 : `“${word}” is neither true nor false.`;
  }
  if (isInteger(dtype)) {
    const found = /^([+-]?)(0x[0-9a-f]+|\d+)$/i.exec(word.replaceAll(/[,_]/g, ''));
    if (found?.[2] === undefined) return `“${word}” is no whole number.`;
    const value = BigInt(found[2]) * (found[1] === '-' ? -1n : 1n);
    const [least, most] =
      kind === 'signed' ? [-(2n ** BigInt(bits - 1)), 2n ** BigInt(bits - 1) - 1n] : [0n, 2n ** BigInt(bits) - 1n];
    if (value < least || value > most) return `${dtype} holds ${least} to ${most}.`;
    return bits === 64 ? value : Number(value);
  }
  const value = isFloat(dtype) ? number(word) : undefined;
  return value ?? `“${word}” is no number.`;
}

function number(text: string): number | undefined {
  const word = text.trim();
  const special = /^([+-]?)(nan|inf|infinity)$/i.exec(word);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word) ? Number(word) : undefined;
}
