import { describe, expect, it } from 'vitest';
import { f8e4m3ToNumber, f8e5m2ToNumber, numberToF8e4m3, numberToF8e5m2 } from './float8';

/**
 * The OFP8 specification as sums: a value is its sign times the sum of the powers of two that its bits stand for. Bits
 * are taken from a text of zeros and ones, so that nothing is shared with the code under test.
 */
function byDefinition(pattern: number, exponentBits: number, hasInfinity: boolean): number {
  const bits = pattern.toString(2).padStart(8, '0');
  const sign = bits[0] === '1' ? -1 : 1;
  const exponentText = bits.slice(1, 1 + exponentBits);
  const fractionText = bits.slice(1 + exponentBits);
  const bias = 2 ** (exponentBits - 1) - 1;
  const full = !exponentText.includes('0');
  if (hasInfinity && full) return fractionText.includes('1') ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  if (!hasInfinity && full && !fractionText.includes('0')) return Number.NaN;
  const exponent = Number.parseInt(exponentText, 2);
  let magnitude = exponent === 0 ? 0 : 1;
  [...fractionText].forEach((bit, place) => {
    if (bit === '1') magnitude += 1 / 2 ** (place + 1);
  });
  const power = (exponent === 0 ? 1 : exponent) - bias;
  for (let i = 0; i < power; i++) magnitude *= 2;
  for (let i = 0; i > power; i--) magnitude /= 2;
  return sign * magnitude;
}

describe.each([
  { name: 'E4M3', decode: f8e4m3ToNumber, encode: numberToF8e4m3, exponentBits: 4, hasInfinity: false },
  { name: 'E5M2', decode: f8e5m2ToNumber, encode: numberToF8e5m2, exponentBits: 5, hasInfinity: true },
])('$name', ({ decode, encode, exponentBits, hasInfinity }) => {
  const table = Array.from({ length: 256 }, (_, bits) => byDefinition(bits, exponentBits, hasInfinity));

  it('decodes all 256 patterns as the specification says', () => {
    for (let bits = 0; bits < 256; bits++) expect(decode(bits), `0x${bits.toString(16)}`).toBe(table[bits]);
  });

  it('encodes every value to its own pattern', () => {
    for (let bits = 0; bits < 256; bits++) {
      const value = table[bits] as number;
      if (!Number.isNaN(value)) expect(encode(value), String(value)).toBe(bits);
    }
    expect(decode(encode(Number.NaN))).toBeNaN();
  });

  it('rounds to the nearest value, ties to the even pattern, at 17 places between all neighbours', () => {
    const count = table.slice(0, 128).filter((value) => Number.isFinite(value)).length;
    const ordered = table.slice(0, count);
    // The place where the next value would be: infinity or NaN stands there.
    ordered.push((ordered[count - 1] as number) * 2 - (ordered[count - 2] as number));
    for (let index = 0; index < count; index++) {
      const [below, above] = [ordered[index] as number, ordered[index + 1] as number];
      for (let sixteenth = 0; sixteenth <= 16; sixteenth++) {
        const value = below + ((above - below) * sixteenth) / 16;
        const up = sixteenth > 8 || (sixteenth === 8 && index % 2 === 1);
        expect(encode(value), String(value)).toBe(index + (up ? 1 : 0));
        expect(encode(-value), String(-value)).toBe(index + (up ? 1 : 0) + 128);
      }
    }
  });

  it('has the limits of the specification', () => {
    const finite = table.filter((value) => Number.isFinite(value));
    expect(Math.max(...finite)).toBe(hasInfinity ? 57344 : 448);
    expect(Math.min(...finite.filter((value) => value > 0))).toBe(hasInfinity ? 2 ** -16 : 2 ** -9);
    const tooLarge = decode(encode(1e9));
    expect(tooLarge).toBe(hasInfinity ? Number.POSITIVE_INFINITY : Number.NaN);
    expect(decode(encode(Number.NEGATIVE_INFINITY))).toBe(hasInfinity ? Number.NEGATIVE_INFINITY : Number.NaN);
  });
});
