/** How wide a value can be, and how many stand in a row. */
import type { DtypeId } from '#contract/dtypes';

/** Characters of the longest value of a type, as `formatValue` writes it. */
const LONGEST: Readonly<Record<DtypeId, number>> = {
  u8: 3,
  i8: 4,
  u16: 5,
  i16: 6,
  u32: 10,
  i32: 11,
  u64: 20,
  i64: 20,
  // Small numbers are written out down to 1e-6.
  f16: 12,
  bf16: 12,
  f32: 16,
  f64: 24,
};

/** Characters of one column, with the space before it. */
export const valueChars = (dtype: DtypeId): number => LONGEST[dtype] + 2;

const COUNTS = [16, 8, 4, 2] as const;

/** Elements of a row: the largest power of two that fits into `chars` characters, at least one. */
export function valuesPerRow(dtype: DtypeId, chars: number): number {
  return COUNTS.find((count) => count * valueChars(dtype) <= chars) ?? 1;
}
