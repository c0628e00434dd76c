/**
 * What a format text means once it is read: types with their sizes, and the fields of structs with their places.
 * The language is described in docs/structure-format.md.
 */
import type { ByteOrder } from '#contract/decode-values';
import type { DtypeId } from '#contract/dtypes';

/** Something wrong with a format text. `start` and `end` count characters of the text; lines and columns from 1. */
export interface Problem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly column: number;
}

/** A whole number that may depend on earlier fields of the same struct. */
export type Expression =
  | { readonly kind: 'number'; readonly value: bigint }
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: '-' | '~'; readonly operand: Expression }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    };
export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '<<' | '>>' | '&' | '|' | '^';

/** How many elements an array has: known from the text, or read from memory. */
export type Length =
  | { readonly kind: 'fixed'; readonly count: number }
  | { readonly kind: 'read'; readonly expression: Expression; readonly text: string };

interface Sized {
  /** Bytes; undefined when only the memory says it. */
  readonly size: number | undefined;
  readonly alignment: number;
}

export interface ElementType extends Sized {
  readonly kind: 'element';
  /** As it was written: `uint32_t`, `f32`. */
  readonly name: string;
  readonly dtype: DtypeId;
  readonly size: number;
}
export interface CharType extends Sized {
  readonly kind: 'char';
  readonly size: 1;
}
/** An address on this machine, of 8 bytes. What it points to is not followed. */
export interface PointerType extends Sized {
  readonly kind: 'pointer';
  readonly target: string;
  readonly size: 8;
}
export interface EnumType extends Sized {
  readonly kind: 'enum';
  readonly name: string;
  readonly base: ElementType;
  readonly members: readonly { readonly name: string; readonly value: bigint }[];
  readonly size: number;
}
/** An integer whose bits have names, from the lowest on. */
export interface BitsType extends Sized {
  readonly kind: 'bits';
  readonly base: ElementType;
  readonly fields: readonly {
    readonly name: string;
    readonly start: number;
    readonly width: number;
    readonly type: ElementType | EnumType;
    readonly look: Look;
  }[];
  readonly size: number;
}
export interface ArrayType extends Sized {
  readonly kind: 'array';
  readonly element: Type;
  readonly length: Length;
}
export interface StructType extends Sized {
  readonly kind: 'struct';
  /** Empty for one without a name. */
  readonly name: string;
  /** All fields begin at the start. */
  readonly union: boolean;
  readonly packed: boolean;
  readonly fields: readonly Field[];
  readonly look: Look;
}
export type Type = ElementType | CharType | PointerType | EnumType | BitsType | ArrayType | StructType;

/** How something is read and shown. */
export interface Look {
  readonly order?: ByteOrder;
  readonly base?: 'hex' | 'binary';
  /** A colour's name or `#rrggbb`. */
  readonly color?: string;
  /** Shown instead of the name. */
  readonly label?: string;
  readonly note?: string;
}

export interface Field {
  readonly name: string;
  readonly type: Type;
  readonly look: Look;
  /** First byte in the struct; undefined when what is before has no fixed size. Of a bit field the byte of its first bit. */
  readonly offset: number | undefined;
  /** Of a bit field: how many bits, and the first of them in the byte at `offset`, 0 to 7. */
  readonly bits?: { readonly start: number | undefined; readonly width: number };
  /** `@ 64`: the place was given. */
  readonly placed?: number;
  /** `padding[n]`: not shown. */
  readonly padding: boolean;
  /** `[[align(n)]]` of the field itself. */
  readonly alignment: number;
}

/** A format that was read without problems. */
export interface Format {
  readonly root: Type;
  readonly rootName: string;
  /** Where the root begins, from the place that the format is laid on. */
  readonly rootOffset: number;
  /** `Root[]`: as many as there is memory for. `root` is then the type of one. */
  readonly repeated: boolean;
}

/** Limits that no text may pass, so that none can make the program slow. */
export const FORMAT_LIMITS = {
  characters: 65_536,
  problems: 20,
  types: 512,
  fields: 4096,
  enumMembers: 4096,
  nesting: 32,
  dimensions: 8,
  nameLength: 100,
} as const;
