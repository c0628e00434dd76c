import { expect, it } from 'vitest';
import { dtypeIds, dtypes } from '#contract/dtypes';
import { exactFacts } from './exact-facts';

const facts = (bytes: number[], dtype: Parameters<typeof exactFacts>[1], order: 'little' | 'big' = 'little') =>
  Object.fromEntries(exactFacts(Uint8Array.from(bytes), dtype, order).map(({ name, text }) => [name, text]));

it('says what a float is made of and which number it is', () => {
  expect(facts([0xcd, 0xcc, 0xcc, 0x3d], 'f32')).toEqual({
    bits: '0x3dcccccd',
    'sign, exponent, fraction': '0 01111011 10011001100110011001101',
    kind: 'normal × 2^-4',
    decimal: '0.100000001490116119384765625',
  });
  expect(facts([0x7f, 0xc0, 0, 0], 'f32', 'big')).toMatchObject({ kind: 'nan', decimal: 'NaN' });
});

it('cuts a decimal of a thousand digits', () => {
  const { decimal } = facts([1, 0, 0, 0, 0, 0, 0, 0], 'f64');
  expect(decimal).toMatch(/^0\.0{118}… \(\d+ more digits\)$/);
});

it('says both parts of complex numbers and the bits of everything else', () => {
  expect(facts([0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0], 'c64')).toMatchObject({
    'real, decimal': '1',
    'imaginary, decimal': '-2',
  });
  expect(facts([0xfe, 0xff], 'i16')).toEqual({ bits: '0xfffe', binary: '11111111 11111110' });
  for (const dtype of dtypeIds)
    expect(exactFacts(new Uint8Array(dtypes[dtype].bytes), dtype, 'little').length).toBeGreaterThan(1);
});
