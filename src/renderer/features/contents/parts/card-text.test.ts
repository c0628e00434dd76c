import { describe, expect, it } from 'vitest';
import { valueText } from '#contract/decode-values';
import type { DtypeId } from '#contract/dtypes';
import { cardText } from './card-text';

const shown = (dtype: DtypeId, ...bytes: number[]) =>
  cardText(valueText(Uint8Array.from(bytes), 0, dtype) ?? '', dtype);

describe('the text of a value in the card', () => {
  it('says of a byte that is neither 0 nor 1 that it is true, and which', () => {
    expect([0, 1, 84].map((byte) => shown('bool', byte))).toEqual(['false', 'true', 'true (84)']);
  });

  it('parts digits of integers, and leaves others as they are', () => {
    expect(shown('u32', 0, 0, 1, 0)).toBe('65,536');
    expect(shown('f32', 0, 0, 0, 63)).toBe('0.5');
    expect(shown('u4', 0x21)).toBe('1 2');
  });
});
