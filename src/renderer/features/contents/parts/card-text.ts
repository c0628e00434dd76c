import { type DtypeId, dtypes, isInteger } from '#contract/dtypes';
import { formatCount } from '#contract/units';

/** Characters of a float that the card has room for, and of each part of the longest complex number. */
const ROOM = 19;
const PART_ROOM = 9;

/**
 * A value as the card shows it: long integers in groups of digits; of a truth value that is neither 0 nor 1 what it is
 * taken for, with its byte; of a float with many digits the first ones, and always the exponent.
 * @param text as `valueText` gives it
 */
export function cardText(text: string, dtype: DtypeId): string {
  if (dtype === 'bool' && /^\d+$/.test(text)) return `true (${text})`;
  if (isInteger(dtype)) return /^-?\d{1,15}$/.test(text) ? formatCount(BigInt(text)) : text;
  if (dtypes[dtype].part === null) return shortened(text, ROOM);
  if (text.length <= ROOM) return text;
  return text.replace(/\d+\.\d+(?:e[-+]\d+)?/g, (number) => shortened(number, PART_ROOM));
}

/** A decimal with fewer of its digits behind the point: a cut exponent would make it another number. */
function shortened(text: string, room: number): string {
  const [, digits = '', exponent = ''] = /^(-?\d+\.\d+)(e[-+]\d+)?$/.exec(text) ?? [];
  const point = digits.indexOf('.');
  if (text.length <= room || point < 0) return text;
  const kept = Math.max(point + 2, room - exponent.length - 1);
  return kept + 1 < digits.length ? `${digits.slice(0, kept)}…${exponent}` : text;
}
