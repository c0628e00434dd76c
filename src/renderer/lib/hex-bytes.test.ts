import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHexBytes } from './hex-bytes';

const read = (text: string) => {
  const reading = parseHexBytes(text);
  return reading.ok ? [...reading.bytes] : reading.problem;
};

describe('bytes in hexadecimal', () => {
  it.each([
    '21 00 ff',
    '2100ff',
    '0x21,0x00, 0xFF',
    '21:00:ff',
    ' 21\n0 ff ',
    '\\x21\\x00\\xff',
    '{0x21,0x0,0xff}',
    '[21, 0, ff]\n',
  ])('%j is three bytes', (text) => {
    expect(read(text)).toEqual([0x21, 0, 0xff]);
  });

  it('says what is wrong', () => {
    for (const text of ['', '  ', ' , ', '{}']) expect(read(text)).toMatch(/Give bytes/);
    expect(read('xyz')).toMatch(/“x” is not a hex digit/);
    expect(read('41 zz')).toMatch(/“z” is not a hex digit/);
    expect(read('41 212')).toMatch(/“212” has an odd number/);
  });

  it('reads back the hex of any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 64 }), fc.constantFrom('', ' ', ', ', ':'), (data, part) => {
        const hex = [...data].map((byte) => byte.toString(16).padStart(2, '0'));
        expect(read(hex.join(part))).toEqual([...data]);
      }),
    );
  });
});
