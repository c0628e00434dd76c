import { dtypes } from '#contract/dtypes';
import { elementPlace, type TensorLayout } from '#contract/tensor/shape';
import { cellPlace, type Slice, tableSize } from '#contract/tensor/slice';

/** The cell of a table that holds a byte of the memory; undefined when none does, or when cells overlap in memory. */
export function cellOfByte(
  layout: TensorLayout,
  slice: Slice,
  byte: number,
): { readonly row: number; readonly column: number } | undefined {
  const { bytes, perUnit } = dtypes[layout.dtype];
  const size = tableSize(layout.shape, slice);
  const down = slice.rows === null ? 0 : (layout.strides[slice.rows] as number);
  const along = slice.columns === null ? 0 : (layout.strides[slice.columns] as number);
  if (size.rows === 0 || size.columns === 0) return undefined;
  const first = cellPlace(layout, slice, 0, 0).byte;
  const steps = [
    { stride: down, length: size.rows },
    { stride: along, length: size.columns },
  ];
  // From the cell that lies first in memory: an axis that runs backwards is counted from its other end.
  let left = Math.floor((byte - first) / bytes) * perUnit;
  for (const { stride, length } of steps) if (stride < 0) left -= stride * (length - 1);
  // The larger stride first: what is left over is counted in the smaller one.
  const order = Math.abs(down) >= Math.abs(along) ? [0, 1] : [1, 0];
  const found = [0, 0];
  for (const axis of order) {
    const { stride, length } = steps[axis] as (typeof steps)[number];
    if (stride === 0 || length === 1) continue;
    const at = Math.min(length - 1, Math.max(0, Math.floor(left / Math.abs(stride))));
    left -= at * Math.abs(stride);
    found[axis] = stride < 0 ? length - 1 - at : at;
  }
  const [row = 0, column = 0] = found;
  const place = cellPlace(layout, slice, row, column).byte;
  return byte >= place && byte < place + bytes ? { row, column } : undefined;
}

/** The index in every dimension of the element that holds a byte, whatever the slice; undefined when none does. */
export function indexOfByte(layout: TensorLayout, byte: number): readonly number[] | undefined {
  const { shape, strides, dtype, offset } = layout;
  const { bytes, perUnit } = dtypes[dtype];
  if (shape.includes(0)) return undefined;
  let left = Math.floor((byte - offset) / bytes) * perUnit;
  for (const [dimension, stride] of strides.entries()) {
    if (stride < 0) left -= stride * ((shape[dimension] as number) - 1);
  }
  const index = shape.map(() => 0);
  const bySize = [...strides.entries()].sort(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  for (const [dimension, stride] of bySize) {
    const length = shape[dimension] as number;
    if (stride === 0 || length === 1) continue;
    const at = Math.min(length - 1, Math.max(0, Math.floor(left / Math.abs(stride))));
    left -= at * Math.abs(stride);
    index[dimension] = stride < 0 ? length - 1 - at : at;
  }
  const place = elementPlace(layout, index).byte;
  return byte >= place && byte < place + bytes ? index : undefined;
}

/** The cell to the right, or the first one of the next row; the last one stays. */
export function cellAfter(
  { rows, columns }: { readonly rows: number; readonly columns: number },
  { row, column }: { readonly row: number; readonly column: number },
): { readonly row: number; readonly column: number } {
  if (column + 1 < columns) return { row, column: column + 1 };
  return row + 1 < rows ? { row: row + 1, column: 0 } : { row, column };
}
