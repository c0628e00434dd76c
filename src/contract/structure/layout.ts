/**
 * Where fields lie in their struct, by the rules of C on 64-bit Linux (System V ABI): each field at the next multiple of
 * its alignment; bit fields from the lowest bit on, none across a boundary of its type.
 */
import { bytesOfElements, dtypes } from '#contract/dtypes';
import type { ArrayType, Format, Type } from './types';

/** What placing needs to know of a field. */
export interface Placeable {
  readonly type: { readonly size: number | undefined; readonly alignment: number };
  readonly bits?: { readonly width: number };
  readonly placed?: number;
  /** At least this alignment, whatever the type's. */
  readonly alignment: number;
}

/** A place in a struct. */
export interface Place {
  readonly byte: number;
  /** Of bit fields: the bit in that byte, 0 the first. */
  readonly bit: number;
}

export const roundUp = (value: number, alignment: number): number => Math.ceil(value / alignment) * alignment;

/** Hands out the places of one struct, in the order of its fields. Sizes in bytes. */
export class Placer {
  private byte = 0;
  private bit = 0;
  private last = 0;

  constructor(
    private readonly packed: boolean,
    private readonly union: boolean,
  ) {}

  /** The first byte of the next field, which is no bit field, without moving on. */
  peek(field: Placeable): number {
    if (field.placed !== undefined) return field.placed;
    const start = this.union ? 0 : this.byte + (this.bit > 0 ? 1 : 0);
    return roundUp(start, this.packed ? field.alignment : Math.max(field.alignment, field.type.alignment));
  }

  /** The place of the next field, which takes `size` bytes (of a bit field: the bytes of its type). */
  place(field: Placeable, size: number): Place {
    if (this.union) this.byte = this.bit = 0;
    if (field.bits !== undefined) return this.placeBits(field.bits.width, size, field.placed);
    const start = this.peek(field);
    this.moveTo(start + size, 0);
    return { byte: start, bit: 0 };
  }

  private placeBits(width: number, size: number, placed: number | undefined): Place {
    if (placed !== undefined) [this.byte, this.bit] = [placed, 0];
    if (!this.packed) {
      const unit = this.byte - (this.byte % size);
      const used = (this.byte - unit) * 8 + this.bit;
      // A width of zero closes the unit; unless it is closed already.
      if (used + width > size * 8 || (width === 0 && used > 0)) [this.byte, this.bit] = [unit + size, 0];
    } else if (width === 0 && this.bit > 0) [this.byte, this.bit] = [this.byte + 1, 0];
    const place = { byte: this.byte, bit: this.bit };
    const end = this.bit + width;
    this.moveTo(this.byte + Math.floor(end / 8), end % 8);
    return place;
  }

  private moveTo(byte: number, bit: number): void {
    [this.byte, this.bit] = [byte, bit];
    this.last = Math.max(this.last, byte + (bit > 0 ? 1 : 0));
  }

  /** Bytes of the struct with the fields so far, to its alignment. */
  size(alignment: number): number {
    return roundUp(this.last, alignment);
  }
}

/** Bytes from one element of an array to the next; undefined where it is not fixed, or less than a byte. */
export function strideOf(element: Type): number | undefined {
  if (isPacked(element) || element.size === undefined) return undefined;
  return roundUp(element.size, element.alignment);
}

/** Whether two elements share a byte. */
export const isPacked = (type: Type): boolean => type.kind === 'element' && dtypes[type.dtype].perUnit > 1;

/** Bytes of `count` elements; undefined when one has no fixed size. */
export function arraySize(element: Type, count: number): number | undefined {
  if (element.kind === 'element' && isPacked(element)) return bytesOfElements(count, element.dtype);
  const stride = strideOf(element);
  return stride === undefined ? undefined : stride * count;
}

/** The type as the language writes it: `f32[4][8]`, `Header`, `u16 : 3`. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case 'element':
      return type.name;
    case 'char':
      return 'char';
    case 'pointer':
      return `${type.target}*`;
    case 'enum':
      return type.name;
    case 'bits':
      return type.base.name;
    case 'struct':
      return type.name === '' ? (type.union ? 'union' : 'struct') : type.name;
    case 'array': {
      const lengths: string[] = [];
      let inner: Type = type;
      while (inner.kind === 'array') {
        lengths.push(`[${inner.length.kind === 'fixed' ? inner.length.count : inner.length.text}]`);
        inner = inner.element;
      }
      return `${typeText(inner)}${lengths.join('')}`;
    }
  }
}

export interface FieldLayout {
  readonly name: string;
  readonly type: string;
  /** From the start of the struct; null where only the memory says it. */
  readonly offset: number | null;
  /** Null where only the memory says it. */
  readonly bytes: number | null;
  /** Of a bit field: its first bit in the byte at `offset`, and how many. */
  readonly bits?: { readonly start: number; readonly width: number };
  readonly color?: string;
}

export interface Layout {
  /** Bytes of the root; null where only the memory says it. Of `Root[]`: of one. */
  readonly size: number | null;
  readonly alignment: number;
  /** Fields of the root, or of one of its elements. Padding is not among them. */
  readonly fields: readonly FieldLayout[];
}

/** Size, alignment and places of the root's fields. */
export function layoutOf(format: Format): Layout {
  let inner: Type = format.root;
  while (inner.kind === 'array') inner = inner.element;
  const fields = inner.kind === 'struct' ? inner.fields.filter(({ padding }) => !padding) : [];
  return {
    size: format.root.size ?? null,
    alignment: format.root.alignment,
    fields: fields.map((field): FieldLayout => {
      const { name, type, offset, bits, look } = field;
      const shared = { name, type: typeText(type), offset: offset ?? null, color: look.color };
      if (bits === undefined) return { ...shared, bytes: type.size ?? null };
      const start = bits.start ?? 0;
      const bytes = Math.ceil((start + bits.width) / 8);
      return { ...shared, type: `${typeText(type)} : ${bits.width}`, bytes, bits: { start, width: bits.width } };
    }),
  };
}

/**
 * Bytes that the format takes, from the place it is laid on. Not `exact` when lengths stand in memory or the root
 * repeats: then it is what is needed at least.
 */
export function neededBytes(format: Format): { readonly bytes: number; readonly exact: boolean } {
  const bytes = format.rootOffset + leastBytes(format.root);
  return { bytes, exact: format.root.size !== undefined && !format.repeated };
}

function leastBytes(type: Type): number {
  if (type.size !== undefined) return type.size;
  if (type.kind === 'array') return leastOfArray(type);
  if (type.kind !== 'struct') return 0;
  return Math.max(0, ...type.fields.map((field) => (field.offset ?? 0) + leastBytes(field.type)));
}

const leastOfArray = ({ element, length }: ArrayType): number =>
  length.kind === 'fixed' ? Math.min(leastBytes(element) * length.count, Number.MAX_SAFE_INTEGER) : 0;
