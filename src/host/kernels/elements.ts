/**
 * Elements as the kernels see them: bits, and keys. A key is an unsigned number with the order of the values, in as many
 * bits as the element has; -0 comes just before +0, NaN before everything or after it.
 */
import type { DtypeId } from '#contract/dtypes';
import { f8e4m3ToNumber, f8e5m2ToNumber } from '#contract/float8';
import { f16ToNumber } from '#contract/float16';
import type { ElementValue } from './types';

/** Types that kernels know: of complex numbers the type of their parts. */
export type PlainDtype = Exclude<DtypeId, 'c64' | 'c128'>;

/** As in native-bridge/kernels/elements.h. */
export const Order = { UNSIGNED: 0, SIGNED: 1, FLOAT: 2 } as const;

export interface Elements {
  readonly dtype: PlainDtype;
  /** Number of the type in elements.h. */
  readonly type: number;
  readonly bits: 4 | 8 | 16 | 32 | 64;
  readonly order: (typeof Order)[keyof typeof Order];
  /** Bits of the largest finite float, for floats; infinity follows unless the type has none. */
  readonly largest?: bigint;
  readonly infinite: boolean;
  /** Value of the bits. */
  readonly decode: (bits: bigint) => ElementValue;
}

const words = new DataView(new ArrayBuffer(8));
function single(bits: bigint): number {
  words.setUint32(0, Number(bits), true);
  return words.getFloat32(0, true);
}
function double(bits: bigint): number {
  words.setBigUint64(0, bits, true);
  return words.getFloat64(0, true);
}
const signed = (width: number) => (bits: bigint) => Number(BigInt.asIntN(width, bits));

const integer = (type: number, bits: Elements['bits'], isSigned: boolean, decode: Elements['decode']) =>
  ({ type, bits, order: isSigned ? Order.SIGNED : Order.UNSIGNED, infinite: false, decode }) as const;
const float = (
  type: number,
  bits: Elements['bits'],
  largest: bigint,
  infinite: boolean,
  decode: (bits: bigint) => number,
) => ({ type, bits, order: Order.FLOAT, largest, infinite, decode }) as const;

const table: Record<PlainDtype, Omit<Elements, 'dtype'>> = {
  u8: integer(0, 8, false, Number),
  i8: integer(1, 8, true, signed(8)),
  u16: integer(2, 16, false, Number),
  i16: integer(3, 16, true, signed(16)),
  u32: integer(4, 32, false, Number),
  i32: integer(5, 32, true, signed(32)),
  u64: integer(6, 64, false, (bits) => bits),
  i64: integer(7, 64, true, (bits) => BigInt.asIntN(64, bits)),
  f16: float(8, 16, 0x7bffn, true, (bits) => f16ToNumber(Number(bits))),
  bf16: float(9, 16, 0x7f7fn, true, (bits) => single(bits << 16n)),
  f32: float(10, 32, 0x7f7fffffn, true, single),
  f64: float(11, 64, 0x7fefffffffffffffn, true, double),
  f8e4m3: float(12, 8, 0x7en, false, (bits) => f8e4m3ToNumber(Number(bits))),
  f8e5m2: float(13, 8, 0x7bn, true, (bits) => f8e5m2ToNumber(Number(bits))),
  bool: integer(14, 8, false, (bits) => (bits === 0n ? 0 : 1)),
  i4: integer(15, 4, true, signed(4)),
  u4: integer(16, 4, false, Number),
};

export function elementsOf(dtype: DtypeId): Elements {
  const plain = dtype === 'c64' ? 'f32' : dtype === 'c128' ? 'f64' : dtype;
  return { dtype: plain, ...table[plain] };
}

/** How many whole elements lie in so many bytes, the parts of complex numbers each for themselves. */
export const elementCount = ({ bits }: Elements, bytes: number): number => Math.floor((bytes * 8) / bits);

const signOf = ({ bits }: Elements): bigint => 1n << BigInt(bits - 1);

export function keyOfBits(elements: Elements, bits: bigint): bigint {
  const sign = signOf(elements);
  if (elements.order === Order.UNSIGNED) return bits;
  if (elements.order === Order.SIGNED || (bits & sign) === 0n) return bits ^ sign;
  return ~bits & (2n * sign - 1n);
}

export function bitsOfKey(elements: Elements, key: bigint): bigint {
  const sign = signOf(elements);
  if (elements.order === Order.UNSIGNED) return key;
  if (elements.order === Order.SIGNED || (key & sign) !== 0n) return key ^ sign;
  return ~key & (2n * sign - 1n);
}

export const valueOfKey = (elements: Elements, key: bigint): ElementValue => {
  const value = elements.decode(bitsOfKey(elements, key));
  return value === 0 ? 0 : value;
};

/** Keys of the smallest and the largest element: of what is not NaN, or of what is finite. */
export function keyRange(
  elements: Elements,
  which: 'ordered' | 'finite',
): { readonly low: bigint; readonly high: bigint } {
  const { largest, infinite, bits } = elements;
  if (largest === undefined) return { low: 0n, high: (1n << BigInt(bits)) - 1n };
  const last = which === 'ordered' && infinite ? largest + 1n : largest;
  return { low: keyOfBits(elements, last | signOf(elements)), high: keyOfBits(elements, last) };
}

/** Keys of zero: of floats that of -0 and of +0. */
export function zeroKeys(elements: Elements): { readonly low: bigint; readonly high: bigint } {
  const high = keyOfBits(elements, 0n);
  return { low: elements.order === Order.FLOAT ? high - 1n : high, high };
}

/** The smallest key in [low, high] that fulfils a condition which then holds for all larger ones; high + 1 if none. */
export function firstKey(low: bigint, high: bigint, holds: (key: bigint) => boolean): bigint {
  let from = low;
  let to = high + 1n;
  while (from < to) {
    const middle = (from + to) >> 1n;
    if (holds(middle)) to = middle;
    else from = middle + 1n;
  }
  return from;
}
