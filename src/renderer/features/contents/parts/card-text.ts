import { type DtypeId, dtypes, isInteger } from '#contract/dtypes';
import { formatCount } from '#contract/units';

/** Characters that a line of the card has room for where it is narrowest. */
const ROOM = 17;

/**
 * A value as the card shows it: long integers in groups of digits; of a truth value that is neither 0 nor 1 what it is
 * taken for, with its byte; of a float with many digits the first ones, and always the exponent. Complex numbers
 * have a line for each part.
 * @param text as `valueText` gives it
 */
export function cardText(text: string, dtype: DtypeId): string {
  if (dtype === 'bool' && /^\d+$/.test(text)) return `true (${text})`;
  if (isInteger(dtype)) return /^-?\d{1,15}$/.test(text) ? formatCount(BigInt(text)) : text;
  if (!hasTwoLines(dtype)) return shortened(text, ROOM);
  const [, real = text, imaginary] = /^(-?[^-+e]+(?:e[-+]\d+)?)([-+].*)i$/.exec(text) ?? [];
  if (imaginary === undefined) return text;
  return `${shortened(real, ROOM)}\n${imaginary[0]}${shortened(imaginary.slice(1), ROOM - 2)}i`;
}

/** Whether a type has two lines in the card. */
export const hasTwoLines = (dtype: DtypeId): boolean => dtypes[dtype].part !== null;

/** A decimal with fewer of its digits, and its size: a number that is cut off at the end is another one. */
function shortened(long: string, room: number): string {
  const [, sign = '', head = '', tail = ''] = /^(-?)(\d)(\d+)$/.exec(long) ?? [];
  const text = long.length > room && tail !== '' ? `${sign}${head}.${tail}e+${tail.length}` : long;
  const [, digits = '', exponent = ''] = /^(-?\d+\.\d+)(e[-+]\d+)?$/.exec(text) ?? [];
  const point = digits.indexOf('.');
  if (text.length <= room || point < 0) return text;
  const kept = Math.max(point + 2, room - exponent.length - 1);
  return kept + 1 < digits.length ? `${digits.slice(0, kept)}…${exponent}` : text;
}
