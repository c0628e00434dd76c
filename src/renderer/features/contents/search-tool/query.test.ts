import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeIds } from '#contract/dtypes';
import { forms, parseQuery } from './query';

const queries = (...args: Parameters<typeof parseQuery>) => {
  const read = parseQuery(...args);
  if (!read.ok) throw new Error(read.message);
  return read.wanted;
};
const problem = (...args: Parameters<typeof parseQuery>) => {
  const read = parseQuery(...args);
  if (read.ok) throw new Error('was understood');
  return [args[1].slice(read.at, read.end), read.message];
};

describe('what is searched for', () => {
  it('bytes with wildcards, however they are written', () => {
    const hello = { queries: [{ bytes: '48 ?? 6c' }], bytes: 3, aligned: false };
    expect(queries('bytes', '48 ?? 6c', 'u8')).toEqual(hello);
    expect(queries('bytes', ' 48??6C ', 'u8')).toEqual(hello);
    expect(queries('bytes', '0x48, ??, 6c', 'u8')).toEqual(hello);
  });

  it('text as UTF-8, blanks included', () => {
    expect(queries('text', 'hé', 'u8')).toEqual({ queries: [{ bytes: '68 c3 a9' }], bytes: 3, aligned: false });
    expect(queries('text', ' ', 'u8').queries).toEqual([{ bytes: '20' }]);
  });

  it('values as their type has them', () => {
    expect(queries('value', '0.1', 'f32')).toEqual({
      queries: [{ dtype: 'f32', value: Math.fround(0.1) }],
      bytes: 4,
      aligned: true,
    });
    expect(queries('value', '-inf', 'f16').queries).toEqual([{ dtype: 'f16', value: '-inf' }]);
    expect(queries('value', '0xffffffffffffffff', 'u64').queries).toEqual([
      { dtype: 'u64', value: '18446744073709551615' },
    ]);
    expect(queries('value', '1,000', 'i32').queries).toEqual([{ dtype: 'i32', value: 1000 }]);
    expect(queries('value', 'true', 'bool').queries).toEqual([{ dtype: 'bool', value: 1 }]);
    expect(queries('value', '2', 'c128')).toEqual({ queries: [{ dtype: 'f64', value: 2 }], bytes: 8, aligned: true });
    expect(queries('nan', '', 'bf16').queries).toEqual([{ dtype: 'bf16', is: 'nan' }]);
  });

  it('ranges', () => {
    const range = [{ dtype: 'f32', min: -1, max: 2.5 }];
    expect(queries('range', '-1 to 2.5', 'f32').queries).toEqual(range);
    expect(queries('range', '-1..2.5', 'f32').queries).toEqual(range);
    expect(queries('range', '-1 – 2.5', 'f32').queries).toEqual(range);
    expect(queries('range', '-inf to -1', 'f64').queries).toEqual([{ dtype: 'f64', min: '-inf', max: -1 }]);
  });

  it('in big-endian memory values and ranges, where bytes have an order', () => {
    const big = (...[form, text, dtype]: Parameters<typeof parseQuery>) => queries(form, text, dtype, 'big').queries;
    expect(big('value', '1.5', 'f32')).toEqual([{ dtype: 'f32', byteOrder: 'big', value: 1.5 }]);
    expect(big('range', '1 to 2', 'c64')).toEqual([{ dtype: 'f32', byteOrder: 'big', min: 1, max: 2 }]);
    expect(big('nan', '', 'f16')).toEqual([{ dtype: 'f16', byteOrder: 'big', is: 'nan' }]);
    expect(big('value', '7', 'u8')).toEqual([{ dtype: 'u8', value: 7 }]);
    expect(big('bytes', '01 02', 'f32')).toEqual([{ bytes: '01 02' }]);
  });

  it('points at the place where a text stops making sense', () => {
    expect(problem('bytes', '48 6x', 'u8')[0]).toBe('6');
    expect(problem('bytes', '48 zz', 'u8')[0]).toBe('z');
    expect(problem('bytes', '48 4', 'u8')).toEqual(['4', 'A byte has two digits: write 0 before a single one.']);
    expect(problem('bytes', '4? 41', 'u8')[0]).toBe('4?');
    expect(problem('bytes', '?? ??', 'u8')[1]).toContain('everywhere');
    expect(problem('value', '12.5', 'i32')).toEqual(['.5', '“.5” is not part of a whole number.']);
    expect(problem('value', '300', 'u8')).toEqual(['300', 'u8 holds 0 to 255.']);
    expect(problem('value', '1.5x', 'f32')[0]).toBe('x');
    expect(problem('range', '1 to x', 'f32')[0]).toBe('x');
    expect(problem('range', '2 to 1', 'f32')).toEqual(['1', 'The range ends before it begins.']);
    expect(problem('range', '2', 'f32')[1]).toContain('“to”');
    expect(problem('nan', '', 'i32')[1]).toContain('i32 has no NaN');
  });

  it('any text is read or refused, never thrown at', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom(...forms), fc.constantFrom(...dtypeIds), (text, form, dtype) => {
        const read = parseQuery(form, text, dtype);
        if (read.ok) expect(read.wanted.bytes).toBeGreaterThan(0);
        else {
          expect(read.at).toBeGreaterThanOrEqual(0);
          expect(read.end).toBeLessThanOrEqual(Math.max(text.length, read.at + 2));
        }
      }),
    );
  });
});
