/** Searching bytes that the CPU has: snapshots, and orders of bytes that the kernels do not know. Pure. */
import type { ByteOrder } from '#contract/decode-values';
import { bitsOfKey, elementsOf, keyOfBits, Order } from './elements';
import { intervalsOf, type KeyInterval } from './search';
import type { SearchQuery } from './types';

/** Whether what is looked for begins at a place. */
interface Matcher {
  /** Bytes of what is found. */
  readonly bytes: number;
  /** It may begin at multiples of so many bytes. */
  readonly step: number;
  /** `at` is at most `bytes` before the end of the view. */
  readonly at: (view: DataView, at: number) => boolean;
}

/** Undefined when there is no such value in the type. */
export function matcherOf(query: SearchQuery, order: ByteOrder): Matcher | undefined {
  if ('pattern' in query) return patternMatcher(query.pattern, query.masks, query.every ?? 1);
  const elements = elementsOf(query.dtype);
  const intervals = intervalsOf(elements, query);
  const [first, second = first] = intervals;
  if (first === undefined || second === undefined) return undefined;
  const { bits } = elements;
  const little = order === 'little';
  const isIn = (key: bigint): boolean => intervals.some(({ low, high }) => key >= low && key <= high);
  const keyIsIn = (pattern: number): boolean => isIn(keyOfBits(elements, BigInt(pattern)));
  if (bits <= 8) {
    // A byte of two elements is found once, whichever of them it is.
    const found = Uint8Array.from({ length: 256 }, (_, byte) =>
      Number(bits === 4 ? keyIsIn(byte & 15) || keyIsIn(byte >> 4) : keyIsIn(byte)),
    );
    return { bytes: 1, step: 1, at: (view, at) => found[view.getUint8(at)] === 1 };
  }
  if (bits === 16) {
    const found = Uint8Array.from({ length: 65_536 }, (_, pattern) => Number(keyIsIn(pattern)));
    return { bytes: 2, step: 2, at: (view, at) => found[view.getUint16(at, little)] === 1 };
  }
  const [one, two] = [wordsOf(first), wordsOf(second)];
  const { order: keys } = elements;
  if (bits === 32) {
    const at = (view: DataView, offset: number): boolean => {
      const word = upperKey(view.getUint32(offset, little), keys);
      return (word >= one.lowLower && word <= one.highLower) || (word >= two.lowLower && word <= two.highLower);
    };
    return { bytes: 4, step: 4, at };
  }
  const at = (view: DataView, offset: number): boolean => {
    const upperBits = view.getUint32(little ? offset + 4 : offset, little);
    const lowerBits = view.getUint32(little ? offset : offset + 4, little);
    const upper = upperKey(upperBits, keys);
    // All bits of a negative float are turned over.
    const lower = keys === Order.FLOAT && upperBits >= 0x8000_0000 ? ~lowerBits >>> 0 : lowerBits;
    return isBetween(upper, lower, one) || isBetween(upper, lower, two);
  };
  return { bytes: 8, step: 8, at };
}

/**
 * A search for big-endian values as one for bytes, which the kernels know: possible for one value, for both zeros, and
 * for both infinities. The query itself where the order of bytes means nothing; undefined for all others.
 */
export function bigEndianPattern(query: SearchQuery): SearchQuery | undefined {
  if ('pattern' in query) return query;
  const elements = elementsOf(query.dtype);
  const intervals = intervalsOf(elements, query);
  if (elements.bits <= 8 || intervals.length === 0) return query;
  const keys = intervals.flatMap(({ low, high }) => (high - low > 1n ? [] : low === high ? [low] : [low, high]));
  const complete = intervals.every(({ low, high }) => high - low <= 1n);
  const [first, second = first] = keys;
  if (!complete || keys.length > 2 || first === undefined || second === undefined) return undefined;
  const patterns = [first, second].map((key) => bigEndian(bitsOfKey(elements, key), elements.bits));
  const [one, other] = patterns as [number[], number[]];
  const differing = one.map((byte, i) => byte ^ (other[i] as number));
  // Zero and minus zero, or the infinities: they differ in their sign.
  if (differing.some((byte, i) => byte !== 0 && !(i === 0 && byte === 0x80))) return undefined;
  return { pattern: one, masks: differing.map((byte) => 0xff ^ byte), every: one.length };
}

const bigEndian = (value: bigint, bits: number): number[] =>
  Array.from({ length: bits / 8 }, (_, i) => Number((value >> BigInt(bits - 8 * (i + 1))) & 0xffn));

function patternMatcher(
  pattern: readonly (number | null)[],
  masks: readonly number[] | undefined,
  step: number,
): Matcher {
  const mask = Uint8Array.from(pattern, (byte, i) => (byte === null ? 0 : (masks?.[i] ?? 0xff)));
  const wanted = Uint8Array.from(pattern, (byte, i) => (byte ?? 0) & (mask[i] as number));
  const { length } = pattern;
  const at = (view: DataView, offset: number): boolean => {
    for (let i = 0; i < length; i++) {
      if ((view.getUint8(offset + i) & (mask[i] as number)) !== wanted[i]) return false;
    }
    return true;
  };
  return { bytes: length, step, at };
}

interface Words {
  readonly lowUpper: number;
  readonly lowLower: number;
  readonly highUpper: number;
  readonly highLower: number;
}

const wordsOf = ({ low, high }: KeyInterval): Words => ({
  lowUpper: Number(low >> 32n),
  lowLower: Number(low & 0xffff_ffffn),
  highUpper: Number(high >> 32n),
  highLower: Number(high & 0xffff_ffffn),
});

/** The first 32 bits of a key from those of the element. */
function upperKey(bits: number, order: number): number {
  if (order === Order.UNSIGNED) return bits;
  if (order === Order.FLOAT && bits >= 0x8000_0000) return ~bits >>> 0;
  return (bits ^ 0x8000_0000) >>> 0;
}

function isBetween(upper: number, lower: number, { lowUpper, lowLower, highUpper, highLower }: Words): boolean {
  const fromLow = upper > lowUpper || (upper === lowUpper && lower >= lowLower);
  return fromLow && (upper < highUpper || (upper === highUpper && lower <= highLower));
}
