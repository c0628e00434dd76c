/** A fill pattern as people type it, and back. Pure. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import type { Fill } from '#contract/values';

export interface FillForm {
  readonly pattern: Fill['pattern'];
  readonly value: string;
  readonly start: string;
  readonly step: string;
  readonly seed: string;
  readonly text: string;
}

export const emptyFill: FillForm = {
  pattern: 'zero',
  value: '1',
  start: '0',
  step: '1',
  seed: '1',
  text: 'Hello from {pid}',
};

export type FillReading = { readonly fill: Fill } | { readonly problems: Partial<Record<keyof FillForm, string>> };

const MAX_SEED = 0xffffffff;
const MAX_TEXT = 4096;

/** A number as people write it: decimal, with exponent, or hexadecimal. Undefined when it is none. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replaceAll(',', '');
  if (/^-?0x[0-9a-f]+$/i.test(trimmed)) return trimmed.startsWith('-') ? -Number(trimmed.slice(1)) : Number(trimmed);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return undefined;
  return Number(trimmed);
}

/** What is wrong with a number for elements of a type; undefined when nothing is. */
function problemOf(number: number | undefined, dtype: DtypeId): string | undefined {
  if (number === undefined || !Number.isFinite(number)) return 'Write a number, such as 1.5 or 0x10.';
  const { kind, bytes } = dtypes[dtype];
  if (kind === 'float') return undefined;
  if (!Number.isInteger(number)) return `${dtype} holds whole numbers only.`;
  const low = kind === 'signed' ? -(2 ** (bytes * 8 - 1)) : 0;
  const high = kind === 'signed' ? 2 ** (bytes * 8 - 1) - 1 : 2 ** (bytes * 8) - 1;
  return number < low || number > high
    ? `${dtype} holds ${low.toLocaleString('en-US')} to ${high.toLocaleString('en-US')}.`
    : undefined;
}

/** The fill, or what is wrong with each field that it needs. */
export function readFill(form: FillForm, dtype: DtypeId): FillReading {
  switch (form.pattern) {
    case 'zero':
      return { fill: { pattern: 'zero' } };
    case 'constant': {
      const value = readNumber(form.value);
      const problem = problemOf(value, dtype);
      return problem === undefined && value !== undefined
        ? { fill: { pattern: 'constant', value } }
        : { problems: { value: problem } };
    }
    case 'ramp': {
      const [start, step] = [readNumber(form.start), readNumber(form.step)];
      // A step may be negative in any type: the ramp wraps round.
      const problems = {
        start: problemOf(start, dtype),
        step: step === undefined ? 'Write a number, such as 1.' : undefined,
      };
      return problems.start === undefined && problems.step === undefined
        ? { fill: { pattern: 'ramp', start, step } }
        : { problems };
    }
    case 'random': {
      const seed = readNumber(form.seed);
      const fits = seed !== undefined && Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED;
      return fits
        ? { fill: { pattern: 'random', seed } }
        : { problems: { seed: 'A seed is a whole number from 0 to 4,294,967,295.' } };
    }
    case 'text':
      return form.text.length <= MAX_TEXT
        ? { fill: { pattern: 'text', text: form.text } }
        : { problems: { text: `At most ${MAX_TEXT.toLocaleString('en-US')} characters.` } };
  }
}
