import { type DtypeId, isInteger } from '#contract/dtypes';
import { formatCount } from '#contract/units';

/**
 * A value as the card shows it: long integers in groups of digits; of a truth value that is neither 0 nor 1 what it is
 * taken for, with its byte.
 * @param text as `valueText` gives it
 */
export function cardText(text: string, dtype: DtypeId): string {
  if (dtype === 'bool' && /^\d+$/.test(text)) return `true (${text})`;
  return isInteger(dtype) && /^-?\d{1,15}$/.test(text) ? formatCount(BigInt(text)) : text;
}
