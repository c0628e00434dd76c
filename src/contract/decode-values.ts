/** Elements of memory as values and as exact text: what the bytes mean as u8 … f64, little- or big-endian. */
import { type DtypeId, dtypes } from './dtypes';
import { bf16ToNumber, f16ToNumber, numberToBf16, numberToF16 } from './float16';

export type ByteOrder = 'little' | 'big';

/** 64-bit integers are BigInt, everything else a number that holds the stored value exactly. */
export type ElementValue = number | bigint;

/** The element at `offset` bytes. RangeError when it does not lie inside `bytes`. */
export function decodeValue(
  bytes: Uint8Array,
  offset: number,
  dtype: DtypeId,
  order: ByteOrder = 'little',
): ElementValue {
  return readers[dtype](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset, order === 'little');
}

/** As many whole elements as fit from `offset` on, at most `count`. */
export function decodeValues(
  bytes: Uint8Array,
  dtype: DtypeId,
  order: ByteOrder = 'little',
  offset = 0,
  count = Number.POSITIVE_INFINITY,
): ElementValue[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const size = dtypes[dtype].bytes;
  const read = readers[dtype];
  const values: ElementValue[] = [];
  for (let at = offset; at + size <= bytes.byteLength && values.length < count; at += size) {
    values.push(read(view, at, order === 'little'));
  }
  return values;
}

/** Writes one element. Integers wrap to their width, fractions are cut; floats are rounded to nearest, ties to even. */
export function encodeValue(
  bytes: Uint8Array,
  offset: number,
  dtype: DtypeId,
  value: ElementValue,
  order: ByteOrder = 'little',
): void {
  writers[dtype](new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), offset, value, order === 'little');
}

/**
 * The value as text: integers in full, floats with the fewest digits that still name this value and no other of their
 * type, `NaN`, `Inf`, `-Inf`, `-0`.
 */
export function formatValue(value: ElementValue, dtype: DtypeId): string {
  if (typeof value === 'bigint') return String(value);
  if (Number.isNaN(value)) return 'NaN';
  if (value === Number.POSITIVE_INFINITY) return 'Inf';
  if (value === Number.NEGATIVE_INFINITY) return '-Inf';
  if (Object.is(value, -0)) return '-0';
  if (dtypes[dtype].kind !== 'float' || dtype === 'f64') return String(value);
  const round: (value: number) => number = rounders[dtype as 'f16' | 'bf16' | 'f32'];
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (round(shorter) === value) return String(shorter);
  }
  return String(Number(value.toPrecision(9)));
}

/** Decodes and formats in one step; undefined when the element does not lie inside `bytes`. */
export function valueText(
  bytes: Uint8Array,
  offset: number,
  dtype: DtypeId,
  order: ByteOrder = 'little',
): string | undefined {
  if (offset < 0 || offset + dtypes[dtype].bytes > bytes.byteLength) return undefined;
  return formatValue(decodeValue(bytes, offset, dtype, order), dtype);
}

type Reader = (view: DataView, offset: number, little: boolean) => ElementValue;

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
};

const rounders = {
  f16: (value: number): number => f16ToNumber(numberToF16(value)),
  bf16: (value: number): number => bf16ToNumber(numberToBf16(value)),
  f32: Math.fround,
};

type Writer = (view: DataView, offset: number, value: ElementValue, little: boolean) => void;

/** To a whole number, so that NaN and infinities become 0 and the rest loses its fraction, as ToInt32 does. */
const whole = (value: ElementValue): bigint =>
  typeof value === 'bigint' ? value : Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
const low = (value: ElementValue): number => Number(BigInt.asUintN(32, whole(value)));

const writers: Record<DtypeId, Writer> = {
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
};
