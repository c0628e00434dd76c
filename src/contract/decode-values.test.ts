import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decodeValue,
  decodeValues,
  type ElementValue,
  encodeValue,
  formatValue,
  isNotFinite,
  isZero,
  type ScalarValue,
  valueText,
} from './decode-values';
import { dtypeIds, dtypes } from './dtypes';

const bytes = Uint8Array.from([0x2a, 0x1f, 0, 0, 0, 0, 0, 0xff]);

/** The number that a text of formatValue names. */
function readText(text: string, like: ScalarValue): ScalarValue {
  if (text === 'true' || text === 'false') return text === 'true' ? 1 : 0;
  return typeof like === 'bigint' ? BigInt(text) : Number(text.replace('Inf', 'Infinity'));
}

describe('decoding', () => {
  it('reads every type in both byte orders', () => {
    const read = (order: 'little' | 'big') =>
      Object.fromEntries(dtypeIds.map((id) => [id, valueText(bytes, 0, id, order)]));
    // The values of Python's struct.unpack for the same bytes.
    expect(read('little')).toMatchObject({
      u8: '42',
      i8: '42',
      u16: '7978',
      i16: '7978',
      u32: '7978',
      i32: '7978',
      u64: '18374686479671631658',
      i64: '-72057594037919958',
      f16: '0.006996',
      bf16: '3.6e-20',
    });
    expect(read('big')).toMatchObject({
      u16: '10783',
      i16: '10783',
      u32: '706674688',
      i32: '706674688',
      u64: '3035144673871003903',
      i64: '3035144673871003903',
      f16: '0.04782',
    });
  });

  it('takes whole elements only, from any offset', () => {
    expect(decodeValues(bytes, 'u16', 'little', 1)).toEqual([0x1f, 0, 0]);
    expect(decodeValues(bytes, 'u32', 'little', 6)).toEqual([]);
    expect(decodeValues(bytes, 'u8', 'little', 0, 2)).toEqual([42, 31]);
    expect(valueText(bytes, 5, 'u32')).toBeUndefined();
    expect(valueText(bytes, -1, 'u8')).toBeUndefined();
    expect(() => decodeValue(bytes, 5, 'u32')).toThrow(RangeError);
  });

  it('reads the low half of a byte first, then the high one', () => {
    const packed = Uint8Array.of(0xf3, 0x8a);
    expect(decodeValues(packed, 'u4')).toEqual([3, 15, 10, 8]);
    expect(decodeValues(packed, 'i4')).toEqual([3, -1, -6, -8]);
    expect(decodeValues(packed, 'i4', 'little', 0, 3)).toEqual([3, -1, -6]);
    expect(valueText(packed, 0, 'i4')).toBe('3 -1');
    expect(decodeValue(packed, 1, 'u4', 'big', 1)).toBe(8);
    const one = Uint8Array.of(0xff);
    encodeValue(one, 0, 'i4', -8, 'little', 1);
    encodeValue(one, 0, 'u4', 18, 'little', 0);
    expect(one[0]).toBe(0x82);
  });

  it('reads both parts of a complex number', () => {
    const raw = new Uint8Array(16);
    new DataView(raw.buffer).setFloat32(0, 1.5, true);
    new DataView(raw.buffer).setFloat32(4, -3, true);
    expect(decodeValue(raw, 0, 'c64')).toEqual({ real: 1.5, imaginary: -3 });
    new DataView(raw.buffer).setFloat64(0, 0.1, false);
    new DataView(raw.buffer).setFloat64(8, 2, false);
    expect(decodeValue(raw, 0, 'c128', 'big')).toEqual({ real: 0.1, imaginary: 2 });
    expect(valueText(raw, 0, 'c128', 'big')).toBe('0.1+2i');
    expect(valueText(raw, 4, 'c128')).toBeUndefined();
  });

  it('knows zero and what is not finite in every kind of value', () => {
    expect([0, -0, 0n, { real: 0, imaginary: -0 }].map(isZero)).toEqual([true, true, true, true]);
    expect([1, 1n, Number.NaN, { real: 0, imaginary: 1 }].map(isZero)).toEqual([false, false, false, false]);
    expect([Number.NaN, { real: 1, imaginary: Number.POSITIVE_INFINITY }].map(isNotFinite)).toEqual([true, true]);
    expect([1, 1n, { real: 1, imaginary: 0 }].map(isNotFinite)).toEqual([false, false, false]);
  });

  it('respects a view into a larger buffer', () => {
    expect(decodeValue(new Uint8Array(bytes.buffer, 1, 2), 0, 'u16')).toBe(0x1f);
  });
});

describe('text', () => {
  it.each<[ElementValue, Parameters<typeof formatValue>[1], string]>([
    [0.1, 'f64', '0.1'],
    [Math.fround(0.1), 'f32', '0.1'],
    [Math.fround(16777217), 'f32', '16777216'],
    [Number.NaN, 'f16', 'NaN'],
    [Number.POSITIVE_INFINITY, 'f32', 'Inf'],
    [Number.NEGATIVE_INFINITY, 'bf16', '-Inf'],
    [-0, 'f32', '-0'],
    [2n ** 64n - 1n, 'u64', '18446744073709551615'],
    [-(2n ** 63n), 'i64', '-9223372036854775808'],
    [65504, 'f16', '65500'],
    [3.140625, 'bf16', '3.14'],
    [448, 'f8e4m3', '450'],
    [0.8125, 'f8e4m3', '0.8'],
    [57344, 'f8e5m2', '60000'],
    [0, 'bool', 'false'],
    [1, 'bool', 'true'],
    [7, 'bool', '7'],
    [{ real: 1.5, imaginary: -2 }, 'c64', '1.5-2i'],
    [{ real: -0, imaginary: Number.NaN }, 'c128', '-0+NaNi'],
    [{ real: Number.NEGATIVE_INFINITY, imaginary: -0 }, 'c64', '-Inf-0i'],
    [-8, 'i4', '-8'],
  ])('writes %s of %s as %s', (value, dtype, text) => {
    expect(formatValue(value, dtype)).toBe(text);
  });

  it('names the value exactly: text, read and rounded to the type, is the same bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 16, maxLength: 16 }),
        fc.constantFrom(...dtypeIds),
        fc.constantFrom('little', 'big'),
        (raw, dtype, order) => {
          const { bytes: size, perUnit } = dtypes[dtype];
          const back = new Uint8Array(16);
          for (let lane = 0; lane < perUnit; lane++) {
            const value = decodeValue(raw, 0, dtype, order, lane);
            const text = formatValue(value, dtype);
            if (text.includes('NaN')) return;
            // Only 0 and 1 are truth values: encoding makes others 1.
            if (dtype === 'bool' && value !== 0 && value !== 1) return;
            let parsed: ElementValue;
            if (typeof value === 'object') {
              const [, real = '', imaginary = ''] = /^(-?[^-+e]+(?:e[-+]\d+)?)([-+].*)i$/.exec(text) ?? [];
              parsed = { real: Number(readText(real, 0)), imaginary: Number(readText(imaginary, 0)) };
            } else parsed = readText(text, value);
            encodeValue(back, 0, dtype, parsed, order, lane);
          }
          expect([...back.subarray(0, size)]).toEqual([...raw.subarray(0, size)]);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('encoding', () => {
  it('wraps integers as typed arrays do', () => {
    const arrays = {
      u8: Uint8Array,
      i8: Int8Array,
      u16: Uint16Array,
      i16: Int16Array,
      u32: Uint32Array,
      i32: Int32Array,
    } as const;
    fc.assert(
      fc.property(fc.constantFrom(...(Object.keys(arrays) as (keyof typeof arrays)[])), fc.double(), (dtype, value) => {
        const mine = new Uint8Array(8);
        encodeValue(mine, 0, dtype, value);
        const expected = new arrays[dtype]([value]);
        expect([...mine.subarray(0, expected.byteLength)]).toEqual([...new Uint8Array(expected.buffer)]);
      }),
    );
  });
});
