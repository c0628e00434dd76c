import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatValue, valueText } from '#contract/decode-values';
import { dtypeIds } from '#contract/dtypes';
import { fitted, valueChars, valuesPerRow } from './columns';

describe('columns of values', () => {
  it('as many as fit, in powers of two', () => {
    expect(valuesPerRow('auto', 80, valueChars('u8'))).toBe(16);
    expect(valuesPerRow('auto', 67, valueChars('f32'))).toBe(4);
    expect(valuesPerRow('auto', 30, valueChars('f64'))).toBe(1);
    expect(valuesPerRow('auto', 0, valueChars('f64'))).toBe(1);
    expect(valuesPerRow(3, 0, valueChars('f64'))).toBe(3);
  });

  it('long numbers get an exponent, with the same digits', () => {
    expect(fitted('577050200000000000', 'f32')).toBe('5.770502e+17');
    expect(fitted('-1483126500000000000000', 'f32')).toBe('-1.4831265e+21');
    expect(fitted('-0.0000022721276', 'f32')).toBe('-2.2721276e-6');
    expect(fitted('0.00006104', 'f16')).toBe('6.104e-5');
    expect(fitted('100000000000000000000', 'f32')).toBe('1e+20');
    expect(fitted('13584.813', 'f32')).toBe('13584.813');
    expect(fitted('18446744073709551615', 'u64')).toBe('18446744073709551615');
    expect(fitted('NaN', 'f32')).toBe('NaN');
  });

  it('every value fits its column and stays the same number', () => {
    for (const dtype of ['f32', 'f64'] as const) {
      fc.assert(
        fc.property(dtype === 'f32' ? fc.float({ noNaN: true }) : fc.double({ noNaN: true }), (value) => {
          const text = formatValue(value, dtype);
          const short = fitted(text, dtype);
          expect(short.length).toBeLessThan(valueChars(dtype));
          if (Number.isFinite(value)) expect(Number(short)).toBe(Number(text));
        }),
      );
    }
    const part = fc.oneof(fc.float(), fc.integer().map(Math.fround));
    fc.assert(
      fc.property(part, part, (real, imaginary) => {
        const text = fitted(formatValue({ real, imaginary }, 'c64'), 'c64');
        expect(text.length).toBeLessThan(valueChars('c64'));
        if (!Number.isFinite(real) || !Number.isFinite(imaginary)) return;
        const [, first, second] = /^(-?[^-+e]+(?:e[-+]\d+)?)([-+].*)i$/.exec(text) ?? [];
        expect([Number(first), Number(second)].map(Math.fround)).toEqual([real, imaginary]);
      }),
    );
    for (const dtype of ['f8e4m3', 'f8e5m2', 'bool', 'i4', 'u4'] as const) {
      for (let byte = 0; byte < 256; byte++) {
        const text = valueText(Uint8Array.of(byte), 0, dtype) as string;
        expect(text.length, `${dtype} ${text}`).toBeLessThan(valueChars(dtype));
      }
    }
    expect(dtypeIds.every((dtype) => valueChars(dtype) > 3)).toBe(true);
  });
});
