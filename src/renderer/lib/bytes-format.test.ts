import { describe, expect, it } from 'vitest';
import { columnOffset, formatFreshness, formatOffset, GLYPHS, HEX, hexText, offsetDigits } from './bytes-format';

describe('writing bytes', () => {
  it('zero, printable and not printable are three different things', () => {
    expect([GLYPHS[0], GLYPHS[0x41], GLYPHS[0x7f], GLYPHS[0xff], GLYPHS[0x20], GLYPHS[0x2e]]).toEqual([
      '·',
      'A',
      '◦',
      '◦',
      ' ',
      '.',
    ]);
    expect([HEX[0], HEX[10], HEX[255]]).toEqual(['00', '0a', 'ff']);
    expect(hexText(Uint8Array.of(0x41, 0, 0xff))).toBe('41 00 ff');
  });

  it('offsets are as wide as the last one needs', () => {
    expect(offsetDigits(64, 'hex')).toBe(8);
    expect(offsetDigits(2 ** 32, 'hex')).toBe(8);
    expect(offsetDigits(2 ** 32 + 1, 'hex')).toBe(9);
    expect(columnOffset(16, 8, 'hex')).toBe('00000010');
    expect(columnOffset(4096, 9, 'decimal')).toBe('4,096');
    expect(formatOffset(16, 'hex')).toBe('0x10');
    expect(formatOffset(4096, 'decimal')).toBe('4,096');
  });

  it('says how fresh a read is in one unit', () => {
    const ages = [12.4, 4200, 19_000, 200_000, 7_300_000];
    expect(ages.map(formatFreshness)).toEqual(['12 ms', '4.2 s', '19 s', '3 min', '2 h']);
  });
});
