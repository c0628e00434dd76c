/** Which elements of a row or column a plot reads: all of them while they are few enough, else every n-th. */
import { dtypes } from '#contract/dtypes';
import { type ByteRange, coalesceRanges } from '#contract/ranges';
import type { TensorLayout } from '#contract/tensor/shape';
import { cellPlace, type Slice, tableSize } from '#contract/tensor/slice';

export interface LineSamples {
  /** From one point to the next, in elements. */
  readonly step: number;
  readonly count: number;
  /** Elements of the whole line. */
  readonly length: number;
  readonly ranges: readonly ByteRange[];
  /** Where the point lies. */
  readonly place: (point: number) => { readonly byte: number; readonly lane: number };
}

/** Points of one plot, when they lie near each other and when each takes a read of its own. */
const MOST_POINTS = 65_536;
const MOST_READS = 2048;
/** Places that are at most so far apart, in bytes, are read at once. */
const GAP = 4096;

/** The line through a cell, along its row or down its column. */
export function lineSamples(
  layout: TensorLayout,
  slice: Slice,
  along: 'row' | 'column',
  cell: { readonly row: number; readonly column: number },
): LineSamples {
  const size = tableSize(layout.shape, slice);
  const length = along === 'row' ? size.columns : size.rows;
  const at = (index: number) =>
    along === 'row' ? cellPlace(layout, slice, cell.row, index) : cellPlace(layout, slice, index, cell.column);
  const { bytes } = dtypes[layout.dtype];
  const make = (most: number): LineSamples => {
    const step = Math.max(1, Math.ceil(length / most));
    const count = Math.ceil(length / step);
    const place = (point: number) => at(point * step);
    const points = Array.from({ length: count }, (_, point) => ({ offset: place(point).byte, length: bytes }));
    return { step, count, length, ranges: coalesceRanges(points, GAP), place };
  };
  const dense = make(MOST_POINTS);
  return dense.ranges.length <= MOST_READS ? dense : make(MOST_READS);
}
