/** How wide a value can be, how it is kept that short, and how many stand in a row. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import type { RowChoice } from '../parts/RowField';

/** Characters of the longest value of a type. */
const LONGEST: Readonly<Record<DtypeId, number>> = {
  u8: 3,
  i8: 4,
  u16: 5,
  i16: 6,
  u32: 10,
  i32: 11,
  u64: 20,
  i64: 20,
  f16: 9,
  bf16: 9,
  // Nine digits, a sign, a point and an exponent.
  f32: 15,
  f64: 24,
  f8e4m3: 9,
  f8e5m2: 9,
  bool: 5,
  // Two parts, the second with its sign, and the i.
  c64: 32,
  c128: 50,
  // Both elements of the byte.
  i4: 5,
  u4: 5,
};

/** Characters of one column, with the space before it. */
export const valueChars = (dtype: DtypeId): number => LONGEST[dtype] + 1.5;

const COUNTS = [16, 8, 4, 2] as const;

/**
 * Elements of a row: the chosen number, or the largest power of two that fits, at least one.
 * @param chars  characters of the row
 * @param column characters of one element
 */
export function valuesPerRow(choice: RowChoice, chars: number, column: number): number {
  if (choice !== 'auto') return choice;
  return COUNTS.find((count) => count * column <= chars) ?? 1;
}

/** `text` as it fits the column: numbers with many zeros get an exponent, with the same digits. Integers never do. */
export function fitted(text: string, dtype: DtypeId): string {
  if (text.length <= LONGEST[dtype]) return text;
  const { part } = dtypes[dtype];
  if (part !== null) {
    const [, real = text, imaginary = ''] = /^(-?[^-+e]+(?:e[-+]\d+)?)([-+].*)i$/.exec(text) ?? [];
    const sign = imaginary.slice(0, 1);
    return imaginary === '' ? text : `${fitted(real, part)}${sign}${fitted(imaginary.slice(1), part)}i`;
  }
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (!parts) return text;
  const [, sign = '', whole = '', fraction = ''] = parts;
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const leading = `${whole}${fraction}`.length - digits.length;
  const exponent = whole.length - 1 - leading;
  const significant = digits.replace(/0+$/, '');
  const point = significant.length > 1 ? `${significant[0]}.${significant.slice(1)}` : significant;
  const short = `${sign}${point}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`;
  return short.length < text.length ? short : text;
}
