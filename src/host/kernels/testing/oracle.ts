/**
 * The same answers from plain loops over JavaScript values: written without a look at the kernels, one element after
 * the other, formats by their definition.
 */
import type { DtypeId } from '#contract/dtypes';

type Value = number | bigint;

/** value = (-1)^sign · 1.fraction · 2^(exponent - bias), by IEEE 754; `e4m3` has no infinity. */
function small(bits: number, exponentBits: number, fractionBits: number, e4m3 = false): number {
  const bias = 2 ** (exponentBits - 1) - 1;
  const sign = Math.floor(bits / 2 ** (exponentBits + fractionBits)) % 2 === 1 ? -1 : 1;
  const exponent = Math.floor(bits / 2 ** fractionBits) % 2 ** exponentBits;
  const fraction = bits % 2 ** fractionBits;
  const top = 2 ** exponentBits - 1;
  if (e4m3 && exponent === top && fraction === 2 ** fractionBits - 1) return Number.NaN;
  if (!e4m3 && exponent === top) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * (fraction / 2 ** fractionBits) * 2 ** (1 - bias);
  return sign * (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias);
}

/** Elements of bytes; complex numbers give their parts. */
export function valuesOf(bytes: Uint8Array, dtype: DtypeId): Value[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const each = <T>(size: number, get: (at: number) => T): T[] =>
    Array.from({ length: Math.floor(bytes.byteLength / size) }, (_, i) => get(i * size));
  switch (dtype) {
    case 'u8':
      return [...bytes];
    case 'i8':
      return each(1, (at) => view.getInt8(at));
    case 'bool':
      return each(1, (at) => (view.getUint8(at) ? 1 : 0));
    case 'u4':
      return [...bytes].flatMap((byte) => [byte % 16, Math.floor(byte / 16)]);
    case 'i4':
      return [...bytes].flatMap((byte) => [byte % 16, Math.floor(byte / 16)]).map((x) => (x > 7 ? x - 16 : x));
    case 'u16':
      return each(2, (at) => view.getUint16(at, true));
    case 'i16':
      return each(2, (at) => view.getInt16(at, true));
    case 'u32':
      return each(4, (at) => view.getUint32(at, true));
    case 'i32':
      return each(4, (at) => view.getInt32(at, true));
    case 'u64':
      return each(8, (at) => view.getBigUint64(at, true));
    case 'i64':
      return each(8, (at) => view.getBigInt64(at, true));
    case 'f16':
      return each(2, (at) => small(view.getUint16(at, true), 5, 10));
    case 'bf16':
      return each(2, (at) => small(view.getUint16(at, true), 8, 7));
    case 'f8e4m3':
      return each(1, (at) => small(view.getUint8(at), 4, 3, true));
    case 'f8e5m2':
      return each(1, (at) => small(view.getUint8(at), 5, 2));
    case 'f32':
    case 'c64':
      return each(4, (at) => view.getFloat32(at, true));
    case 'f64':
    case 'c128':
      return each(8, (at) => view.getFloat64(at, true));
  }
}

const smallestNormal: Partial<Record<DtypeId, number>> = {
  f16: 2 ** -14,
  bf16: 2 ** -126,
  f32: 2 ** -126,
  f64: 2 ** -1022,
  f8e4m3: 2 ** -6,
  f8e5m2: 2 ** -14,
  c64: 2 ** -126,
  c128: 2 ** -1022,
};

const isFiniteValue = (value: Value): boolean => typeof value === 'bigint' || Number.isFinite(value);

export function statisticsOf(values: readonly Value[], dtype: DtypeId) {
  const numbers = values.filter((value) => typeof value === 'bigint' || !Number.isNaN(value));
  const finite = values.filter(isFiniteValue);
  let min: Value | undefined;
  let max: Value | undefined;
  for (const value of numbers) {
    if (min === undefined || value < min) min = value;
    if (max === undefined || value > max) max = value;
  }
  const normal = smallestNormal[dtype] ?? 0;
  const count = (holds: (value: Value) => boolean): number => values.filter(holds).length;
  return {
    count: values.length,
    min,
    max,
    zeros: count((x) => Number(x) === 0),
    nans: values.length - numbers.length,
    positiveInfinities: count((x) => x === Number.POSITIVE_INFINITY),
    negativeInfinities: count((x) => x === Number.NEGATIVE_INFINITY),
    negatives: count((x) => x < 0),
    denormals: count((x) => Number(x) !== 0 && Math.abs(Number(x)) < normal),
    finite,
    ...moments(finite),
  };
}

/** Mean and deviation in two passes; exact sums for integers that are bigint, else sums of the sorted by size. */
function moments(finite: readonly Value[]) {
  if (finite.length === 0) return { sum: 0, mean: undefined, std: undefined };
  if (finite.every((value) => typeof value === 'bigint' || Number.isInteger(value))) {
    const sum = finite.reduce<bigint>((total, value) => total + BigInt(value), 0n);
    const scale = 1n << 80n;
    const mean = (sum * scale) / BigInt(finite.length);
    const squares = finite.reduce<bigint>((total, value) => total + (BigInt(value) * scale - mean) ** 2n, 0n);
    const variance = Number(squares / BigInt(finite.length) / scale) / 2 ** 80;
    return { sum: Number(sum), exactSum: sum, mean: Number(mean) / 2 ** 80, std: Math.sqrt(variance) };
  }
  const numbers = finite.map(Number).sort((a, b) => Math.abs(a) - Math.abs(b));
  const sum = numbers.reduce((total, value) => total + value, 0);
  const mean = numbers.reduce((total, value) => total + value / numbers.length, 0);
  const variance = numbers.reduce((total, value) => total + (value - mean) ** 2 / numbers.length, 0);
  return { sum, mean, std: Math.sqrt(variance) };
}

/** numpy.histogram(values, edges)[0]. */
export function histogramOf(values: readonly Value[], edges: readonly Value[]): number[] {
  const counts = Array.from({ length: Math.max(0, edges.length - 1) }, () => 0);
  const lastEdge = edges.at(-1);
  for (const value of values) {
    if (lastEdge === undefined || value > lastEdge) continue;
    // searchsorted(edges, value, 'right'), but for the last edge, which is included.
    let bin = edges.findLastIndex((edge) => edge <= value);
    if (bin === edges.length - 1) bin--;
    if (bin >= 0) counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}

/** The sum of the pieces of docs/kernels.md, with big integers. */
export function pieceSumOf(bytes: Uint8Array, first = 0n): bigint {
  const low = 2n ** 32n - 1n;
  const padded = new Uint8Array(Math.ceil(bytes.byteLength / 16) * 16);
  padded.set(bytes);
  const view = new DataView(padded.buffer);
  let sum = 0n;
  for (let piece = 0; piece < padded.byteLength / 16; piece++) {
    const i = first + BigInt(piece);
    const key = (i + 1n) * 0x9e3779b9n + (i >> 32n) * 0x632be5abn;
    const word = (j: number, added: bigint): bigint =>
      (BigInt(view.getUint32(16 * piece + 4 * j, true)) + key + added) & low;
    sum += word(0, 0n) * word(1, 0x7f4a7c15n) + word(2, 0x85ebca6bn) * word(3, 0xc2b2ae35n);
  }
  return sum & (2n ** 64n - 1n);
}

/** The checksum of docs/kernels.md. */
export function checksumOf(bytes: Uint8Array): string {
  const mask = 2n ** 64n - 1n;
  const sum = pieceSumOf(bytes);
  let x = (sum + BigInt(bytes.byteLength) * 0x9e3779b97f4a7c15n) & mask;
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & mask;
  return (x ^ (x >> 31n)).toString(16).padStart(16, '0');
}
