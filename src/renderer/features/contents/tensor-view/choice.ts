/** What the Tensor view shows of a memory: the layout in use, and what was typed that is none yet. */

import { type DtypeId, elementsInBytes } from '#contract/dtypes';
import type { ColormapId } from '#contract/tensor/colormaps';
import {
  checkLayout,
  contiguous,
  contiguousStrides,
  parseShape,
  parseStrides,
  type Reading,
  shapeText,
  type TensorLayout,
} from '#contract/tensor/shape';
import { firstSlice, parseSlice, type Slice, sliceText } from '#contract/tensor/slice';
import { parseSize } from '#contract/units';
import type { DataDescription } from '#contract/values';
import { parseGoto } from '../../../lib/bytes-goto';

/** The fields as they are written. Empty strides: without gaps, as in C. */
export interface TensorTexts {
  readonly dtype: DtypeId;
  readonly shape: string;
  readonly strides: string;
  readonly offset: string;
}

export interface TensorChoice {
  readonly texts: TensorTexts;
  /** Why the texts are no layout; the layout before stays in use. */
  readonly error: { readonly field: 'shape' | 'strides' | 'offset'; readonly message: string } | undefined;
  readonly layout: TensorLayout;
  readonly slice: Slice;
  /** What is written in the field of the slice, while that is none. */
  readonly sliceTyped: { readonly text: string; readonly message: string } | undefined;
  /** The cell of the table that the cursor is on. */
  readonly cell: { readonly row: number; readonly column: number };
}

/**
 * The whole memory as one row of elements; in the shape that was said of it, where that is of this type and fits.
 * @param size  bytes of the memory
 */
export function firstChoice(dtype: DtypeId, size: number, said?: DataDescription): TensorChoice {
  const row = oneRow(dtype, size);
  if (said?.shape === undefined || said.dtype !== dtype) return row;
  const { shape, strides = [] } = said;
  const tight = contiguousStrides(shape);
  const gaps = strides.some((stride, dimension) => stride !== tight[dimension]);
  const as = withTexts(row, { shape: shapeText(shape), strides: gaps ? shapeText(strides) : '' }, size);
  return as.error === undefined ? as : row;
}

function oneRow(dtype: DtypeId, size: number): TensorChoice {
  const shape = [elementsInBytes(size, dtype)];
  return {
    texts: { dtype, shape: shapeText(shape), strides: '', offset: '0' },
    error: undefined,
    layout: contiguous(dtype, shape),
    slice: firstSlice(shape),
    sliceTyped: undefined,
    cell: { row: 0, column: 0 },
  };
}

/** Takes over texts. When they are no layout inside the memory, everything else stays as it was. */
export function withTexts(choice: TensorChoice, change: Partial<TensorTexts>, size: number): TensorChoice {
  const texts = { ...choice.texts, ...change };
  const read = layoutOf(texts, size);
  if (!read.ok) return { ...choice, texts, error: { field: read.field, message: read.message } };
  const { shape } = read.layout;
  const same = shape.length === choice.layout.shape.length && shape.every((n, i) => n === choice.layout.shape[i]);
  return {
    texts,
    error: undefined,
    layout: read.layout,
    slice: same ? choice.slice : firstSlice(shape),
    sliceTyped: same ? choice.sliceTyped : undefined,
    cell: same ? choice.cell : { row: 0, column: 0 },
  };
}

type LayoutReading =
  | { readonly ok: true; readonly layout: TensorLayout }
  | { readonly ok: false; readonly field: 'shape' | 'strides' | 'offset'; readonly message: string };

function layoutOf({ dtype, shape, strides, offset }: TensorTexts, size: number): LayoutReading {
  const lengths = parseShape(shape);
  if (!lengths.ok) return { ok: false, field: 'shape', message: lengths.message };
  const steps: Reading<number[]> =
    strides.trim() === ''
      ? { ok: true, value: contiguousStrides(lengths.value) }
      : parseStrides(strides, lengths.value.length);
  if (!steps.ok) return { ok: false, field: 'strides', message: steps.message };
  const from = parseOffset(offset);
  if (!from.ok) return { ok: false, field: 'offset', message: from.message };
  const layout = { dtype, shape: lengths.value, strides: steps.value, offset: from.value };
  const fits = checkLayout(layout, size);
  if (!fits.ok) return { ok: false, field: 'shape', message: fits.message };
  return { ok: true, layout };
}

/** What depends on a cursor or a type, which a field beside it does not know: a step, an element, a place. */
const RELATIVE = /^\s*[+-]|\[|end|here/i;

/** An offset in bytes, as in Go to, but of places none: `64`, `0x40`, `4 KiB`, `0x1000+4*128`. */
export function parseOffset(text: string): Reading<number> {
  const trimmed = text.trim().replaceAll('_', '');
  if (/^(0x[0-9a-f]+|\d+)$/i.test(trimmed)) {
    const value = Number(trimmed);
    if (Number.isSafeInteger(value)) return { ok: true, value };
  }
  const size = parseSize(text);
  if (size.ok) return { ok: true, value: size.bytes };
  if (!RELATIVE.test(text)) {
    const sum = parseGoto(text, { size: Number.MAX_SAFE_INTEGER, cursor: 0, elementBytes: 1 });
    if (sum.ok) return { ok: true, value: sum.offset };
    if (/[-+*/%<>(]/.test(text)) return { ok: false, message: sum.message };
  }
  return { ok: false, message: `“${text}” is no offset: write 64, 0x40, 4 KiB or 0x1000+4*128.` };
}

/** Takes over the text of a slice; a wrong one stays in the field with what is wrong, and the slice stays. */
export function withSliceText(choice: TensorChoice, text: string): TensorChoice {
  const read = parseSlice(text, choice.layout.shape);
  if (!read.ok) return { ...choice, sliceTyped: { text, message: read.message } };
  return withSlice(choice, read.value);
}

export function withSlice(choice: TensorChoice, slice: Slice): TensorChoice {
  const same = slice.rows === choice.slice.rows && slice.columns === choice.slice.columns;
  return { ...choice, slice, sliceTyped: undefined, cell: same ? choice.cell : { row: 0, column: 0 } };
}

/** Puts a dimension down the rows or along the columns; the one that was there takes its place. */
export function withAxis(choice: TensorChoice, axis: 'rows' | 'columns', dimension: number | null): TensorChoice {
  const { slice } = choice;
  const other = axis === 'rows' ? 'columns' : 'rows';
  const before = slice[axis];
  const next = { ...slice, [axis]: dimension } as Slice;
  if (dimension !== null && slice[other] === dimension) return withSlice(choice, { ...next, [other]: before });
  return withSlice(choice, next);
}

/** What the field of the slice says. */
export const sliceShown = ({ slice, sliceTyped }: TensorChoice): string => sliceTyped?.text ?? sliceText(slice);

/** Shapes that a memory of so many elements may have: in one row, as a square, with a common last dimension. */
export function proposedShapes(elements: number): number[][] {
  const shapes: number[][] = [[elements]];
  const root = Math.round(Math.sqrt(elements));
  if (root > 1 && root * root === elements) shapes.push([root, root]);
  for (const last of [4096, 1024, 768, 512, 256, 128, 64, 32, 16, 8, 4, 3, 2]) {
    if (shapes.length >= 8) break;
    const rows = elements / last;
    if (Number.isInteger(rows) && rows > 1 && rows !== last) shapes.push([rows, last]);
  }
  for (const channels of [3, 4]) {
    const side = Math.sqrt(elements / channels);
    if (Number.isInteger(side) && side > 1) shapes.push([channels, side, side], [side, side, channels]);
  }
  return shapes;
}

/** A usual order of the elements of a shape in memory; the strides of the first one are none to write. */
export interface ProposedStrides {
  readonly label: string;
  readonly strides: readonly number[];
}

/** Strides without gaps that a shape may have: those of C, of Fortran, with the channels last, with the last two swapped. */
export function proposedStrides(shape: readonly number[]): ProposedStrides[] {
  const proposed: ProposedStrides[] = [];
  /** Dimensions from the one whose steps are longest to the one side by side. */
  const add = (label: string, order: readonly number[]) => {
    const strides = shape.map(() => 1);
    let step = 1;
    for (const dimension of order.toReversed()) {
      strides[dimension] = step;
      step *= shape[dimension] ?? 1;
    }
    if (!proposed.some((one) => shapeText(one.strides) === shapeText(strides))) proposed.push({ label, strides });
  };
  const all = shape.map((_, dimension) => dimension);
  add('Row by row, as C', all);
  add('Column by column, as Fortran', all.toReversed());
  if (shape.length === 3) add('Channels last: [C, H, W] as HWC', [1, 2, 0]);
  if (shape.length === 4) add('Channels last: [N, C, H, W] as NHWC', [0, 2, 3, 1]);
  if (shape.length === 5) add('Channels last: [N, C, D, H, W] as NDHWC', [0, 2, 3, 4, 1]);
  if (shape.length > 2) add('The last two swapped', [...all.slice(0, -2), all.length - 1, all.length - 2]);
  return proposed;
}

/** How numbers become colours. */
export interface HeatChoice {
  readonly on: boolean;
  /** `visible`: from the least to the greatest in sight; `slice`: of the whole slice, asked of the GPU. */
  readonly range: 'visible' | 'slice' | 'manual';
  readonly low: number;
  readonly high: number;
  readonly colormap: ColormapId;
}
