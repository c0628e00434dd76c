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

  it('leaves digits out of long floats, never the exponent', () => {
    expect(cardText('5.176631345804594e-315', 'f64')).toBe('5.176631345…e-315');
    expect(cardText('-2.71084962327e-312', 'f64')).toBe('-2.71084962…e-312');
    expect(cardText('0.30000000000000004', 'f64')).toBe('0.30000000000000…');
    expect(cardText('472719.31350187440', 'f64')).toBe('472719.313501874…');
    expect(cardText('-2.71084962327e-312-1.1852742930645292e-40i', 'c128')).toBe(
      '-2.71084962…e-312\n-1.18527429…e-40i',
    );
    expect(cardText('-317743127509932700', 'f64')).toBe('-3.177431275…e+17');
    expect(cardText('-31774312750993270', 'f64')).toBe('-3.177431275…e+16');
    expect(cardText('3177431275099327', 'f64')).toBe('3177431275099327');
    expect(cardText('1.5576733+NaNi', 'c64')).toBe('1.5576733\n+NaNi');
    for (const text of ['1.7976931348623157e+308', '-1.2345678901234567e-100', '123456789.12345678']) {
      expect(cardText(text, 'f64').length).toBeLessThanOrEqual(17);
    }
  });
});
