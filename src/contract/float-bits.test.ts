import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue } from './decode-values';
import { dtypes, type FloatDtypeId } from './dtypes';
import { exactDecimal, floatFields, floatFormats } from './float-bits';

const floats = Object.keys(floatFormats) as FloatDtypeId[];

describe('fields of a float', () => {
  it('are those of known numbers', () => {
    const pi = new Uint8Array(4);
    new DataView(pi.buffer).setUint32(0, 0x40490fdb, true);
    expect(floatFields(pi, 0, 'f32')).toEqual({
      bits: 0x40490fdbn,
      sign: 0,
      exponent: 128,
      fraction: 0x490fdbn,
      kind: 'normal',
      power: 1,
      text: '0 10000000 10010010000111111011011',
    });
    expect(floatFields(Uint8Array.of(0xff), 0, 'f8e4m3')).toMatchObject({ sign: 1, kind: 'nan' });
    expect(floatFields(Uint8Array.of(0x7e), 0, 'f8e4m3')).toMatchObject({
      kind: 'normal',
      power: 8,
      text: '0 1111 110',
    });
    expect(floatFields(Uint8Array.of(0x7c), 0, 'f8e5m2')).toMatchObject({ kind: 'infinity', power: undefined });
    expect(floatFields(Uint8Array.of(0x80, 0x01), 0, 'f16', 'big')).toMatchObject({ kind: 'subnormal', power: -14 });
    expect(() => floatFields(pi, 1, 'f32')).toThrow(RangeError);
  });

  it('put together again are the decoded value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...floats),
        fc.uint8Array({ minLength: 8, maxLength: 8 }),
        fc.constantFrom('little', 'big'),
        (dtype, bytes, order) => {
          const { sign, fraction, kind, power, text } = floatFields(bytes, 0, dtype, order);
          const value = Number(decodeValue(bytes, 0, dtype, order));
          expect(text.replaceAll(' ', '')).toHaveLength(dtypes[dtype].bits);
          if (kind === 'nan') {
            expect(value).toBeNaN();
            return;
          }
          const { fractionBits } = floatFormats[dtype];
          const significand = (kind === 'normal' ? 1 : 0) + Number(fraction) / 2 ** fractionBits;
          const magnitude = kind === 'infinity' ? Number.POSITIVE_INFINITY : significand * 2 ** (power ?? 0);
          expect(value).toBe(sign === 1 ? -magnitude : magnitude);
        },
      ),
      { numRuns: 3000 },
    );
  });
});

describe('the exact decimal', () => {
  it.each<[number, string]>([
    [0.1, '0.1000000000000000055511151231257827021181583404541015625'],
    [Math.fround(0.1), '0.100000001490116119384765625'],
    [-0.5, '-0.5'],
    [3, '3'],
    [-0, '-0'],
    [0, '0'],
    [2 ** 64, '18446744073709551616'],
    [1e23, '99999999999999991611392'],
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ])('of %s', (value, text) => {
    expect(exactDecimal(value)).toBe(text);
  });

  it('is the number itself, compared as fractions of whole numbers', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = exactDecimal(value);
        expect(Number(text)).toBe(value);
        const [whole = '', after = ''] = text.replace('-', '').split('.');
        expect(after).not.toMatch(/0$/);
        // text × 2^1074 must be a whole number, the one that the double is in units of the smallest subnormal.
        const scaled = BigInt(whole + after) << 1074n;
        expect(scaled % 10n ** BigInt(after.length)).toBe(0n);
        const units = scaled / 10n ** BigInt(after.length);
        let [rest, shift] = [Math.abs(value), 0];
        while (rest !== 0 && rest < 2 ** 53) {
          if (Number.isInteger(rest) && 1074 - shift <= 0) break;
          if (shift === 1074) break;
          rest *= 2;
          shift++;
        }
        expect(units).toBe(BigInt(rest) << BigInt(1074 - shift));
      }),
      { numRuns: 1000 },
    );
  });
});
