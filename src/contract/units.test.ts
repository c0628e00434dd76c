import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatAge, formatBytes, formatCount, formatDuration, formatRate, formatSize, parseSize } from './units';

const KiB = 1024;
const MiB = KiB * KiB;
const GiB = KiB * MiB;

describe('sizes', () => {
  it.each<[number, string]>([
    [0, '0 B'],
    [1023, '1023 B'],
    [KiB, '1.00 KiB'],
    [4 * KiB, '4.00 KiB'],
    [64 * MiB, '64.0 MiB'],
    [256 * MiB, '256 MiB'],
    [64 * GiB, '64.0 GiB'],
    [140 * GiB, '140 GiB'],
    [MiB - 1, '1.00 MiB'],
    [9.996 * KiB, '10.0 KiB'],
    [99.96 * KiB, '100 KiB'],
    [2 ** 53 - 1, '8192 TiB'],
  ])('writes %d as %s', (bytes, text) => {
    expect(formatSize(bytes)).toBe(text);
  });

  it.each<[string, number]>([
    ['4096', 4096],
    ['4,096 B', 4096],
    ['64 MiB', 64 * MiB],
    ['64mib', 64 * MiB],
    ['1.5 GiB', 1.5 * GiB],
    ['2g', 2 * GiB],
    ['1 MB', 1e6],
    ['0x1000', 4096],
    ['1.1 GiB', 1181116006],
    ['0', 0],
  ])('reads %s', (text, bytes) => {
    expect(parseSize(text)).toEqual({ ok: true, bytes });
  });

  it.each(['', 'MiB', '-1', '1 XiB', '1..2', '1,5 MiB', '0.3 B', '99999999 TiB', '1e3', 'NaN', '4 096'])(
    'refuses %j in words',
    (text) => {
      const reading = parseSize(text);
      expect(reading.ok).toBe(false);
      if (!reading.ok) expect(reading.problem).toMatch(/\.$/);
    },
  );

  it('reads what it writes, within the three digits', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 46 }), (bytes) => {
        const back = parseSize(formatSize(bytes));
        expect(back.ok).toBe(true);
        if (back.ok) expect(Math.abs(back.bytes - bytes)).toBeLessThanOrEqual(bytes * 0.006);
        expect(parseSize(formatBytes(bytes))).toEqual({ ok: true, bytes });
      }),
    );
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseSize(text)));
  });
});

it.each<[number, string]>([
  [0, '0.0 µs'],
  [0.62, '0.6 µs'],
  [27.9, '27.9 µs'],
  [412, '412 µs'],
  [999.6, '1.00 ms'],
  [12_340, '12.3 ms'],
  [4_200_000, '4.20 s'],
  [185e6, '3 min 5 s'],
  [Number.NaN, 'unknown'],
])('writes a duration of %d µs as %s', (us, text) => {
  expect(formatDuration(us)).toBe(text);
});

it.each<[number, string]>([
  [-5, 'now'],
  [999, 'now'],
  [8_000, '8 s'],
  [185_000, '3 min 5 s'],
  [59 * 60_000, '59 min'],
  [3_600_000 * 2 + 60_000 * 14, '2 h 14 min'],
  [3_600_000 * 74, '3 d 2 h'],
  [Number.NaN, 'now'],
])('writes an age of %d ms as %s', (ms, text) => {
  expect(formatAge(ms)).toBe(text);
});

it('groups counts', () => {
  expect(formatCount(1284)).toBe('1,284');
  expect(formatCount(-1234567)).toBe('−1,234,567');
  expect(formatCount(2n ** 64n)).toBe('18,446,744,073,709,551,616');
  expect(formatCount(2 ** 80)).toBe('1,208,925,819,614,629,174,706,176');
  expect(formatRate(40 * KiB)).toBe('40.0 KiB/s');
});
