import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeIds, dtypes } from '#contract/dtypes';
import { contiguous, elementPlace, type TensorLayout } from './shape';
import { cellIndex, cellPlace, firstSlice, parseSlice, type Slice, sliceText, tableSize, windowRanges } from './slice';

describe('a slice as text', () => {
  it.each<[string, number[], Slice]>([
    ['[:, 3, :, 0]', [2, 4, 5, 6], { rows: 0, columns: 2, at: [0, 3, 0, 0] }],
    ['[:, 3, :, 0].T', [2, 4, 5, 6], { rows: 2, columns: 0, at: [0, 3, 0, 0] }],
    ['-1, ...', [3, 4, 5], { rows: 1, columns: 2, at: [2, 0, 0] }],
    ['[..., 0]', [3, 4], { rows: null, columns: 0, at: [0, 0] }],
    ['1', [3, 4], { rows: null, columns: 1, at: [1, 0] }],
    ['[2, 3]', [3, 4], { rows: null, columns: null, at: [2, 3] }],
    ['', [], { rows: null, columns: null, at: [] }],
  ])('%s', (text, shape, slice) => {
    expect(parseSlice(text, shape)).toEqual({ ok: true, value: slice });
    expect(parseSlice(sliceText(slice), shape)).toEqual({ ok: true, value: slice });
  });

  it.each<[string, RegExp]>([
    ['[:, :, :]', /3 dimensions are free/],
    ['[5, :, :]', /Dimension 0 has 3 elements/],
    ['[-4, :, :]', /none of them/],
    ['[0, 1:3, :]', /shown whole/],
    ['[0, 0, 0, 0]', /3 dimensions, the slice 4/],
    ['[..., ...]', /one/],
    ['[x]', /no index/],
    ['[0]]', /A slice is like/],
  ])('not %s', (text, message) => {
    const reading = parseSlice(text, [3, 4, 5]);
    expect(reading.ok ? '' : reading.message).toMatch(message);
  });

  it('of a new tensor shows the last two dimensions', () => {
    expect(sliceText(firstSlice([2, 3, 4]))).toBe('[0, :, :]');
    expect(sliceText(firstSlice([4]))).toBe('[:]');
    expect(sliceText(firstSlice([]))).toBe('[]');
  });
});

const tables = fc
  .array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: -300, max: 300 })), { minLength: 1, maxLength: 4 })
  .chain((dimensions) => {
    const count = dimensions.length;
    return fc.record({
      layout: fc.record({
        dtype: fc.constantFrom(...dtypeIds),
        shape: fc.constant(dimensions.map(([length]) => length)),
        strides: fc.constant(dimensions.map(([, stride]) => stride)),
        offset: fc.constant(100_000),
      }),
      slice: fc.record({
        rows: fc.constantFrom(null, ...Array.from({ length: count - 1 }, (_, i) => i)),
        columns: fc.constant(count - 1),
        at: fc.tuple(...dimensions.map(([length]) => fc.nat({ max: length - 1 }))),
      }),
    }) as fc.Arbitrary<{ layout: TensorLayout; slice: Slice }>;
  });

describe('a table', () => {
  it('has its cells where the tensor has the elements', () => {
    fc.assert(
      fc.property(tables, fc.nat({ max: 5 }), fc.nat({ max: 5 }), ({ layout, slice }, row, column) => {
        const size = tableSize(layout.shape, slice);
        const [r, c] = [row % size.rows, column % size.columns];
        expect(cellPlace(layout, slice, r, c)).toEqual(elementPlace(layout, cellIndex(slice, r, c)));
      }),
      { numRuns: 1000 },
    );
  });

  it('is read by ranges that hold each visible cell, are in order, apart, and begin and end at cells', () => {
    fc.assert(
      fc.property(
        tables,
        fc.record({
          row: fc.integer({ min: -2, max: 6 }),
          column: fc.integer({ min: -2, max: 6 }),
          rows: fc.nat({ max: 6 }),
          columns: fc.nat({ max: 6 }),
        }),
        fc.constantFrom(0, 16, 256),
        ({ layout, slice }, window, gap) => {
          const { bytes } = dtypes[layout.dtype];
          const size = tableSize(layout.shape, slice);
          const ranges = windowRanges(layout, slice, window, gap);
          const edges = new Set<number>();
          for (let row = Math.max(0, window.row); row < Math.min(size.rows, window.row + window.rows); row++) {
            for (let c = Math.max(0, window.column); c < Math.min(size.columns, window.column + window.columns); c++) {
              const { byte } = cellPlace(layout, slice, row, c);
              edges.add(byte).add(-(byte + bytes));
              expect(ranges.some(({ offset, length }) => offset <= byte && byte + bytes <= offset + length)).toBe(true);
            }
          }
          ranges.forEach(({ offset, length }, i) => {
            const next = ranges[i + 1];
            if (next !== undefined) expect(next.offset - (offset + length)).toBeGreaterThan(gap);
            expect(edges.has(offset) && edges.has(-(offset + length))).toBe(true);
          });
          if (edges.size === 0) expect(ranges).toEqual([]);
        },
      ),
      { numRuns: 1500 },
    );
  });

  it('asks for one range where rows lie together, and for one per row where they do not', () => {
    const window = { row: 0, column: 0, rows: 50, columns: 20 };
    const image = contiguous('f32', [1000, 1000]);
    expect(windowRanges(image, firstSlice(image.shape), window)).toHaveLength(50);
    expect(windowRanges(contiguous('f32', [1000, 20]), firstSlice([1000, 20]), window)).toHaveLength(1);
    const turned = { rows: 1, columns: 0, at: [0, 0] };
    expect(windowRanges(image, turned, window)).toHaveLength(20);
    const huge = { row: 0, column: 0, rows: 1e9, columns: 1e9 };
    const apart = { ...contiguous('f32', [1e6, 1e6]), strides: [1e9, 1e3] };
    expect(windowRanges(apart, firstSlice(apart.shape), { ...huge, columns: 1000 }).length).toBeLessThanOrEqual(65_536);
  });
});
