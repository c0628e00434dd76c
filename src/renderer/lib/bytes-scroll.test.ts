import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  centreRow,
  clampPosition,
  lastPosition,
  positionOfThumb,
  revealRow,
  type ScrollSpace,
  scrollByPixels,
  scrollByRows,
  thumbOf,
} from './bytes-scroll';

const space = (rows: number, viewHeight = 250): ScrollSpace => ({ rows, rowHeight: 20, viewHeight });
/** 2^53 bytes in rows of 16. */
const huge = space(2 ** 49);

describe('logical scroll', () => {
  it('ends where the last row meets the bottom', () => {
    expect(lastPosition(space(100, 240))).toEqual({ row: 88, px: 0 });
    expect(lastPosition(space(100, 250))).toEqual({ row: 87, px: 10 });
    expect(lastPosition(space(5, 250))).toEqual({ row: 0, px: 0 });
  });

  it('keeps row numbers exact at 2^53 bytes', () => {
    const end = scrollByRows(huge, { row: 0, px: 0 }, Number.MAX_SAFE_INTEGER);
    expect(end).toEqual(lastPosition(huge));
    expect(end.row + 13).toBe(2 ** 49);
    const up = scrollByPixels(huge, end, -10);
    expect(up).toEqual({ row: end.row, px: 0 });
    expect(scrollByPixels(huge, up, -1)).toEqual({ row: end.row - 1, px: 19 });
  });

  it('moves by pixels across rows and back', () => {
    const small = space(1000);
    const there = scrollByPixels(small, { row: 3, px: 5 }, 137);
    expect(there).toEqual({ row: 10, px: 2 });
    expect(scrollByPixels(small, there, -137)).toEqual({ row: 3, px: 5 });
    expect(scrollByPixels(small, { row: 0, px: 3 }, -50)).toEqual({ row: 0, px: 0 });
  });

  it('reveals a row with the least movement', () => {
    const small = space(1000);
    const at = { row: 100, px: 4 };
    expect(revealRow(small, at, 105)).toBe(at);
    expect(revealRow(small, at, 100)).toEqual({ row: 100, px: 0 });
    expect(revealRow(small, at, 20)).toEqual({ row: 20, px: 0 });
    // 250 px hold 12 rows and a half: row 112 ends at the bottom.
    expect(revealRow(small, at, 113)).toEqual({ row: 101, px: 10 });
    expect(revealRow(huge, { row: 0, px: 0 }, 2 ** 49 - 1)).toEqual(lastPosition(huge));
  });

  it('puts a jump a third down', () => {
    expect(centreRow(space(1000), 500)).toEqual({ row: 496, px: 0 });
    expect(centreRow(space(1000), 1)).toEqual({ row: 0, px: 0 });
    expect(centreRow(space(1000), 999)).toEqual(lastPosition(space(1000)));
  });

  it('has no thumb when everything is in sight', () => {
    expect(thumbOf(space(12), { row: 0, px: 0 }, 250)).toBeUndefined();
  });

  it('the ends of the track are the ends of the memory, at any size', () => {
    for (const rows of [14, 1000, 4_194_304, 2 ** 49]) {
      const s = space(rows);
      const end = thumbOf(s, lastPosition(s), 250);
      expect(end && end.top + end.height).toBe(250);
      expect(positionOfThumb(s, 250, 250)).toEqual(lastPosition(s));
      expect(positionOfThumb(s, -3, 250)).toEqual({ row: 0, px: 0 });
    }
  });

  it('dragging the thumb to where it lies stays within one pixel of the track', () => {
    fc.assert(
      fc.property(fc.integer({ min: 20, max: 2 ** 49 }), fc.integer({ min: 0, max: 226 }), (rows, top) => {
        const s = space(rows);
        const at = positionOfThumb(s, top, 250);
        expect(clampPosition(s, at)).toEqual(at);
        const thumb = thumbOf(s, at, 250);
        if (!thumb) throw new Error('a thumb was expected');
        const room = 250 - thumb.height;
        expect(Math.abs(thumb.top - Math.min(top, room))).toBeLessThanOrEqual(1);
      }),
    );
  });
});
