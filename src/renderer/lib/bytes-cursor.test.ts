import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { at, type CursorSpace, moveCursor, selectionOf } from './bytes-cursor';

const space: CursorSpace = { size: 100, bytesPerRow: 16, rowsPerPage: 3, step: 1 };
const key = (key: string, mods: { ctrl?: boolean; shift?: boolean } = {}) => ({
  key,
  ctrl: false,
  shift: false,
  ...mods,
});

describe('moving in bytes', () => {
  it('moves by bytes, rows and pages and stops at the ends', () => {
    expect(moveCursor(at(20), key('ArrowLeft'), space)).toEqual(at(19));
    expect(moveCursor(at(0), key('ArrowLeft'), space)).toEqual(at(0));
    expect(moveCursor(at(99), key('ArrowRight'), space)).toEqual(at(99));
    expect(moveCursor(at(20), key('ArrowDown'), space)).toEqual(at(36));
    expect(moveCursor(at(20), key('PageDown'), space)).toEqual(at(68));
    expect(moveCursor(at(20), key('PageUp'), space)).toEqual(at(4));
  });

  it('keeps the column where the last row is short', () => {
    // The last row holds 96…99.
    expect(moveCursor(at(82), key('ArrowDown'), space)).toEqual(at(98));
    expect(moveCursor(at(90), key('ArrowDown'), space)).toEqual(at(90));
    expect(moveCursor(at(50), key('PageDown'), space)).toEqual(at(98));
    expect(moveCursor(at(60), key('PageDown'), space)).toEqual(at(92));
  });

  it('Home and End are those of the row, with Ctrl those of the memory', () => {
    expect(moveCursor(at(20), key('Home'), space)).toEqual(at(16));
    expect(moveCursor(at(20), key('End'), space)).toEqual(at(31));
    expect(moveCursor(at(97), key('End'), space)).toEqual(at(99));
    expect(moveCursor(at(20), key('Home', { ctrl: true }), space)).toEqual(at(0));
    expect(moveCursor(at(20), key('End', { ctrl: true }), space)).toEqual(at(99));
  });

  it('Shift stretches the selection from where it began, in both directions', () => {
    const down = moveCursor(at(20), key('ArrowDown', { shift: true }), space);
    expect(down).toEqual({ cursor: 36, anchor: 20 });
    expect(selectionOf(down ?? at(0), 100)).toEqual({ start: 20, end: 37 });
    const up = moveCursor(at(20), key('ArrowUp', { shift: true }), space);
    expect(selectionOf(up ?? at(0), 100)).toEqual({ start: 4, end: 21 });
  });

  it('moves by whole elements', () => {
    const values = { ...space, step: 4 };
    expect(moveCursor(at(4), key('ArrowRight'), values)).toEqual({ ...at(8), unit: 4 });
    expect(moveCursor(at(4), key('End'), values)).toEqual({ ...at(12), unit: 4 });
    expect(moveCursor(at(4), key('End', { ctrl: true }), values)).toEqual({ ...at(96), unit: 4 });
  });

  it('selects whole elements, and of the last one what there is', () => {
    expect(selectionOf({ ...at(8), unit: 4 }, 100)).toEqual({ start: 8, end: 12 });
    expect(selectionOf({ anchor: 4, cursor: 12, unit: 4 }, 100)).toEqual({ start: 4, end: 16 });
    expect(selectionOf({ anchor: 12, cursor: 4, unit: 4 }, 100)).toEqual({ start: 4, end: 16 });
    expect(selectionOf({ anchor: 5, cursor: 10, unit: 4 }, 100)).toEqual({ start: 4, end: 12 });
    expect(selectionOf({ anchor: 90, cursor: 96, unit: 8 }, 99)).toEqual({ start: 88, end: 99 });
  });

  it('leaves other keys alone', () => {
    expect(moveCursor(at(4), key('a'), space)).toBeUndefined();
  });

  it('never leaves the memory', () => {
    const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'PageUp', 'PageDown', 'Home', 'End'];
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 2 ** 53 - 1 }),
        fc.nat(),
        fc.constantFrom(...keys),
        fc.boolean(),
        fc.constantFrom(8, 16, 24, 32),
        (size, from, name, ctrl, bytesPerRow) => {
          const moved = moveCursor(at(from % size), key(name, { ctrl }), {
            size,
            bytesPerRow,
            rowsPerPage: 40,
            step: 1,
          });
          expect(moved?.cursor).toBeGreaterThanOrEqual(0);
          expect(moved?.cursor).toBeLessThan(size);
        },
      ),
    );
  });
});
