/** Element types of memory. One table, used by fills, the value views, formats, layouts, exports and labels. */

export type DtypeKind = 'unsigned' | 'signed' | 'float' | 'bool' | 'complex';

export interface Dtype {
  /** Size of one element in bits: 4 for packed types, 8 × `bytes` for all others. */
  readonly bits: number;
  /** Bytes of the smallest piece of memory that holds whole elements: of one element, or of the byte they share. */
  readonly bytes: number;
  /** Elements in these bytes: 2 for the packed types, the low half of the byte first; 1 for all others. */
  readonly perUnit: number;
  readonly kind: DtypeKind;
  /** For people: `bf16` is `bfloat16`. */
  readonly name: string;
  /** What NumPy calls it; null where NumPy has no such type. */
  readonly numpy: string | null;
  /** Of a complex number: the type of its real and of its imaginary part, which lie one after the other. */
  readonly part: 'f32' | 'f64' | null;
}

/** A type whose elements are whole bytes that hold one number. */
const plain = <Kind extends DtypeKind>(bytes: number, kind: Kind, name: string, numpy: string | null) =>
  ({ bits: 8 * bytes, bytes, perUnit: 1, kind, name, numpy, part: null }) as const;

const table = {
  u8: plain(1, 'unsigned', 'unsigned 8-bit integer', 'uint8'),
  i8: plain(1, 'signed', 'signed 8-bit integer', 'int8'),
  u16: plain(2, 'unsigned', 'unsigned 16-bit integer', 'uint16'),
  i16: plain(2, 'signed', 'signed 16-bit integer', 'int16'),
  u32: plain(4, 'unsigned', 'unsigned 32-bit integer', 'uint32'),
  i32: plain(4, 'signed', 'signed 32-bit integer', 'int32'),
  u64: plain(8, 'unsigned', 'unsigned 64-bit integer', 'uint64'),
  i64: plain(8, 'signed', 'signed 64-bit integer', 'int64'),
  f16: plain(2, 'float', 'IEEE 754 half precision', 'float16'),
  bf16: plain(2, 'float', 'bfloat16', null),
  f32: plain(4, 'float', 'IEEE 754 single precision', 'float32'),
  f64: plain(8, 'float', 'IEEE 754 double precision', 'float64'),
  f8e4m3: plain(1, 'float', 'FP8 with 4 exponent bits (E4M3, no infinity)', null),
  f8e5m2: plain(1, 'float', 'FP8 with 5 exponent bits (E5M2)', null),
  bool: plain(1, 'bool', 'truth value of one byte', 'bool'),
  c64: { ...plain(8, 'complex', 'complex number of two singles', 'complex64'), part: 'f32' },
  c128: { ...plain(16, 'complex', 'complex number of two doubles', 'complex128'), part: 'f64' },
  i4: { ...plain(1, 'signed', 'signed 4-bit integer, two in a byte', null), bits: 4, perUnit: 2 },
  u4: { ...plain(1, 'unsigned', 'unsigned 4-bit integer, two in a byte', null), bits: 4, perUnit: 2 },
} as const satisfies Record<string, Dtype>;

export type DtypeId = keyof typeof table;
export type ComplexDtypeId = 'c64' | 'c128';
export type FloatDtypeId = 'f8e4m3' | 'f8e5m2' | 'f16' | 'bf16' | 'f32' | 'f64';

export const dtypes: Readonly<Record<DtypeId, Dtype>> = table;
export const dtypeIds = Object.keys(table) as [DtypeId, ...DtypeId[]];

export const isFloat = (dtype: DtypeId): dtype is FloatDtypeId => dtypes[dtype].kind === 'float';
/** Whole numbers: signed and unsigned integers of 4 to 64 bits. */
export const isInteger = (dtype: DtypeId): boolean =>
  dtypes[dtype].kind === 'unsigned' || dtypes[dtype].kind === 'signed';

/** Bytes that `count` elements take, from a byte boundary on: three `i4` take two bytes. */
export function bytesOfElements(count: number, dtype: DtypeId): number {
  const { bytes, perUnit } = dtypes[dtype];
  return Math.ceil(count / perUnit) * bytes;
}

/** Whole elements in `bytes` bytes. */
export function elementsInBytes(bytes: number, dtype: DtypeId): number {
  const { bytes: unit, perUnit } = dtypes[dtype];
  return Math.floor(bytes / unit) * perUnit;
}
