/** What a search is for, from the words of the contract to those of the whole-buffer calls. Pure. */
import type { Query } from '#contract/calls/contents';
import { type DtypeId, dtypes, isFloat } from '#contract/dtypes';
import { formatCount } from '#contract/units';
import type { ElementValue, SearchQuery } from '../kernels/types';
import { invalid } from '../problems';

export const MAX_PATTERN_BYTES = 64;

/** @throws GpuIpcError `invalid-argument` that says what is wrong with it */
export function searchQuery(query: Query): SearchQuery {
  if ('bytes' in query) return { pattern: patternOf(query.bytes) };
  const { dtype } = query;
  const scalar = dtypes[dtype].part ?? dtype;
  if ('is' in query) {
    if (!isFloat(scalar)) throw invalid(`${dtypes[dtype].name} has no NaN and no infinity.`);
    return { dtype, is: query.is };
  }
  if ('value' in query) {
    const value = valueIn(query.value, scalar);
    return typeof value === 'number' && Number.isNaN(value) ? { dtype, is: 'nan' } : { dtype, value };
  }
  return { dtype, ...rangeOf(query, scalar) };
}

/** `48 ?? 6c`, with or without spaces. */
function patternOf(text: string): (number | null)[] {
  const digits = text.replace(/\s+/g, '').replace(/^0x/i, '');
  const pairs = digits.match(/[0-9a-f]{2}|\?\?/gi) ?? [];
  if (pairs.join('').length !== digits.length || pairs.length === 0) {
    throw invalid('Write bytes as two hexadecimal digits each, ?? for any: 48 ?? 6c.');
  }
  if (pairs.length > MAX_PATTERN_BYTES) {
    throw invalid(`At most ${MAX_PATTERN_BYTES} bytes can be searched for, not ${pairs.length}.`);
  }
  if (pairs.every((pair) => pair === '??')) throw invalid('Write at least one byte that is not ??.');
  return pairs.map((pair) => (pair === '??' ? null : Number.parseInt(pair, 16)));
}

/** A value of a type; infinities only of types that have them. */
function valueIn(wanted: number | string, dtype: DtypeId): ElementValue {
  const value = numberOf(wanted, dtype);
  if (typeof value === 'number') {
    if (isFloat(dtype)) return value;
    throw invalid(`${wanted} is no value of ${dtypes[dtype].name}.`);
  }
  const { lowest, highest } = limits(dtype);
  if (value < lowest || value > highest) {
    throw invalid(
      `${formatCount(value)} is no value of ${dtypes[dtype].name}: those are ${formatCount(lowest)} to ${formatCount(highest)}.`,
    );
  }
  return inType(value, dtype);
}

/** Both ends, inside the type. */
function rangeOf(
  { min: from, max: to }: { readonly min: number | string; readonly max: number | string },
  dtype: DtypeId,
): { min: ElementValue; max: ElementValue } {
  const [min, max] = [numberOf(from, dtype), numberOf(to, dtype)];
  if (Number.isNaN(Number(min)) || Number.isNaN(Number(max))) throw invalid('NaN does not lie between other values.');
  if (min > max) throw invalid(`The range ends before it begins: ${from} is more than ${to}.`);
  if (isFloat(dtype)) return { min: Number(min), max: Number(max) };
  const { lowest, highest } = limits(dtype);
  if (max < lowest || min > highest) throw invalid(`No value of ${dtypes[dtype].name} lies there.`);
  return {
    min: inType(min < lowest ? lowest : BigInt(min), dtype),
    max: inType(max > highest ? highest : BigInt(max), dtype),
  };
}

/** What was written: a number for floats, infinities and NaN, else a whole number. */
function numberOf(wanted: number | string, dtype: DtypeId): number | bigint {
  const text = String(wanted).trim();
  const [, sign = '', word = ''] = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text) ?? [];
  if (word !== '') {
    if (word.toLowerCase() === 'nan') return Number.NaN;
    return sign === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (dtype === 'bool' && /^(true|false)$/i.test(text)) return text.toLowerCase() === 'true' ? 1n : 0n;
  const [, minus = '', digits = ''] = /^([+-]?)(0x[0-9a-f]+|\d+)$/i.exec(text) ?? [];
  if (digits !== '' && !isFloat(dtype)) return minus === '-' ? -BigInt(digits) : BigInt(digits);
  const value = digits === '' ? Number(text) : Number(digits) * (minus === '-' ? -1 : 1);
  if (text === '' || Number.isNaN(value)) throw invalid(`“${text}” is not a number.`);
  if (isFloat(dtype)) return value;
  // 1e6 is a whole number too.
  if (!Number.isInteger(value)) throw invalid(`${text} is no value of ${dtypes[dtype].name}: it has a fraction.`);
  return BigInt(value);
}

function limits(dtype: DtypeId): { lowest: bigint; highest: bigint } {
  const { kind, bits } = dtypes[dtype];
  if (kind === 'bool') return { lowest: 0n, highest: 1n };
  const span = 1n << BigInt(bits);
  return kind === 'signed' ? { lowest: -span / 2n, highest: span / 2n - 1n } : { lowest: 0n, highest: span - 1n };
}

const inType = (value: bigint, dtype: DtypeId): ElementValue => (dtypes[dtype].bits === 64 ? value : Number(value));
