import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bf16ToNumber, f16ToNumber, numberToBf16, numberToF16 } from './float16';

/**
 * SHA-256 over the 65,536 decoded values as little-endian doubles (NaN as 7ff8000000000000), computed with CPython
 * 3.11: struct.unpack('<e', …) for half precision, struct.unpack('<f', bits << 16) for bfloat16.
 */
const CPYTHON = {
  f16: 'ecc18b9b372011f0402dc5e75578328f4b1582c725748617e1451a3ccc7981a5',
  bf16: '6a00f29e7303e153fd9ec155cefb51fd665981aa463226c50006bc72f6739520',
};

function digest(decode: (bits: number) => number): string {
  const out = new DataView(new ArrayBuffer(65536 * 8));
  for (let bits = 0; bits < 65536; bits++) {
    const value = decode(bits);
    if (Number.isNaN(value)) out.setBigUint64(bits * 8, 0x7ff8000000000000n, true);
    else out.setFloat64(bits * 8, value, true);
  }
  return createHash('sha256').update(Buffer.from(out.buffer)).digest('hex');
}

/** The definition of the format, with powers and divisions only. */
function byDefinition(bits: number, exponentBits: number, fractionBits: number): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = bits >= 32768 ? -1 : 1;
  const exponent = Math.floor((bits % 32768) / 2 ** fractionBits);
  const fraction = (bits % 2 ** fractionBits) / 2 ** fractionBits;
  if (exponent === 2 ** exponentBits - 1) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** (1 - bias) : sign * (1 + fraction) * 2 ** (exponent - bias);
}

describe.each([
  { name: 'f16' as const, decode: f16ToNumber, encode: numberToF16, exponentBits: 5, fractionBits: 10 },
  { name: 'bf16' as const, decode: bf16ToNumber, encode: numberToBf16, exponentBits: 8, fractionBits: 7 },
])('$name', ({ name, decode, encode, exponentBits, fractionBits }) => {
  const table = Array.from({ length: 65536 }, (_, bits) => byDefinition(bits, exponentBits, fractionBits));

  it('decodes all 65,536 patterns as CPython does', () => {
    expect(digest(decode)).toBe(CPYTHON[name]);
  });

  it('decodes all 65,536 patterns as the definition says', () => {
    for (let bits = 0; bits < 65536; bits++)
      if (!Object.is(decode(bits), table[bits])) throw new Error(`0x${bits.toString(16)}`);
  });

  it('encodes every value to its own pattern', () => {
    for (let bits = 0; bits < 65536; bits++) {
      const value = table[bits] as number;
      if (!Number.isNaN(value) && encode(value) !== bits) throw new Error(`0x${bits.toString(16)}`);
    }
    expect(decode(encode(Number.NaN))).toBeNaN();
  });

  it('rounds to the nearest value, ties to the even pattern', () => {
    // The positive finite values in order of their patterns are in order of size; infinity stands for the next step.
    const finite = table.slice(0, (2 ** exponentBits - 1) * 2 ** fractionBits);
    const step = (finite.at(-1) as number) - (finite.at(-2) as number);
    const ordered = [...finite, (finite.at(-1) as number) + step];
    fc.assert(
      fc.property(
        fc.nat({ max: finite.length - 1 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        (index, part, negative) => {
          const below = ordered[index] as number;
          const above = ordered[index + 1] as number;
          const value = below + (above - below) * part;
          const middle = below + (above - below) / 2;
          const nearest = value < middle || (value === middle && index % 2 === 0) ? index : index + 1;
          expect(encode(negative ? -value : value)).toBe(negative ? nearest + 32768 : nearest);
        },
      ),
      {
        numRuns: 20_000,
        examples: [
          [0, 0.5, false],
          [1, 0.5, false],
          [finite.length - 1, 0.5, true],
          [finite.length - 2, 0.5, true],
        ],
      },
    );
  });
});
