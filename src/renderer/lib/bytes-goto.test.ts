import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GotoContext, parseGoto } from './bytes-goto';

const context: GotoContext = { size: 4 * 2 ** 20, cursor: 0x100, elementBytes: 4, address: '0x7f41a8000000' };
const offset = (text: string, changed: Partial<GotoContext> = {}) => {
  const result = parseGoto(text, { ...context, ...changed });
  return result.ok ? result.offset : result.message;
};

describe('go to', () => {
  it.each([
    ['0x10', 16],
    ['4096', 4096],
    ['4,194,303', 4_194_303],
    ['1_000', 1000],
    ['0b1000', 8],
    ['0x1000+4*128', 0x1200],
    ['(0x1000 + 4) * 2', 0x2008],
    ['10-2-3', 5],
    ['17/4', 4],
    ['17%4', 1],
    ['1<<20', 2 ** 20],
    ['0x100>>4', 16],
    ['2 MiB', 2 * 2 ** 20],
    ['2m', 2 * 2 ** 20],
    ['1.5KiB', 1536],
    ['[12]', 48],
    ['[3]+2', 14],
    ['end', 4_194_303],
    ['end-15', 4_194_288],
    ['here', 0x100],
    ['+16', 0x110],
    ['-0x40', 0xc0],
    ['+[2]', 0x108],
    ['0x7f41a8000010', 16],
    ['  0x20  ', 32],
  ])('%s', (text, expected) => {
    expect(offset(text)).toBe(expected);
  });

  it.each([
    ['', 'Write an offset'],
    ['0x', 'Digits are missing'],
    ['1f0', 'Write hexadecimal with 0x: 0x1f0.'],
    ['ff', 'Write hexadecimal with 0x: 0xff.'],
    ['12 kb', 'KB could be 1000 or 1024: write KiB.'],
    ['12 apples', '“apples” is not a unit'],
    ['1.5', 'whole number'],
    ['4194304', 'The last byte is at 4,194,303 (0x3fffff).'],
    ['-0x101', 'before the first byte'],
    ['(1+2', 'A “)” is missing.'],
    ['[1', 'A “]” is missing.'],
    ['1/0', 'divided by 0'],
    ['1+', 'Something is missing at the end.'],
    ['1 2', '“2” is not understood here.'],
    ['9<<9999', 'Shift by'],
    ['1<<64*1<<64*1<<64', 'too large'],
  ])('%s is explained', (text, message) => {
    expect(offset(text)).toContain(message);
  });

  it('says where the mistake is', () => {
    expect(parseGoto('0x10+zz', context)).toMatchObject({ ok: false, at: 5 });
  });

  it('is exact up to 2^53', () => {
    expect(offset('end', { size: Number.MAX_SAFE_INTEGER })).toBe(Number.MAX_SAFE_INTEGER - 1);
    expect(offset('0x1ffffffffffffe', { size: Number.MAX_SAFE_INTEGER })).toBe(Number.MAX_SAFE_INTEGER - 1);
  });

  it('answers every text with an offset inside the memory or a sentence', () => {
    const piece = fc.constantFrom(
      '0x10',
      '7',
      '+',
      '-',
      '*',
      '/',
      '%',
      '(',
      ')',
      '[',
      ']',
      '<<',
      '>>',
      'end',
      'here',
      'KiB',
      ' ',
      '.',
      ',',
      'x',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const result = parseGoto(pieces.join(''), context);
        if (result.ok) {
          expect(Number.isSafeInteger(result.offset)).toBe(true);
          expect(result.offset).toBeGreaterThanOrEqual(0);
          expect(result.offset).toBeLessThan(context.size);
        } else expect(result.message).not.toBe('');
      }),
    );
    fc.assert(fc.property(fc.string(), (text) => void parseGoto(text, context)));
  });
});

describe('packed elements', () => {
  it('go to the byte that holds them', () => {
    const packed = { ...context, elementBytes: 1, elementsPerUnit: 2 };
    expect(parseGoto('[7]', packed)).toEqual({ ok: true, offset: 3 });
    expect(parseGoto('[8]', packed)).toEqual({ ok: true, offset: 4 });
  });
});
