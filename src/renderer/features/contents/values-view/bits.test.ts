import { describe, expect, it } from 'vitest';
import { dtypeIds, dtypes } from '#contract/dtypes';
import { bitsChars, bitsText } from './bits';

describe('the bits of a value', () => {
  it('are written from the highest digit on, in both orders', () => {
    expect(bitsText(Uint8Array.of(0, 0, 0xc0, 0x7f), 'f32', 'little')).toBe('7fc00000');
    expect(bitsText(Uint8Array.of(0x7f, 0xc0, 0, 0), 'f32', 'big')).toBe('7fc00000');
    expect(bitsText(Uint8Array.of(0x21), 'i4', 'little')).toBe('21');
    expect(bitsText(Uint8Array.of(1, 0, 0, 0, 2, 0, 0, 0x80), 'c64', 'little')).toBe('00000001 80000002');
  });

  it('have the room that they need', () => {
    for (const dtype of dtypeIds) {
      expect(bitsText(new Uint8Array(dtypes[dtype].bytes), dtype, 'little').length + 1).toBe(bitsChars(dtype));
    }
  });
});
