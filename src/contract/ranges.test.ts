import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ByteRange, clampRange, coalesceRanges, fitsIn, intersectRanges, subtractRanges } from './ranges';

const range = fc.record({ offset: fc.nat({ max: 60 }), length: fc.nat({ max: 20 }) });
/** The bytes of ranges as a set: the definition that the functions are measured against. */
const members = (...ranges: (ByteRange | undefined)[]): Set<number> =>
  new Set(ranges.flatMap((r) => (r ? Array.from({ length: r.length }, (_, index) => r.offset + index) : [])));

describe('fitsIn', () => {
  it('refuses everything that is not inside', () => {
    expect(fitsIn({ offset: 0, length: 10 }, 10)).toBe(true);
    expect(fitsIn({ offset: 10, length: 0 }, 10)).toBe(true);
    for (const [offset, length] of [
      [1, 10],
      [-1, 2],
      [0, -1],
      [0.5, 1],
      [0, Number.NaN],
      [2 ** 53, 1],
      [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
      [11, 0],
    ] as const) {
      expect(fitsIn({ offset, length }, 10)).toBe(false);
    }
  });
});

it('clamps, intersects, coalesces and subtracts as sets of bytes', () => {
  fc.assert(
    fc.property(range, range, fc.array(range), fc.nat({ max: 70 }), (a, b, list, size) => {
      const [inA, inB, inList] = [members(a), members(b), members(...list)];
      expect(members(clampRange(a, size))).toEqual(new Set([...inA].filter((at) => at < size)));
      expect(members(intersectRanges(a, b))).toEqual(new Set([...inA].filter((at) => inB.has(at))));
      const merged = coalesceRanges(list);
      expect(members(...merged)).toEqual(inList);
      for (let index = 1; index < merged.length; index++) {
        const before = merged[index - 1] as ByteRange;
        expect((merged[index] as ByteRange).offset).toBeGreaterThan(before.offset + before.length);
      }
      expect(members(...subtractRanges(a, list))).toEqual(new Set([...inA].filter((at) => !inList.has(at))));
    }),
    { numRuns: 2000 },
  );
});

it('joins ranges across a gap it was given', () => {
  expect(
    coalesceRanges(
      [
        { offset: 8, length: 2 },
        { offset: 0, length: 4 },
      ],
      4,
    ),
  ).toEqual([{ offset: 0, length: 10 }]);
});
