import { describe, expect, it } from 'vitest';
import { pastedBytes } from './paste';

const hex = (text: string) => {
  const bytes = pastedBytes(text, 'hex');
  return bytes && [...bytes];
};

describe('pasting', () => {
  it.each([
    '41 00 ff',
    '4100ff',
    '0x41, 0x00, 0xff',
    '\\x41\\x00\\xff',
    '{0x41,0x0,0xff}',
    '41:00:FF',
    '[41, 0, ff]\n',
  ])('%s is hexadecimal', (text) => {
    expect(hex(text)).toEqual([0x41, 0, 0xff]);
  });
  it.each(['', '  ', 'hello', '123', '41 zz'])('%j is none', (text) => {
    expect(hex(text)).toBeUndefined();
  });
  it('in the text column it is text', () => {
    expect([...(pastedBytes('41é', 'text') ?? [])]).toEqual([0x34, 0x31, 0xc3, 0xa9]);
  });
});
