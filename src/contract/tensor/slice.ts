/**
 * A table out of a tensor: one dimension runs down the rows, one along the columns, all others stand at an index. Written
 * as NumPy writes it: `[:, 3, :, 0]`; `.T` exchanges rows and columns.
 */
import { dtypes } from '#contract/dtypes';
import { type ByteRange, coalesceRanges } from '#contract/ranges';
import { placeOf, type Reading, type TensorLayout } from './shape';

export interface Slice {
  /** The dimension that runs down the rows; null for a line: one row only. */
  readonly rows: number | null;
  /** The dimension that runs along the columns; null for a single element. */
  readonly columns: number | null;
  /** The index of each dimension; of the two above it does not count. */
  readonly at: readonly number[];
}

/** The last two dimensions, at the start of all others. */
export function firstSlice(shape: readonly number[]): Slice {
  const dimensions = shape.length;
  return {
    rows: dimensions >= 2 ? dimensions - 2 : null,
    columns: dimensions >= 1 ? dimensions - 1 : null,
    at: shape.map(() => 0),
  };
}

/** `[0, :, :]`; with `.T` when the rows are a later dimension than the columns. */
export function sliceText({ rows, columns, at }: Slice): string {
  const parts = at.map((index, i) => (i === rows || i === columns ? ':' : String(index)));
  const turned = rows !== null && columns !== null && rows > columns;
  return `[${parts.join(', ')}]${turned ? '.T' : ''}`;
}

/**
 * The slice of a text. Negative indexes count from the end, `...` stands for as many `:` as are missing, and so do
 * dimensions that are left out at the end. At most two `:` may be there in the end.
 */
export function parseSlice(text: string, shape: readonly number[]): Reading<Slice> {
  const found = /^\s*\[?([^[\]]*?)\]?\s*(\.T)?\s*$/i.exec(text);
  if (found === null) return no('A slice is like [:, 3, :, 0].');
  const inner = (found[1] ?? '').trim().replace(/,\s*$/, '');
  let parts = inner === '' ? [] : inner.split(',').map((part) => part.trim());
  const dots = parts.filter((part) => part === '...').length;
  if (dots > 1) return no('There can be one “...” only.');
  const missing = shape.length - (parts.length - dots);
  if (missing < 0) return no(`The tensor has ${shape.length} dimensions, the slice ${parts.length - dots}.`);
  if (dots === 0) parts.push('...');
  parts = parts.flatMap((part) => (part === '...' ? new Array<string>(missing).fill(':') : [part]));
  const free: number[] = [];
  const at: number[] = [];
  for (const [dimension, part] of parts.entries()) {
    const length = shape[dimension] as number;
    if (part === ':') {
      free.push(dimension);
      at.push(0);
      continue;
    }
    if (part.includes(':')) return no(`“${part}”: a dimension is shown whole, “:”, or at one index.`);
    if (!/^-?\d+$/.test(part)) return no(`“${part}” is no index.`);
    const index = Number(part) < 0 ? Number(part) + length : Number(part);
    if (index < 0 || index >= length)
      return no(`Dimension ${dimension} has ${length} elements: ${part} is none of them.`);
    at.push(index);
  }
  if (free.length > 2) {
    return no(`${free.length} dimensions are free: give all but two of them an index.`);
  }
  const turned = found[2] !== undefined && free.length === 2;
  const [first, second] = turned ? [...free].reverse() : free;
  const value =
    second === undefined ? { rows: null, columns: first ?? null, at } : { rows: first ?? null, columns: second, at };
  return { ok: true, value };
}

const no = (message: string): { ok: false; message: string } => ({ ok: false, message });

/** Rows and columns of the table. */
export function tableSize(shape: readonly number[], { rows, columns }: Slice): { rows: number; columns: number } {
  return {
    rows: rows === null ? 1 : (shape[rows] as number),
    columns: columns === null ? 1 : (shape[columns] as number),
  };
}

/** The index in the tensor of one cell. */
export function cellIndex({ rows, columns, at }: Slice, row: number, column: number): number[] {
  return at.map((index, i) => (i === rows ? row : i === columns ? column : index));
}

/** Where one cell lies: its byte, and of packed types which half of it. */
export function cellPlace(
  layout: TensorLayout,
  slice: Slice,
  row: number,
  column: number,
): { byte: number; lane: number } {
  const { start, down, along } = steps(layout, slice);
  return placeOf(layout, start + row * down + column * along);
}

/** The first cell, and from one to the next, in elements. */
function steps(
  { strides }: TensorLayout,
  { rows, columns, at }: Slice,
): { start: number; down: number; along: number } {
  let start = 0;
  at.forEach((index, i) => {
    if (i !== rows && i !== columns) start += index * (strides[i] ?? 0);
  });
  return {
    start,
    down: rows === null ? 0 : (strides[rows] ?? 0),
    along: columns === null ? 0 : (strides[columns] ?? 0),
  };
}

/** Cells of a table: `rows` × `columns` from one cell on. */
export interface Window {
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

/** Cells of one window that lie apart, at most: a larger window is read in parts. */
export const MAX_WINDOW_CELLS = 65_536;

/**
 * What to read to show a window of the table: few ranges, in order, without overlap. Ranges at most `gap`
 * bytes apart are joined, since one read of a little more is faster than two. Cells outside of the table are left out; of a
 * window with more than 65,536 cells only as many rows as that.
 */
export function windowRanges(layout: TensorLayout, slice: Slice, window: Window, gap = 256): ByteRange[] {
  const { bytes, perUnit } = dtypes[layout.dtype];
  const size = tableSize(layout.shape, slice);
  const { start, down, along } = steps(layout, slice);
  const firstRow = Math.max(0, window.row);
  const firstColumn = Math.max(0, window.column);
  const columns = Math.min(size.columns, window.column + window.columns) - firstColumn;
  let rows = Math.min(size.rows, window.row + window.rows) - firstRow;
  if (rows <= 0 || columns <= 0 || layout.shape.some((length) => length === 0)) return [];
  // A run of columns that is one range is counted as one cell.
  const joined = Math.abs(along) * (bytes / perUnit) <= bytes + gap;
  const pieces = joined ? 1 : columns;
  rows = Math.min(rows, Math.max(1, Math.floor(MAX_WINDOW_CELLS / pieces)));
  const ranges: ByteRange[] = [];
  const add = (one: number, other: number): void => {
    const [low, high] = one < other ? [one, other] : [other, one];
    const offset = placeOf(layout, low).byte;
    ranges.push({ offset, length: placeOf(layout, high).byte + bytes - offset });
  };
  for (let row = 0; row < rows; row++) {
    const from = start + (firstRow + row) * down + firstColumn * along;
    if (joined) add(from, from + (columns - 1) * along);
    else for (let column = 0; column < columns; column++) add(from + column * along, from + column * along);
  }
  return coalesceRanges(ranges, gap);
}
