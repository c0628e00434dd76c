/** Where the parts of a format lie in memory, and how long they are: lengths and counts may stand in the memory itself. */
import { type ByteOrder, decodeValue } from '#contract/decode-values';
import { evaluate, NoValue } from '#contract/structure/expression';
import { arraySize, isPacked, Placer, strideOf } from '#contract/structure/layout';
import type { Memory } from '#contract/structure/memory';
import { extract, scalarOf, signed } from '#contract/structure/node-values';
import type { ArrayType, Field, StructType, Type } from '#contract/structure/types';

/** Elements and fields that are gone over to find where something lies. */
const MAX_STEPS = 50_000;

/** The size or place of something cannot be told: bytes are missing, or what stands there makes no sense. */
export class Unknown extends Error {}

/** The number in a field of the struct around, which a length may name. Throws NoValue. */
export type NumberOf = (name: string) => bigint;

/** Outside of structs. */
export const nothing: NumberOf = (name) => {
  throw new NoValue(`“${name}” is not known.`);
};

/** An offset or a size; throws Unknown when it is none that a number can hold. */
function safe(value: number): number {
  if (value > Number.MAX_SAFE_INTEGER) throw new Unknown('It is larger than 2^53 bytes.');
  return value;
}

/** A field with its place. */
export interface Placed {
  readonly field: Field;
  /** From the place the format is laid on. */
  readonly at: number;
  readonly bit: number;
  readonly size: number | undefined;
  readonly problem?: string;
}

/** What a struct's fields come to: their places, with the fields before them read as lengths. */
interface PlacedStruct {
  /** As far as they can be told. */
  readonly placed: readonly Placed[];
  readonly size: number | undefined;
  /** Why not more can be told. */
  readonly problem?: string;
  readonly number: NumberOf;
}

/** Finds the places of one decoding. */
export class Places {
  private steps = 0;

  constructor(private readonly memory: Memory) {}

  private step(): void {
    if (++this.steps > MAX_STEPS) throw new Unknown('Too much lies before it to find its place.');
  }

  /** Bytes of a type at a place. Throws Unknown. */
  private measure(type: Type, at: number, order: ByteOrder, number: NumberOf): number {
    if (type.size !== undefined) return type.size;
    this.step();
    if (type.kind === 'array') {
      const count = this.lengthOf(type, number);
      const element = this.settled(type.element, number);
      const size = arraySize(element, count);
      if (size !== undefined) return safe(size);
      let end = at;
      for (let i = 0; i < count; i++) end = safe(end + this.measure(element, end, order, number));
      return end - at;
    }
    if (type.kind !== 'struct') throw new Unknown('It has no size.');
    const { size, problem } = this.place(type, at, order);
    if (size === undefined) throw new Unknown(problem);
    return size;
  }

  /**
   * An array whose lengths are numbers now. They are fields of the struct that the array is in, so that all its rows are
   * equally long. Throws Unknown as lengthOf does.
   */
  settled(type: Type, number: NumberOf): Type {
    if (type.kind !== 'array' || type.size !== undefined) return type;
    const element = this.settled(type.element, number);
    const count = this.lengthOf(type, number);
    const size = arraySize(element, count);
    return {
      kind: 'array',
      element,
      length: { kind: 'fixed', count },
      size: size && safe(size),
      alignment: type.alignment,
    };
  }

  /** Elements of an array. Throws Unknown when its length is not read, negative or absurd. */
  lengthOf({ length }: ArrayType, number: NumberOf): number {
    if (length.kind === 'fixed') return length.count;
    let value: bigint;
    try {
      value = evaluate(length.expression, number);
    } catch (error) {
      if (error instanceof NoValue) throw new Unknown(`Its length “${length.text}”: ${error.message}`);
      throw error;
    }
    if (value < 0n) throw new Unknown(`Its length “${length.text}” is ${value}: no length.`);
    if (value > BigInt(Number.MAX_SAFE_INTEGER))
      throw new Unknown(`Its length “${length.text}” is ${value}: too many.`);
    return Number(value);
  }

  /** Places of the fields, as far as they can be told, and the size of the struct. */
  place(struct: StructType, at: number, order: ByteOrder): PlacedStruct {
    const placed: Placed[] = [];
    const own = struct.look.order ?? order;
    const number = (name: string): bigint => this.fieldNumber(placed, name, own);
    const placer = new Placer(struct.packed, struct.union);
    for (const field of struct.fields) {
      this.step();
      let size: number;
      try {
        const length = field.type.size;
        if (length !== undefined) size = length;
        else {
          // Measured where it will lie: a place of size 0 moves nothing on.
          const before = placer.peek(field);
          size = this.measure(field.type, at + before, field.look.order ?? own, number);
        }
      } catch (error) {
        if (!(error instanceof Unknown)) throw error;
        const where = placer.place(field, 0);
        placed.push({ field, at: at + where.byte, bit: 0, size: undefined, problem: error.message });
        return { placed, size: undefined, problem: error.message, number };
      }
      const where = placer.place(field, size);
      placed.push({ field, at: at + where.byte, bit: where.bit, size });
      if (at + where.byte + size > Number.MAX_SAFE_INTEGER) {
        return { placed, size: undefined, problem: 'It is larger than 2^53 bytes.', number };
      }
    }
    return { placed, size: struct.size ?? placer.size(struct.alignment), number };
  }

  /** The number in an earlier field. Throws NoValue when it is not read. */
  private fieldNumber(placed: readonly Placed[], name: string, order: ByteOrder): bigint {
    const found = placed.find(({ field }) => field.name === name && !field.padding);
    if (found === undefined) throw new NoValue(`“${name}” is not known.`);
    const { field, at, bit } = found;
    const base = scalarOf(field.type);
    if (base === undefined) throw new NoValue(`“${name}” is no whole number.`);
    const own = field.look.order ?? order;
    if (field.bits !== undefined) {
      const bytes = this.memory.read(at, Math.ceil((bit + field.bits.width) / 8));
      if (typeof bytes === 'string') throw new NoValue(`“${name}” is not read.`);
      return signed(extract(bytes, bit, field.bits.width, own), field.bits.width, base);
    }
    const bytes = this.memory.read(at, base.size);
    if (typeof bytes === 'string') throw new NoValue(`“${name}” is not read.`);
    return BigInt(decodeValue(bytes, 0, base.dtype, own) as number | bigint);
  }

  /** How many elements of no fixed size stand one behind the other, until the end or where one cannot be measured. */
  countDynamic(type: Type, start: number, end: number, order: ByteOrder): number {
    let [at, count] = [start, 0];
    try {
      while (at < end) {
        const size = this.measure(type, at, order, nothing);
        if (size === 0 || at + size > end) break;
        at += size;
        count++;
      }
    } catch (error) {
      if (!(error instanceof Unknown)) throw error;
    }
    return count;
  }

  /** Bytes of an array at a place, or null. */
  sizeIfKnown(type: ArrayType, at: number, order: ByteOrder, number: NumberOf): number | null {
    try {
      return this.measure(type, at, order, number);
    } catch (error) {
      if (error instanceof Unknown) return null;
      throw error;
    }
  }

  /** Where the elements of an array begin, and of packed ones which half of the byte. */
  elementPlaces(
    element: Type,
    at: number,
    order: ByteOrder,
    number: NumberOf,
  ): (index: number) => readonly [number, number] {
    if (isPacked(element)) return (index) => [at + Math.floor(index / 2), index % 2];
    const stride = strideOf(element);
    if (stride !== undefined) return (index) => [safe(at + stride * index), 0];
    // One after the other; the last place is kept, so that going forwards goes over each only once.
    let [known, place] = [0, at];
    return (index) => {
      if (index < known) [known, place] = [0, at];
      for (; known < index; known++) place = safe(place + this.measure(element, place, order, number));
      return [place, 0];
    };
  }
}
