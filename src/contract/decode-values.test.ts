import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValue, decodeValues, encodeValue, formatValue, valueText } from './decode-values';
import { dtypeIds, dtypes } from './dtypes';

const bytes = Uint8Array.from([0x2a, 0x1f, 0, 0, 0, 0, 0, 0xff]);

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

  it('respects a view into a larger buffer', () => {
    expect(decodeValue(new Uint8Array(bytes.buffer, 1, 2), 0, 'u16')).toBe(0x1f);
  });
});

describe('text', () => {
  it.each<[number | bigint, Parameters<typeof formatValue>[1], string]>([
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
  ])('writes %s of %s as %s', (value, dtype, text) => {
    expect(formatValue(value, dtype)).toBe(text);
  });

  it('names the value exactly: text, read and rounded to the type, is the same bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 8, maxLength: 8 }),
        fc.constantFrom(...dtypeIds),
        fc.constantFrom('little', 'big'),
        (raw, dtype, order) => {
          const value = decodeValue(raw, 0, dtype, order);
          const text = formatValue(value, dtype);
          if (text === 'NaN') return;
          const back = new Uint8Array(8);
          const parsed = typeof value === 'bigint' ? BigInt(text) : Number(text.replace('Inf', 'Infinity'));
          encodeValue(back, 0, dtype, parsed, order);
          const size = dtypes[dtype].bytes;
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
