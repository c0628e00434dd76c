/** Shapes and strides of tensors: as people write them, and where their elements lie. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import { formatCount } from '#contract/units';

/** Where a tensor lies in a memory. */
export interface TensorLayout {
  readonly dtype: DtypeId;
  readonly shape: readonly number[];
  /** In elements, one for each dimension; 0 repeats, negative ones run backwards. */
  readonly strides: readonly number[];
  /** Of the element [0, 0, …], in bytes. */
  readonly offset: number;
}

export type Reading<Value> =
  | { readonly ok: true; readonly value: Value }
  | { readonly ok: false; readonly message: string };

export const MAX_DIMENSIONS = 16;

/**
 * A shape as people and programs write it: `[2, 3, 4]`, `(2, 3)`, `2x3x4`, `2 × 3`, `torch.Size([2, 3])`; `[]` and `()`
 * are a single element.
 */
export function parseShape(text: string): Reading<number[]> {
  const inner = insideBrackets(text.replace(/^\s*(?:torch\.Size|shape)\s*[=:]?\s*/i, ''));
  if (inner === undefined) return no('A shape is like [2, 3, 4] or 2x3x4.');
  if (inner.trim() === '') return /[[(]/.test(text) ? { ok: true, value: [] } : no('Give a shape, like [2, 3, 4].');
  const shape: number[] = [];
  for (const part of inner.replace(/,\s*$/, '').split(/\s*[,x×*]\s*|\s+/i)) {
    if (!/^\d[\d_]*$/.test(part)) return no(`“${part}” is no length of a dimension.`);
    shape.push(Number(part.replaceAll('_', '')));
  }
  return checkedShape(shape);
}

/** The shape itself, when it has at most 16 dimensions and 2^53 elements. */
function checkedShape(shape: number[]): Reading<number[]> {
  if (shape.length > MAX_DIMENSIONS) return no(`A shape has at most ${MAX_DIMENSIONS} dimensions.`);
  const elements = shape.reduce((product, length) => product * BigInt(length), 1n);
  if (shape.some((length) => !Number.isSafeInteger(length)) || elements > BigInt(Number.MAX_SAFE_INTEGER)) {
    return no('This shape has more than 2^53 elements.');
  }
  return { ok: true, value: shape };
}

/** Strides as people write them, in elements: `[12, 4, 1]`, `(1, -8)`. As many as the shape has dimensions. */
export function parseStrides(text: string, dimensions: number): Reading<number[]> {
  const inner = insideBrackets(text);
  if (inner === undefined) return no('Strides are like [12, 4, 1].');
  const parts =
    inner.trim() === ''
      ? []
      : inner
          .replace(/,\s*$/, '')
          .trim()
          .split(/\s*,\s*|\s+/);
  const wrong = parts.find((part) => !/^-?\d+$/.test(part) || !Number.isSafeInteger(Number(part)));
  if (wrong !== undefined) return no(`“${wrong}” is no stride: strides are whole numbers of elements.`);
  if (parts.length !== dimensions) {
    return no(`The shape has ${dimensions} dimensions, but there are ${parts.length} strides.`);
  }
  return { ok: true, value: parts.map((part) => Number(part) + 0) };
}

/** What stands between brackets, or all of it where there are none; undefined when they do not match. */
function insideBrackets(text: string): string | undefined {
  const found = /^\s*(?:\(\s*\[(.*)\]\s*\)|\[([^[\]()]*)\]|\(([^[\]()]*)\)|([^[\]()]*))\s*$/.exec(text);
  return found === null ? undefined : (found[1] ?? found[2] ?? found[3] ?? found[4]);
}

const no = (message: string): { ok: false; message: string } => ({ ok: false, message });

export const elementCount = (shape: readonly number[]): number =>
  shape.reduce((product, length) => product * length, 1);

/** Strides without gaps: with the last dimension next to each other as in C, or the first one as in Fortran. */
export function contiguousStrides(shape: readonly number[], order: 'C' | 'F' = 'C'): number[] {
  const strides = new Array<number>(shape.length).fill(1);
  const dimensions = [...shape.keys()];
  if (order === 'C') dimensions.reverse();
  let stride = 1;
  for (const dimension of dimensions) {
    strides[dimension] = stride;
    stride *= Math.max(1, shape[dimension] as number);
  }
  return strides;
}

/** The contiguous layout of a shape in the order of C. */
export const contiguous = (dtype: DtypeId, shape: readonly number[], offset = 0): TensorLayout => ({
  dtype,
  shape,
  strides: contiguousStrides(shape),
  offset,
});

/** Whether its elements lie side by side in the order of C or Fortran; dimensions of one element do not matter. */
export function contiguity({ shape, strides }: TensorLayout): 'C' | 'F' | null {
  for (const order of ['C', 'F'] as const) {
    const tight = contiguousStrides(shape, order);
    if (shape.every((length, i) => length <= 1 || strides[i] === tight[i])) return order;
  }
  return null;
}

/** Where an element lies: its byte, and of packed types which half of it. */
export function elementPlace(layout: TensorLayout, index: readonly number[]): { byte: number; lane: number } {
  return placeOf(layout, elementDistance(layout, index));
}

/** From element [0, 0, …] to another one, in elements. */
const elementDistance = ({ strides }: TensorLayout, index: readonly number[]): number =>
  index.reduce((sum, at, i) => sum + at * (strides[i] ?? 0), 0);

/** The byte and the half of an element that is `distance` elements from the first one. */
export function placeOf({ dtype, offset }: TensorLayout, distance: number): { byte: number; lane: number } {
  const { bytes, perUnit } = dtypes[dtype];
  const unit = Math.floor(distance / perUnit);
  return { byte: offset + unit * bytes, lane: distance - unit * perUnit };
}

export interface LayoutFacts {
  readonly elements: number;
  /** First byte that an element takes, and the one behind the last. Equal when there is no element. */
  readonly start: number;
  readonly end: number;
  /** Bytes that its elements take, at most: elements that share a place because of a stride of 0 count once. */
  readonly bytes: number;
}

/**
 * Whether the layout lies inside a memory of `size` bytes; if not, which index leads outside and where to. Counted
 * exactly, however large the numbers are.
 */
export function checkLayout(layout: TensorLayout, size: number): Reading<LayoutFacts> {
  const { dtype, shape, strides, offset } = layout;
  if (shape.length !== strides.length) {
    return no(`The shape has ${shape.length} dimensions, but there are ${strides.length} strides.`);
  }
  const checked = checkedShape([...shape]);
  if (!checked.ok) return checked;
  if (!Number.isSafeInteger(offset) || offset < 0) return no('The offset must be 0 or more.');
  const elements = elementCount(shape);
  const { bytes: unit, perUnit, bits } = dtypes[dtype];
  if (elements === 0) return { ok: true, value: { elements, start: offset, end: offset, bytes: 0 } };
  const places = shape.reduce((product, length, i) => product * (strides[i] === 0 ? 1 : length), 1);
  let [low, high] = [0n, 0n];
  const lowIndex: number[] = [];
  const highIndex: number[] = [];
  shape.forEach((length, i) => {
    const stride = strides[i] as number;
    const reach = BigInt(stride) * BigInt(length - 1);
    lowIndex.push(stride < 0 ? length - 1 : 0);
    highIndex.push(stride < 0 ? 0 : length - 1);
    if (reach < 0n) low += reach;
    else high += reach;
  });
  const start = BigInt(offset) + floorDivide(low, BigInt(perUnit)) * BigInt(unit);
  const end = BigInt(offset) + (floorDivide(high, BigInt(perUnit)) + 1n) * BigInt(unit);
  if (start < 0n) {
    return no(`Index [${lowIndex.join(', ')}] lies ${formatCount(-start)} bytes before the start of the memory.`);
  }
  if (end > BigInt(size)) {
    const last = end - BigInt(unit);
    const where =
      unit === 1 ? `at byte ${formatCount(last)}` : `at bytes ${formatCount(last)} to ${formatCount(end - 1n)}`;
    return no(`Index [${highIndex.join(', ')}] lies ${where}; the memory has ${formatCount(size)} bytes.`);
  }
  return {
    ok: true,
    value: {
      elements,
      start: Number(start),
      end: Number(end),
      bytes: Math.min(Math.ceil((places * bits) / 8), Number(end - start)),
    },
  };
}

const floorDivide = (value: bigint, by: bigint): bigint => (value < 0n ? -((-value + by - 1n) / by) : value / by);

/** `[2, 3, 4]`, as Python writes it. */
export const shapeText = (shape: readonly number[]): string => `[${shape.join(', ')}]`;
