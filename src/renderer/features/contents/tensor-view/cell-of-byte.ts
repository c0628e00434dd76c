import { dtypes } from '#contract/dtypes';
import type { TensorLayout } from '#contract/tensor/shape';
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

/** The cell to the right, or the first one of the next row; the last one stays. */
export function cellAfter(
  { rows, columns }: { readonly rows: number; readonly columns: number },
  { row, column }: { readonly row: number; readonly column: number },
): { readonly row: number; readonly column: number } {
  if (column + 1 < columns) return { row, column: column + 1 };
  return row + 1 < rows ? { row: row + 1, column: 0 } : { row, column };
}
