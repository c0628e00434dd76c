/** Elements of memory as values and as exact text: what the bytes mean in each type, little- or big-endian. */
import { type ComplexDtypeId, type DtypeId, dtypes, isFloat } from './dtypes';
import { f8e4m3ToNumber, f8e5m2ToNumber, numberToF8e4m3, numberToF8e5m2 } from './float8';
import { bf16ToNumber, f16ToNumber, numberToBf16, numberToF16 } from './float16';

export type ByteOrder = 'little' | 'big';

export interface Complex {
  readonly real: number;
  readonly imaginary: number;
}

/** 64-bit integers are BigInt, everything else a number that holds the stored value exactly. */
export type ScalarValue = number | bigint;
/** A truth value is the number of its byte: 0 is false, 1 is true, others are shown as what they are. */
export type ElementValue = ScalarValue | Complex;
/** What decoding a type gives. */
export type ValueOf<Id extends DtypeId> = Id extends ComplexDtypeId ? Complex : ScalarValue;

/**
 * The element at `offset` bytes. Of packed types, `lane` chooses the element in the byte: 0 is the low half. RangeError
 * when it does not lie inside `bytes`.
 */
export function decodeValue<Id extends DtypeId>(
  bytes: Uint8Array,
  offset: number,
  dtype: Id,
  order: ByteOrder = 'little',
  lane = 0,
): ValueOf<Id> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return readers[dtype](view, offset, order === 'little', lane) as ValueOf<Id>;
}

/** As many whole elements as fit from `offset` on, at most `count`. Of packed types each byte gives two. */
export function decodeValues<Id extends DtypeId>(
  bytes: Uint8Array,
  dtype: Id,
  order: ByteOrder = 'little',
  offset = 0,
  count = Number.POSITIVE_INFINITY,
): ValueOf<Id>[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { bytes: size, perUnit } = dtypes[dtype];
  const read = readers[dtype];
  const values: ElementValue[] = [];
  for (let at = offset; at + size <= bytes.byteLength; at += size) {
    for (let lane = 0; lane < perUnit; lane++) {
      if (values.length >= count) return values as ValueOf<Id>[];
      values.push(read(view, at, order === 'little', lane));
    }
  }
  return values as ValueOf<Id>[];
}

/**
 * Writes one element. Integers wrap to their width, fractions are cut; floats are rounded to nearest, ties to even.
 * A truth value is 1 for everything but 0. A number in a complex type has no imaginary part; of a complex number in
 * another type the real part is written. Of packed types `lane` chooses the half of the byte, the other one stays.
 */
export function encodeValue(
  bytes: Uint8Array,
  offset: number,
  dtype: DtypeId,
  value: ElementValue,
  order: ByteOrder = 'little',
  lane = 0,
): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const little = order === 'little';
  const { part, bytes: size } = dtypes[dtype];
  if (part !== null) {
    const { real, imaginary } = typeof value === 'object' ? value : { real: Number(value), imaginary: 0 };
    writers[part](view, offset, real, little, 0);
    writers[part](view, offset + size / 2, imaginary, little, 0);
    return;
  }
  const scalar = typeof value === 'object' ? value.real : value;
  writers[dtype as keyof typeof writers](view, offset, scalar, little, lane);
}

/**
 * The value as text: integers in full, floats with the fewest digits that still name this value and no other of their
 * type, `NaN`, `Inf`, `-Inf`, `-0`; `true` and `false`, complex numbers as `1.5-2i`.
 */
export function formatValue(value: ElementValue, dtype: DtypeId): string {
  if (typeof value === 'object') {
    const part = dtypes[dtype].part ?? 'f64';
    const imaginary = formatValue(value.imaginary, part);
    return `${formatValue(value.real, part)}${imaginary.startsWith('-') ? '' : '+'}${imaginary}i`;
  }
  if (typeof value === 'bigint') return String(value);
  if (dtype === 'bool' && (value === 0 || value === 1)) return value === 0 ? 'false' : 'true';
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return 'Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  if (Object.is(value, -0)) return '-0';
  if (!isFloat(dtype) || dtype === 'f64') return String(value);
  const round: (value: number) => number = rounders[dtype];
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (round(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

/**
 * Decodes and formats in one step; undefined when the element does not lie inside `bytes`. Of packed types all elements
 * of the byte, in order: `3 -5`.
 */
export function valueText(
  bytes: Uint8Array,
  offset: number,
  dtype: DtypeId,
  order: ByteOrder = 'little',
): string | undefined {
  const { bytes: size, perUnit } = dtypes[dtype];
  if (offset < 0 || offset + size > bytes.byteLength) return undefined;
  if (perUnit === 1) return formatValue(decodeValue(bytes, offset, dtype, order), dtype);
  return decodeValues(bytes, dtype, order, offset, perUnit)
    .map((value) => formatValue(value, dtype))
    .join(' ');
}

/** Whether all of it is zero or false. Negative zero counts, as it compares equal. */
export function isZero(value: ElementValue): boolean {
  return typeof value === 'object' ? value.real === 0 && value.imaginary === 0 : Number(value) === 0;
}

/** Whether it is NaN or infinite, or a part of it is. */
export function isNotFinite(value: ElementValue): boolean {
  if (typeof value === 'object') return !Number.isFinite(value.real) || !Number.isFinite(value.imaginary);
  return typeof value === 'number' && !Number.isFinite(value);
}

type Reader = (view: DataView, offset: number, little: boolean, lane: number) => ElementValue;

const readers: Record<DtypeId, Reader> = {
  u8: (view, at) => view.getUint8(at),
  i8: (view, at) => view.getInt8(at),
  u16: (view, at, little) => view.getUint16(at, little),
  i16: (view, at, little) => view.getInt16(at, little),
  u32: (view, at, little) => view.getUint32(at, little),
  i32: (view, at, little) => view.getInt32(at, little),
  u64: (view, at, little) => view.getBigUint64(at, little),
  i64: (view, at, little) => view.getBigInt64(at, little),
  f16: (view, at, little) => f16ToNumber(view.getUint16(at, little)),
  bf16: (view, at, little) => bf16ToNumber(view.getUint16(at, little)),
  f32: (view, at, little) => view.getFloat32(at, little),
  f64: (view, at, little) => view.getFloat64(at, little),
  f8e4m3: (view, at) => f8e4m3ToNumber(view.getUint8(at)),
  f8e5m2: (view, at) => f8e5m2ToNumber(view.getUint8(at)),
  bool: (view, at) => view.getUint8(at),
  c64: (view, at, little) => ({ real: view.getFloat32(at, little), imaginary: view.getFloat32(at + 4, little) }),
  c128: (view, at, little) => ({ real: view.getFloat64(at, little), imaginary: view.getFloat64(at + 8, little) }),
  i4: (view, at, _, lane) => (nibble(view, at, lane) << 28) >> 28,
  u4: (view, at, _, lane) => nibble(view, at, lane),
};

const nibble = (view: DataView, at: number, lane: number): number => (view.getUint8(at) >> (4 * lane)) & 0xf;

const rounders = {
  f8e4m3: (value: number): number => f8e4m3ToNumber(numberToF8e4m3(value)),
  f8e5m2: (value: number): number => f8e5m2ToNumber(numberToF8e5m2(value)),
  f16: (value: number): number => f16ToNumber(numberToF16(value)),
  bf16: (value: number): number => bf16ToNumber(numberToBf16(value)),
  f32: Math.fround,
};

type Writer = (view: DataView, offset: number, value: ScalarValue, little: boolean, lane: number) => void;

/** To a whole number, so that NaN and infinities become 0 and the rest loses its fraction, as ToInt32 does. */
const whole = (value: ScalarValue): bigint =>
  typeof value === 'bigint' ? value : Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
const low = (value: ScalarValue): number => Number(BigInt.asUintN(32, whole(value)));

const writeNibble: Writer = (view, at, value, _, lane) => {
  const shift = 4 * lane;
  view.setUint8(at, (view.getUint8(at) & ~(0xf << shift)) | ((low(value) & 0xf) << shift));
};

const writers: Record<Exclude<DtypeId, ComplexDtypeId>, Writer> = {
  u8: (view, at, value) => view.setUint8(at, low(value)),
  i8: (view, at, value) => view.setUint8(at, low(value)),
  u16: (view, at, value, little) => view.setUint16(at, low(value), little),
  i16: (view, at, value, little) => view.setUint16(at, low(value), little),
  u32: (view, at, value, little) => view.setUint32(at, low(value), little),
  i32: (view, at, value, little) => view.setUint32(at, low(value), little),
  u64: (view, at, value, little) => view.setBigUint64(at, BigInt.asUintN(64, whole(value)), little),
  i64: (view, at, value, little) => view.setBigUint64(at, BigInt.asUintN(64, whole(value)), little),
  f16: (view, at, value, little) => view.setUint16(at, numberToF16(Number(value)), little),
  bf16: (view, at, value, little) => view.setUint16(at, numberToBf16(Number(value)), little),
  f32: (view, at, value, little) => view.setFloat32(at, Number(value), little),
  f64: (view, at, value, little) => view.setFloat64(at, Number(value), little),
  f8e4m3: (view, at, value) => view.setUint8(at, numberToF8e4m3(Number(value))),
  f8e5m2: (view, at, value) => view.setUint8(at, numberToF8e5m2(Number(value))),
  bool: (view, at, value) => view.setUint8(at, value === 0 || value === 0n ? 0 : 1),
  i4: writeNibble,
  u4: writeNibble,
};
