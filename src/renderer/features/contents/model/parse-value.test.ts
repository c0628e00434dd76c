import fc from 'fast-check';
import { expect, it } from 'vitest';
import { valueText } from '#contract/decode-values';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { parseValue } from './parse-value';

const text = (typed: string, dtype: DtypeId): string => {
  const read = parseValue(typed, dtype, 'little');
  return read.ok ? (valueText(read.bytes, 0, dtype) as string) : read.message;
};

it('reads what is shown of any value, in every type and byte order', () => {
  for (const dtype of dtypeIds) {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: dtypes[dtype].bytes, maxLength: dtypes[dtype].bytes }),
        fc.constantFrom('little' as const, 'big' as const),
        (bytes, order) => {
          const shown = valueText(bytes, 0, dtype, order) as string;
          // A truth value that is neither 0 nor 1 is shown as its number, and nobody types that.
          fc.pre(dtype !== 'bool' || (bytes[0] as number) < 2);
          const read = parseValue(shown, dtype, order);
          expect(read.ok, `${dtype} ${shown}`).toBe(true);
          if (read.ok) expect(valueText(read.bytes, 0, dtype, order)).toBe(shown);
        },
      ),
    );
  }
});

it('reads what people write', () => {
  expect(text('0xff', 'u8')).toBe('255');
  expect(text('-0x80', 'i8')).toBe('-128');
  expect(text('18,446,744,073,709,551,615', 'u64')).toBe('18446744073709551615');
  expect(text('.5', 'f16')).toBe('0.5');
  expect(text('-inf', 'f32')).toBe('-Inf');
  expect(text('TRUE', 'bool')).toBe('true');
  expect(text('2', 'c64')).toBe('2+0i');
  expect(text('1e-3-2.5e+2i', 'c128')).toBe('0.001-250i');
  expect(text('7, -8', 'i4')).toBe('7 -8');
});

it('refuses what the type does not hold', () => {
  expect(text('256', 'u8')).toBe('u8 holds 0 to 255.');
  expect(text('-1', 'u32')).toBe('u32 holds 0 to 4294967295.');
  expect(text('1.5', 'i32')).toBe('“1.5” is no whole number.');
  expect(text('abc', 'f32')).toBe('“abc” is no number.');
  expect(text('', 'f32')).toBe('“” is no number.');
  expect(text('3', 'u4')).toBe('A byte holds 2 elements of u4: write 2 numbers.');
  expect(text('2', 'bool')).toBe('“2” is neither true nor false.');
});

it('writes one element of a byte that two share, and leaves the other', () => {
  const half = (word: string, byte: number, lane: number) => parseValue(word, 'i4', 'little', { byte, lane });
  expect(half('-1', 0x21, 0)).toEqual({ ok: true, bytes: Uint8Array.of(0x2f) });
  expect(half('7', 0x21, 1)).toEqual({ ok: true, bytes: Uint8Array.of(0x71) });
  expect(half('8', 0x21, 1)).toEqual({ ok: false, message: 'i4 holds -8 to 7.' });
  expect(half('1 2', 0x21, 1).ok).toBe(false);
});
