import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bytesIn, COMPARE_ALL, partsToCompare } from './parts';

const GiB = 1024 ** 3;

describe('the bytes that a trial compares', () => {
  it('are all of them up to 256 MiB', () => {
    expect(partsToCompare([{ offset: 0, length: COMPARE_ALL }])).toEqual([{ offset: 0, length: COMPARE_ALL }]);
    const pieces = [
      { offset: 0, length: 10 },
      { offset: 100, length: 7 },
    ];
    expect(partsToCompare(pieces)).toEqual(pieces);
    expect(partsToCompare([])).toEqual([]);
  });

  it('are the first, the last and evenly spread ones of larger memory', () => {
    const parts = partsToCompare([{ offset: 0, length: 80 * GiB }]);
    expect(bytesIn(parts)).toBe(COMPARE_ALL);
    expect(parts[0]?.offset).toBe(0);
    const last = parts.at(-1);
    expect((last?.offset ?? 0) + (last?.length ?? 0)).toBe(80 * GiB);
    const gaps = parts.slice(1).map(({ offset }, index) => offset - (parts[index]?.offset ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(4 * GiB);
  });

  it('lie in the pieces, do not overlap, and are as many as can be', () => {
    const piece = fc.record({ gap: fc.integer({ min: 0, max: 3 * GiB }), length: fc.integer({ min: 1, max: GiB }) });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (made) => {
        let end = 0;
        const pieces = made.map(({ gap, length }) => {
          const offset = end + gap;
          end = offset + length;
          return { offset, length };
        });
        const parts = partsToCompare(pieces);
        expect(bytesIn(parts)).toBe(Math.min(COMPARE_ALL, bytesIn(pieces)));
        let before = 0;
        for (const { offset, length } of parts) {
          expect(offset).toBeGreaterThanOrEqual(before);
          before = offset + length;
          expect(pieces.some((p) => p.offset <= offset && before <= p.offset + p.length)).toBe(true);
        }
      }),
    );
  });
});
