import fc from 'fast-check';
import { expect, it } from 'vitest';
import { dtypes } from '#contract/dtypes';
import { contiguousStrides, elementPlace, type TensorLayout } from '#contract/tensor/shape';
import { cellPlace, firstSlice, type Slice, tableSize } from '#contract/tensor/slice';
import { cellAfter, cellOfByte, indexOfByte } from './cell-of-byte';

it('finds the cell of any of its bytes, in every order of dimensions and on any slice', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('C' as const, 'F' as const),
      fc.constantFrom('u8' as const, 'f32' as const, 'c128' as const),
      fc.nat(64),
      fc.infiniteStream(fc.nat(1000)),
      (shape, order, dtype, offset, random) => {
        const next = (below: number) => (random.next().value as number) % below;
        const layout: TensorLayout = { dtype, shape, strides: contiguousStrides(shape, order), offset };
        const first = firstSlice(shape);
        const turned = next(2) === 1;
        const slice: Slice = {
          rows: turned ? first.columns : first.rows,
          columns: turned ? first.rows : first.columns,
          at: shape.map((length) => next(length)),
        };
        const size = tableSize(shape, slice);
        const cell = { row: next(size.rows), column: next(size.columns) };
        const { byte } = cellPlace(layout, slice, cell.row, cell.column);
        expect(cellOfByte(layout, slice, byte + next(dtypes[dtype].bytes))).toEqual(cell);
        const index = shape.map((length) => next(length));
        const place = elementPlace(layout, index).byte;
        expect(indexOfByte(layout, place + next(dtypes[dtype].bytes))).toEqual(index);
      },
    ),
  );
});

it('finds nothing beside the slice and in gaps', () => {
  const layout: TensorLayout = { dtype: 'f32', shape: [4, 3], strides: [8, 1], offset: 16 };
  const slice = firstSlice([4, 3]);
  expect(cellOfByte(layout, slice, 16 + 8 * 4 + 5)).toEqual({ row: 1, column: 1 });
  expect(cellOfByte(layout, slice, 15)).toBeUndefined();
  expect(cellOfByte(layout, slice, 16 + 3 * 4)).toBeUndefined();
  expect(cellOfByte(layout, slice, 16 + 4 * 8 * 4)).toBeUndefined();
  expect([15, 16 + 3 * 4, 16 + 4 * 8 * 4].map((byte) => indexOfByte(layout, byte))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
  expect(indexOfByte({ ...layout, strides: [-8, 1], offset: 200 }, 200 - 64 + 4)).toEqual([2, 1]);
  expect(cellOfByte({ ...layout, strides: [-8, 1], offset: 200 }, slice, 200 - 64 + 4)).toEqual({ row: 2, column: 1 });
});

it('goes from cell to cell as one reads, and stays at the last one', () => {
  const size = { rows: 2, columns: 3 };
  const seen = [{ row: 0, column: 1 }];
  for (let i = 0; i < 5; i++) seen.push(cellAfter(size, seen.at(-1) as { row: number; column: number }));
  expect(seen.map(({ row, column }) => `${row} ${column}`)).toEqual(['0 1', '0 2', '1 0', '1 1', '1 2', '1 2']);
});
