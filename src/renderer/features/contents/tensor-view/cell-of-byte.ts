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
  const distance = Math.floor((byte - first) / bytes) * perUnit;
  const steps = [
    { stride: down, length: size.rows },
    { stride: along, length: size.columns },
  ];
  // The larger stride first: what is left over is counted in the smaller one.
  const order = Math.abs(down) >= Math.abs(along) ? [0, 1] : [1, 0];
  const found = [0, 0];
  let left = distance;
  for (const axis of order) {
    const { stride, length } = steps[axis] as (typeof steps)[number];
    if (stride === 0 || length === 1) continue;
    found[axis] = Math.min(length - 1, Math.max(0, Math.floor(left / stride)));
    left -= (found[axis] as number) * stride;
  }
  const [row = 0, column = 0] = found;
  const place = cellPlace(layout, slice, row, column).byte;
  return byte >= place && byte < place + bytes ? { row, column } : undefined;
}
