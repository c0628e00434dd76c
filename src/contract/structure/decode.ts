/**
 * Memory as a format says it: a tree of named values. Nothing outside the given bytes is read; what is missing is marked
 * as unread and listed, so that it can be fetched and the tree be made again.
 */
import { type ByteOrder, decodeValue } from '#contract/decode-values';
import { type StructureNode, share } from './decode/node';
import { type NumberOf, nothing, type Placed, Places, Unknown } from './decode/places';
import { arraySize, isPacked, strideOf, typeText } from './layout';
import { Memory, type Piece } from './memory';
import { extract, isSingle, numberText, PREVIEW, preview, quoted, scalarOf, scalarText, signed } from './node-values';
import type { ArrayType, ElementType, Format, Look, StructType, Type } from './types';

export type { Piece, StructureNode };

export interface DecodeOptions {
  /** Of everything that has no `[[big]]` or `[[little]]` of its own; little unless given. */
  readonly byteOrder?: ByteOrder;
  /** Where in the memory the format is laid on; added to the offsets of the nodes. */
  readonly baseOffset?: number;
  /** Bytes of the memory from there on: nothing behind them is asked for. Unlimited unless given. */
  readonly available?: number;
  /** Answers this node instead of the root: positions of children, of arrays the index of the element. */
  readonly path?: readonly number[];
  /** The first element shown of the array at `path`; 0 unless given. */
  readonly from?: number;
  readonly limits?: {
    /** Elements of one array, 256 unless given. */
    readonly children?: number;
    /** Nodes of the whole tree, 5,000 unless given. Shared fairly: no array starves what stands behind it. */
    readonly nodes?: number;
  };
}

export interface Decoded {
  readonly root: StructureNode;
  /** What to read to know more, from the place that the format is laid on. Empty when nothing is missing. */
  readonly missing: readonly { readonly offset: number; readonly bytes: number }[];
}

const CHILDREN = 256;
const NODES = 5000;
/** Characters of a text that are shown. */
const MAX_TEXT = 4096;

/** The tree of values. The same bytes give the same tree; never throws. */
export function decodeStructure(
  bytes: Uint8Array | readonly Piece[],
  format: Format,
  options: DecodeOptions = {},
): Decoded {
  const pieces = bytes instanceof Uint8Array ? [{ offset: 0, bytes }] : bytes;
  return new Decoder(new Memory(pieces, options.available ?? Number.MAX_SAFE_INTEGER), options).decode(format);
}

interface Context {
  readonly name: string;
  readonly look: Look;
  readonly order: ByteOrder;
  readonly number: NumberOf;
  /** Nodes that may be made, this one included. */
  readonly budget: number;
  /** The first element that an array shows. */
  readonly from: number;
}

class Decoder {
  private readonly base: number;
  private readonly perArray: number;
  private readonly places: Places;

  constructor(
    private readonly memory: Memory,
    private readonly options: DecodeOptions,
  ) {
    this.places = new Places(memory);
    this.base = options.baseOffset ?? 0;
    this.perArray = Math.max(1, options.limits?.children ?? CHILDREN);
  }

  decode(format: Format): Decoded {
    const type = format.repeated ? this.repeat(format) : format.root;
    const context: Context = {
      name: format.rootName,
      look: {},
      order: this.options.byteOrder ?? 'little',
      number: nothing,
      budget: Math.max(1, this.options.limits?.nodes ?? NODES),
      from: this.options.from ?? 0,
    };
    const root = this.node(type, format.rootOffset, context, this.options.path ?? []);
    return { root, missing: this.memory.missing };
  }

  /** `Root[]` as an array of as many as fit. */
  private repeat({ root, rootOffset }: Format): ArrayType {
    const end = this.memory.end === Number.MAX_SAFE_INTEGER ? this.memory.known : this.memory.end;
    const room = Math.max(0, end - rootOffset);
    const stride = strideOf(root);
    let count = 0;
    if (isPacked(root)) count = room * 2;
    else if (stride !== undefined) count = stride === 0 ? 0 : Math.floor(room / stride);
    else count = this.places.countDynamic(root, rootOffset, rootOffset + room, this.options.byteOrder ?? 'little');
    return {
      kind: 'array',
      element: root,
      length: { kind: 'fixed', count },
      size: arraySize(root, count),
      alignment: root.alignment,
    };
  }

  private node(type: Type, at: number, context: Context, path: readonly number[]): StructureNode {
    switch (type.kind) {
      case 'array':
        return this.array(type, at, context, path);
      case 'struct':
        return this.struct(type, at, context, path);
      case 'bits':
        return this.group(type, at, context);
      default:
        return this.leaf(type, at, context);
    }
  }

  private frame(type: Type, at: number, { name, look }: Context): Pick<StructureNode, 'name' | 'type' | 'offset'> {
    const frame: { -readonly [Key in keyof StructureNode]?: StructureNode[Key] } = {};
    if (look.label !== undefined) frame.label = look.label;
    if (look.note !== undefined) frame.note = look.note;
    const color = look.color ?? (type.kind === 'struct' ? type.look.color : undefined);
    if (color !== undefined) frame.color = color;
    return { name, type: typeText(type), offset: this.base + at, ...frame };
  }

  private leaf(type: Exclude<Type, ArrayType | StructType>, at: number, context: Context, lane = 0): StructureNode {
    const size = type.size;
    const frame = { ...this.frame(type, at, context), bytes: size };
    const bytes = this.memory.read(at, size);
    if (typeof bytes === 'string') return { ...frame, value: null, state: bytes };
    return { ...frame, ...scalarText(type, bytes, context.look, context.look.order ?? context.order, lane) };
  }

  /** A number whose bits have names. */
  private group(type: Extract<Type, { kind: 'bits' }>, at: number, context: Context): StructureNode {
    const order = context.look.order ?? context.order;
    const base: Look['base'] = context.look.base ?? 'hex';
    const whole = this.leaf(type.base, at, { ...context, look: { ...context.look, base } });
    const bytes = this.memory.read(at, type.size);
    if (typeof bytes === 'string' || context.budget <= type.fields.length) {
      return context.budget <= type.fields.length ? { ...whole, collapsed: true } : whole;
    }
    const number = BigInt.asUintN(64, BigInt(decodeValue(bytes, 0, type.base.dtype, order) as number | bigint));
    const children = type.fields.map(({ name, start, width, type: part, look }): StructureNode => {
      const value = signed(BigInt.asUintN(width, number >> BigInt(start)), width, scalarOf(part) ?? type.base);
      const frame = this.frame(part, at, { ...context, name, look });
      const text = { ...frame, type: `${typeText(part)} : ${width}`, bytes: type.size, bits: { start, width } };
      return { ...text, ...numberText(part, value, look, width) };
    });
    return { ...whole, children };
  }

  private bitField({ field, at, bit }: Placed, width: number, order: ByteOrder): StructureNode {
    const { type, look } = field;
    const length = Math.ceil((bit + width) / 8);
    const context = { name: field.name, look, order, number: nothing, budget: 1, from: 0 };
    const frame = {
      ...this.frame(type, at, context),
      type: `${typeText(type)} : ${width}`,
      bytes: length,
      bits: { start: bit, width },
    };
    const bytes = this.memory.read(at, length);
    if (typeof bytes === 'string') return { ...frame, value: null, state: bytes };
    const value = signed(extract(bytes, bit, width, look.order ?? order), width, scalarOf(type) as ElementType);
    return { ...frame, ...numberText(type, value, look, width) };
  }

  private struct(type: StructType, at: number, context: Context, path: readonly number[]): StructureNode {
    const frame = this.frame(type, at, context);
    const order = context.look.order ?? type.look.order ?? context.order;
    let layout: ReturnType<Places['place']>;
    try {
      layout = this.places.place(type, at, order);
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      return { ...frame, bytes: null, value: null, error: error.message };
    }
    const { placed, size, problem, number } = layout;
    const shown = placed.filter(({ field }) => !field.padding);
    const [first, ...rest] = path;
    const child = (one: Placed, budget: number, deeper: readonly number[], from = 0): StructureNode => {
      const { field } = one;
      if (field.bits !== undefined) return this.bitField(one, field.bits.width, order);
      const name = field.name === '' ? `(${typeText(field.type)})` : field.name;
      return this.node(field.type, one.at, { name, look: field.look, order, number, budget, from }, deeper);
    };
    if (first !== undefined) {
      const wanted = shown[first];
      if (wanted === undefined) return { ...frame, bytes: size ?? null, value: null, error: 'There is no such field.' };
      return child(wanted, context.budget, rest, context.from);
    }
    const state = { ...frame, bytes: size ?? null, value: null, ...(problem === undefined ? {} : { error: problem }) };
    if (shown.length === 0) return { ...state, children: [] };
    if (context.budget <= shown.length) return { ...state, collapsed: true };
    const children = share(shown, context.budget - 1, (one, budget) => child(one, budget, []));
    return { ...state, children };
  }

  private array(type: ArrayType, at: number, context: Context, path: readonly number[]): StructureNode {
    const frame = this.frame(type, at, context);
    let element: Type;
    let count: number;
    try {
      count = this.places.lengthOf(type, context.number);
      element = this.places.settled(type.element, context.number);
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
      return { ...frame, bytes: null, value: null, error: error.message };
    }
    const total = arraySize(element, count);
    const order = context.look.order ?? context.order;
    const place = this.places.elementPlaces(element, at, order, context.number);
    const child = (index: number, budget: number, deeper: readonly number[], skip = 0): StructureNode => {
      const look = { ...context.look, label: undefined, note: undefined, color: undefined };
      const inner = { name: `[${index}]`, look, order, number: context.number, budget, from: skip };
      try {
        const [start, lane] = place(index);
        if (lane > 0 || isPacked(element)) return this.leaf(element as ElementType, start, inner, lane);
        return this.node(element, start, inner, deeper);
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        return {
          name: inner.name,
          type: typeText(element),
          offset: this.base + at,
          bytes: null,
          value: null,
          error: error.message,
        };
      }
    };
    const [first, ...rest] = path;
    if (first !== undefined) {
      if (!Number.isInteger(first) || first < 0 || first >= count) {
        return { ...frame, bytes: total ?? null, count, value: null, error: `There is no element ${first}.` };
      }
      return child(first, context.budget, rest, context.from);
    }
    const size = total ?? this.places.sizeIfKnown(type, at, order, context.number);
    const whole = { ...frame, bytes: size, count, ...this.tooMany(type, element, at, count, total) };
    if (element.kind === 'char') return { ...whole, ...this.characters(at, count) };
    const from = firstShown(context.from, count);
    const room = this.roomFor(element, at, from, count);
    const many = Math.min(room, this.perArray, context.budget - 1);
    if (count === 0) return { ...whole, value: '[]', children: [] };
    if (many < Math.min(room, PREVIEW, this.perArray) || room === 0) {
      if (room === 0) return { ...whole, value: null, ...this.outside(at) };
      // What is in it can be said without the nodes.
      const said = isSingle(element)
        ? Array.from({ length: Math.min(room, PREVIEW) }, (_, i) => child(from + i, 1, []))
        : [];
      return { ...whole, value: preview(element, said, count, from), collapsed: true };
    }
    const indexes = Array.from({ length: many }, (_, i) => from + i);
    const children = share(indexes, context.budget - 1, (index, budget) => child(index, budget, []));
    return { ...whole, ...(from > 0 ? { from } : {}), value: preview(element, children, count, from), children };
  }

  /** Elements from an index on that begin inside the memory. */
  private roomFor(element: Type, at: number, from: number, count: number): number {
    const stride = strideOf(element);
    const rest = count - from;
    if (isPacked(element)) return Math.min(rest, Math.max(0, (this.memory.end - at) * 2 - from));
    if (stride === undefined || stride === 0) return at >= this.memory.end && stride !== 0 ? 0 : rest;
    return Math.min(rest, Math.max(0, Math.ceil((this.memory.end - at) / stride) - from));
  }

  private outside(at: number): Pick<StructureNode, 'state'> {
    return at >= this.memory.end ? { state: 'outside' } : {};
  }

  /** A length out of the memory's own bytes that reaches behind the end says so. */
  private tooMany(
    { length }: ArrayType,
    element: Type,
    at: number,
    count: number,
    total: number | undefined,
  ): Pick<StructureNode, 'error'> {
    if (length.kind === 'fixed' || total === undefined || at + total <= this.memory.end) return {};
    const fits = Math.max(0, this.roomFor(element, at, 0, count));
    return { error: `“${length.text}” says ${count} elements; the memory ends after ${fits}.` };
  }

  /** A text of UTF-8 up to its first zero. */
  private characters(at: number, count: number): Pick<StructureNode, 'value' | 'raw' | 'state' | 'error'> {
    const length = Math.min(count, MAX_TEXT, Math.max(0, this.memory.end - at));
    const bytes = this.memory.read(at, length);
    if (typeof bytes === 'string' || (length === 0 && count > 0)) {
      return { value: null, state: length === 0 && count > 0 ? 'outside' : (bytes as 'unread') };
    }
    const zero = bytes.indexOf(0);
    const text = new TextDecoder().decode(bytes.subarray(0, zero < 0 ? length : zero));
    const cut = zero < 0 && length < count ? { error: `Only the first ${length} characters are shown.` } : {};
    return { value: quoted(text), raw: text, ...cut };
  }
}

/** An index that there is. */
const firstShown = (from: number, count: number): number =>
  Number.isSafeInteger(from) && from > 0 ? Math.min(from, Math.max(0, count - 1)) : 0;
