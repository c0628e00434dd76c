/** The bits of a value as they are, beside what it is rounded to. */
import type { ByteOrder } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { HEX } from '../../../lib/bytes-format';

/**
 * In hexadecimal, the highest digit first whatever the order in memory; of a complex number both parts.
 * @param bytes of one element
 */
export function bitsText(bytes: Uint8Array, dtype: DtypeId, order: ByteOrder): string {
  const { part } = dtypes[dtype];
  if (part !== null) {
    const half = bytes.length / 2;
    return `${bitsText(bytes.subarray(0, half), part, order)} ${bitsText(bytes.subarray(half), part, order)}`;
  }
  let text = '';
  for (const byte of bytes) text = order === 'big' ? `${text}${HEX[byte]}` : `${HEX[byte]}${text}`;
  return text;
}

/** Characters of that, with the space before it. */
export const bitsChars = (dtype: DtypeId): number => 2 * dtypes[dtype].bytes + (dtypes[dtype].part === null ? 1 : 2);
