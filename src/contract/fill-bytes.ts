/**
 * Fill patterns as bytes. A plan says how to fill a buffer of any size: by a memset of the driver, by a head followed
 * by zeros, or by chunks generated for any offset (a pattern with a period needs to be generated only once).
 */
import { encodeValue } from './decode-values';
import { type DtypeId, dtypes, isInteger } from './dtypes';
import { numberToF8e4m3, numberToF8e5m2 } from './float8';
import { numberToBf16, numberToF16 } from './float16';
import type { Fill } from './values';

/** What the placeholders of a text stand for. */
export interface FillContext {
  readonly pid: number;
  /** `{n}`: counts the writes of an animation, 0 for a single one. */
  readonly tick: number;
  /** `{time}`: milliseconds since 1970, written as hh:mm:ss.mmm in UTC. */
  readonly time: number;
}

export type FillPlan =
  /** `value` repeated: cuMemsetD8, D16 or D32. Bytes after the last whole `width` are zero. */
  | { readonly by: 'memset'; readonly width: 1 | 2 | 4; readonly value: number }
  /** These bytes first, cut where the buffer ends, then zeros. */
  | { readonly by: 'head'; readonly head: Uint8Array }
  | {
      readonly by: 'chunks';
      /** The bytes repeat after this many, a multiple of the element size; undefined when they do not. */
      readonly period?: number;
      /** Writes the bytes that belong at `offset` of the buffer, a multiple of the element size. */
      readonly write: (target: Uint8Array, offset: number) => void;
    };

/** Random fills repeat after this many bytes, so that a buffer of 64 GiB is filled by copies on the device. */
export const RANDOM_PERIOD = 16 * 1024 * 1024;

/** How to fill a buffer of elements of `dtype`. */
export function planFill(fill: Fill, dtype: DtypeId, context: FillContext): FillPlan {
  switch (fill.pattern) {
    case 'zero':
      return { by: 'memset', width: 1, value: 0 };
    case 'constant':
      return planConstant(fill.value, dtype);
    case 'ramp':
      return planRamp(fill.start ?? 0, fill.step ?? 1, dtype);
    case 'random':
      return { by: 'chunks', period: RANDOM_PERIOD, write: randomWriter(fill.seed ?? 0, dtype) };
    case 'text':
      return { by: 'head', head: new TextEncoder().encode(expandText(fill.text, context)) };
  }
}

/** What an animation writes at its n-th tick: the same pattern, moved on. A zero fill becomes a ramp: it cannot move. */
export function fillAtTick(fill: Fill, tick: number): Fill {
  switch (fill.pattern) {
    case 'zero':
      return { pattern: 'ramp', start: tick };
    case 'constant':
      return { pattern: 'constant', value: fill.value + tick };
    case 'ramp':
      return { pattern: 'ramp', start: (fill.start ?? 0) + tick * (fill.step ?? 1), step: fill.step };
    case 'random':
      return { pattern: 'random', seed: ((fill.seed ?? 0) + tick) >>> 0 };
    case 'text':
      return fill;
  }
}

/** The text with its placeholders replaced. */
export function expandText(text: string, context: FillContext): string {
  return text
    .replaceAll('{pid}', String(context.pid))
    .replaceAll('{n}', String(context.tick))
    .replaceAll('{time}', new Date(context.time).toISOString().slice(11, 23));
}

/** A whole buffer by its plan, in memory: what a device holds after the fill. */
export function fillBytes(plan: FillPlan, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  switch (plan.by) {
    case 'memset': {
      const view = new DataView(bytes.buffer);
      for (let at = 0; at + plan.width <= size; at += plan.width) {
        if (plan.width === 1) view.setUint8(at, plan.value);
        else if (plan.width === 2) view.setUint16(at, plan.value, true);
        else view.setUint32(at, plan.value, true);
      }
      break;
    }
    case 'head':
      bytes.set(plan.head.subarray(0, size));
      break;
    case 'chunks':
      plan.write(bytes, 0);
      break;
  }
  return bytes;
}

function planConstant(value: number, dtype: DtypeId): FillPlan {
  const { bytes: width, perUnit } = dtypes[dtype];
  const element = new Uint8Array(width);
  for (let lane = 0; lane < perUnit; lane++) encodeValue(element, 0, dtype, value, 'little', lane);
  const view = new DataView(element.buffer);
  if (width === 1) return { by: 'memset', width, value: view.getUint8(0) };
  if (width === 2) return { by: 'memset', width, value: view.getUint16(0, true) };
  if (width === 4) return { by: 'memset', width, value: view.getUint32(0, true) };
  return { by: 'chunks', period: width, write: (target) => repeat(element, target) };
}

/** Copies `element` over and over into `target`; a last part of it is left zero. */
function repeat(element: Uint8Array, target: Uint8Array): void {
  const end = target.length - (target.length % element.length);
  target.fill(0, end);
  if (end === 0) return;
  target.set(element);
  for (let done = element.length; done < end; done *= 2) target.copyWithin(done, 0, Math.min(done, end - done));
}

/**
 * start + index × step, as the type holds it: integers wrap, floats are rounded and may reach infinity, truth values
 * are 1 for all but 0, complex numbers have no imaginary part.
 */
function planRamp(start: number, step: number, dtype: DtypeId): FillPlan {
  const { bits } = dtypes[dtype];
  const exact = Number.isSafeInteger(start) && Number.isSafeInteger(step);
  // Whole steps wrap after 2^bits elements.
  const period = isInteger(dtype) && exact && bits <= 16 ? (bits / 8) * 2 ** bits : undefined;
  return { by: 'chunks', period, write: rampWriter(start, step, dtype) };
}

type ChunkWriter = (target: Uint8Array, offset: number) => void;

function rampWriter(start: number, step: number, dtype: DtypeId): ChunkWriter {
  const size = dtypes[dtype].bytes;
  if (size === 8 && isInteger(dtype)) {
    return eachElement(size, (view, at, index) => {
      const exact = Number.isSafeInteger(start) && Number.isSafeInteger(step);
      const value = exact ? BigInt(start) + BigInt(index) * BigInt(step) : wholeNumber(start + index * step);
      view.setBigUint64(at, BigInt.asUintN(64, value), true);
    });
  }
  switch (dtype) {
    case 'f64':
      return eachElement(size, (view, at, index) => view.setFloat64(at, start + index * step, true));
    case 'f32':
      return eachElement(size, (view, at, index) => view.setFloat32(at, start + index * step, true));
    case 'f16':
      return eachElement(size, (view, at, index) => view.setUint16(at, numberToF16(start + index * step), true));
    case 'bf16':
      return eachElement(size, (view, at, index) => view.setUint16(at, numberToBf16(start + index * step), true));
    case 'f8e4m3':
      return eachElement(size, (view, at, index) => view.setUint8(at, numberToF8e4m3(start + index * step)));
    case 'f8e5m2':
      return eachElement(size, (view, at, index) => view.setUint8(at, numberToF8e5m2(start + index * step)));
    case 'bool':
      return eachElement(size, (view, at, index) => view.setUint8(at, start + index * step === 0 ? 0 : 1));
    case 'c64':
    case 'c128':
      return eachComplex(dtype, (put, index) => put(start + index * step, 0));
    case 'i4':
    case 'u4': {
      const half = (index: number): number => (start + index * step) & 0xf;
      return eachElement(size, (view, at, byte) => view.setUint8(at, half(2 * byte) | (half(2 * byte + 1) << 4)));
    }
    default: {
      // DataView's setters wrap as ToInt32 does: exact as long as the number itself is.
      if (size === 1) return eachElement(size, (view, at, index) => view.setUint8(at, start + index * step));
      if (size === 2) return eachElement(size, (view, at, index) => view.setUint16(at, start + index * step, true));
      return eachElement(size, (view, at, index) => view.setUint32(at, start + index * step, true));
    }
  }
}

const wholeNumber = (value: number): bigint => (Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n);

/** Integers of all bits; floats, and parts of complex numbers, of [0, 1); truth values 0 and 1. The same seed gives the same bytes at the same offsets. */
function randomWriter(seed: number, dtype: DtypeId): ChunkWriter {
  const size = dtypes[dtype].bytes;
  const at32 = (index: number): number => mix(seed, index % (RANDOM_PERIOD / 4));
  if (dtype === 'f32') {
    return eachElement(size, (view, at, index) => view.setFloat32(at, (at32(index) >>> 8) * 2 ** -24, true));
  }
  if (dtype === 'f64') {
    return eachElement(size, (view, at, index) => view.setFloat64(at, unit53(at32, index), true));
  }
  // Two or four elements share one 32-bit word.
  if (dtype === 'f16') {
    // 11 bits: every value is exact in half precision, none rounds up to 1.
    return eachElement(size, (view, at, index) =>
      view.setUint16(at, numberToF16((half(at32, index) >>> 5) * 2 ** -11), true),
    );
  }
  if (dtype === 'bf16') {
    return eachElement(size, (view, at, index) =>
      view.setUint16(at, numberToBf16((half(at32, index) >>> 8) * 2 ** -8), true),
    );
  }
  if (dtype === 'f8e4m3' || dtype === 'f8e5m2') {
    // As many bits as the fraction and its leading one have: exact, none rounds up to 1.
    const [bits, encode] = dtype === 'f8e4m3' ? ([4, numberToF8e4m3] as const) : ([3, numberToF8e5m2] as const);
    return eachElement(size, (view, at, index) =>
      view.setUint8(at, encode((byte(at32, index) >>> (8 - bits)) * 2 ** -bits)),
    );
  }
  if (dtype === 'bool') return eachElement(size, (view, at, index) => view.setUint8(at, byte(at32, index) >>> 7));
  if (dtype === 'c64') {
    const unit = (index: number): number => (at32(index) >>> 8) * 2 ** -24;
    return eachComplex(dtype, (put, index) => put(unit(2 * index), unit(2 * index + 1)));
  }
  if (dtype === 'c128') {
    const unit = (index: number): number => unit53(at32, index);
    return eachComplex(dtype, (put, index) => put(unit(2 * index), unit(2 * index + 1)));
  }
  return (target, offset) => {
    const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
    let at = 0;
    let word = Math.floor(offset / 4);
    let shift = (offset % 4) * 8;
    for (; at < target.length && shift !== 0; at++, shift = (shift + 8) % 32) {
      view.setUint8(at, at32(word) >>> shift);
      if (shift === 24) word++;
    }
    for (; at + 4 <= target.length; at += 4) view.setUint32(at, at32(word++), true);
    for (let rest = 0; at < target.length; at++, rest += 8) view.setUint8(at, at32(word) >>> rest);
  };
}

const half = (at32: (index: number) => number, index: number): number =>
  (at32(index >> 1) >>> (index % 2 === 0 ? 0 : 16)) & 0xffff;

const byte = (at32: (index: number) => number, index: number): number =>
  (at32(Math.floor(index / 4)) >>> (8 * (index % 4))) & 0xff;

/** A number of [0, 1) with 53 bits, from two words. */
const unit53 = (at32: (index: number) => number, index: number): number =>
  ((at32(2 * index) >>> 5) * 2 ** 26 + (at32(2 * index + 1) >>> 6)) * 2 ** -53;

/** A 32-bit hash of (seed, index), murmur3's finaliser: any offset can be computed without the ones before. */
function mix(seed: number, index: number): number {
  let h = Math.imul(index + 1, 0x9e3779b1) ^ Math.imul(seed, 0x85ebca77);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/** A writer of whole elements; a last part of one is left zero. */
function eachElement(size: number, put: (view: DataView, at: number, index: number) => void): ChunkWriter {
  return (target, offset) => {
    const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
    const end = target.length - (target.length % size);
    let index = offset / size;
    for (let at = 0; at < end; at += size) put(view, at, index++);
    target.fill(0, end);
  };
}

/** A writer of whole complex numbers, given by their parts. */
function eachComplex(
  dtype: 'c64' | 'c128',
  give: (put: (real: number, imaginary: number) => void, index: number) => void,
): ChunkWriter {
  return eachElement(dtypes[dtype].bytes, (view, at, index) =>
    give((real, imaginary) => {
      if (dtype === 'c64') {
        view.setFloat32(at, real, true);
        view.setFloat32(at + 4, imaginary, true);
      } else {
        view.setFloat64(at, real, true);
        view.setFloat64(at + 8, imaginary, true);
      }
    }, index),
  );
}
