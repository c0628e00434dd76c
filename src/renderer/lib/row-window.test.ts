import { describe, expect, it } from 'vitest';
import { equalRows, type RowPlaces, renderedRows, rowsOfLines, windowedRows } from './row-window';

const ROOM = 260;

describe('places of rows', () => {
  it('counts lines', () => {
    const places = rowsOfLines([1, 2, 1, 1, 2], 20);
    expect([0, 1, 2, 3, 4, 5].map(places.top)).toEqual([0, 20, 60, 80, 100, 140]);
    expect(places.height).toBe(140);
    expect([0, 19, 20, 59, 60, 99, 100, 139].map(places.at)).toEqual([0, 0, 1, 1, 2, 3, 4, 4]);
  });

  it('is the same for rows of one line and rows of one height', () => {
    const lines = rowsOfLines(Array<number>(1000).fill(1), 26);
    const equal = equalRows(1000, 26);
    expect(lines).toMatchObject({ count: equal.count, height: equal.height, least: equal.least });
    for (const y of [0, 25, 26, 12_345]) expect(lines.at(y)).toBe(equal.at(y));
    for (const index of [0, 1, 999]) expect(lines.top(index)).toBe(equal.top(index));
  });

  it('is nothing for no rows', () => {
    const places = rowsOfLines([], 20);
    expect([places.height, places.at(0), renderedRows(places, ROOM)]).toEqual([0, 0, 0]);
    expect(windowedRows(places, 0, 0, true)).toEqual([]);
  });
});

const mixed = rowsOfLines(
  Array.from({ length: 500 }, (_, index) => (index % 3 === 0 ? 2 : 1)),
  26,
);

describe.each<[string, RowPlaces]>([
  ['many rows', equalRows(10_000, 26)],
  ['as many as fit', equalRows(10, 26)],
  ['fewer than fit', equalRows(3, 26)],
  ['rows of one and two lines', mixed],
])('the window over %s', (_name, places) => {
  const rendered = renderedRows(places, ROOM);
  const scrollable = Math.max(0, places.height - ROOM);
  const positions = [0, 1, 25, 26, 27, 1000, 1013, scrollable - 1, scrollable].filter((y) => y >= 0 && y <= scrollable);

  it('holds every row in sight, each in an element of its own', () => {
    for (const y of positions) {
      const rows = windowedRows(places, places.at(y), rendered, true);
      expect(rows).toHaveLength(rendered);
      expect(new Set(rows.map(({ slot }) => slot)).size).toBe(rendered);
      const [first, last] = [rows.at(0), rows.at(-1)];
      expect(first?.top).toBeLessThanOrEqual(y);
      expect(places.top((last?.index ?? 0) + 1)).toBeGreaterThanOrEqual(Math.min(y + ROOM, places.height));
      expect(rows.map(({ index }) => index)).toEqual(rows.map((_, at) => (first?.index ?? 0) + at));
      for (const { index, top } of rows) expect(top).toBe(places.top(index));
    }
  });

  it('leaves elements in their order while it scrolls', () => {
    for (const y of positions) {
      const rows = windowedRows(places, places.at(y), rendered, false);
      expect(rows.map(({ slot }) => slot)).toEqual(Array.from({ length: rendered }, (_, slot) => slot));
      const inOrder = windowedRows(places, places.at(y), rendered, true);
      expect(rows.toSorted((a, b) => a.index - b.index)).toEqual(inOrder);
    }
  });
});

it('changes one element when it scrolls by one row', () => {
  const places = equalRows(10_000, 26);
  const rendered = renderedRows(places, ROOM);
  const bySlot = (row: number) => windowedRows(places, row, rendered, false).map(({ index }) => index);
  const [before, after] = [bySlot(500), bySlot(501)];
  expect(before.filter((index, slot) => after[slot] !== index)).toHaveLength(1);
});
