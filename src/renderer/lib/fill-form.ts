/** A fill pattern as people type it: texts, turned into a fill or a reason why not. Pure. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import type { Fill } from '#contract/values';

export type Pattern = Fill['pattern'];
export const PATTERNS: readonly { readonly value: Pattern; readonly label: string }[] = [
  { value: 'zero', label: 'Zero' },
  { value: 'constant', label: 'Constant' },
  { value: 'ramp', label: 'Ramp' },
  { value: 'random', label: 'Random' },
  { value: 'text', label: 'Text' },
];

/** What stands in the fields; each pattern keeps its own while another one is chosen. */
export interface FillForm {
  readonly pattern: Pattern;
  readonly value: string;
  readonly start: string;
  readonly step: string;
  /** Empty: a new seed for each write. */
  readonly seed: string;
  readonly text: string;
}

export const FIRST_FILL: FillForm = {
  pattern: 'zero',
  value: '1',
  start: '0',
  step: '1',
  seed: '',
  text: 'Hello from {pid} tick {n}',
};

/** What is wrong, and in which field. */
export interface FillProblem {
  readonly field: keyof FillForm;
  readonly why: string;
}

export type FillReading = { readonly ok: true; readonly fill: Fill } | ({ readonly ok: false } & FillProblem);

const MAX_SEED = 0xffffffff;
const MAX_TEXT = 4096;

const anySeed = (): number => Math.floor(Math.random() * 2 ** 32);

/** The fill of a form for elements of `dtype`. */
export function readFill(form: FillForm, dtype: DtypeId, newSeed: () => number = anySeed): FillReading {
  switch (form.pattern) {
    case 'zero':
      return { ok: true, fill: { pattern: 'zero' } };
    case 'constant': {
      const value = element(form.value, dtype, 'value');
      return typeof value === 'string' ? no('value', value) : { ok: true, fill: { pattern: 'constant', value } };
    }
    case 'ramp': {
      const start = element(form.start, dtype, 'start');
      if (typeof start === 'string') return no('start', start);
      const step = element(form.step, dtype, 'step', true);
      return typeof step === 'string' ? no('step', step) : { ok: true, fill: { pattern: 'ramp', start, step } };
    }
    case 'random': {
      if (form.seed.trim() === '') return { ok: true, fill: { pattern: 'random', seed: newSeed() } };
      const seed = readNumber(form.seed);
      return seed !== undefined && Number.isInteger(seed) && seed >= 0 && seed <= MAX_SEED
        ? { ok: true, fill: { pattern: 'random', seed } }
        : no('seed', 'The seed is a whole number from 0 to 4,294,967,295.');
    }
    case 'text':
      if (form.text === '') return no('text', 'Type the text to write.');
      if (form.text.length > MAX_TEXT) return no('text', 'At most 4,096 characters.');
      return { ok: true, fill: { pattern: 'text', text: form.text } };
  }
}

/** Whether an animation of it would show anything: a text without placeholders is the same each time. */
export const moves = (fill: Fill): boolean => fill.pattern !== 'text' || /\{(n|time)\}/.test(fill.text);

/** A number as people write it: decimal, with exponent, or hexadecimal. Undefined when it is none. */
export function readNumber(text: string): number | undefined {
  const trimmed = text.trim().replace(/[,_]/g, '');
  if (/^-?0x[0-9a-f]+$/i.test(trimmed)) return trimmed.startsWith('-') ? -Number(trimmed.slice(1)) : Number(trimmed);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed)) return undefined;
  const value = Number(trimmed);
  return Number.isFinite(value) ? value : undefined;
}

/**
 * Whole numbers an integer element can hold: 0 to 2^n - 1, or -2^(n-1) to 2^(n-1) - 1, and 0 or 1 for a truth value;
 * undefined for floats and complex numbers.
 */
export function elementRange(dtype: DtypeId): { readonly low: number; readonly high: number } | undefined {
  const { kind, bits } = dtypes[dtype];
  if (kind === 'float' || kind === 'complex') return undefined;
  if (kind === 'bool') return { low: 0, high: 1 };
  return kind === 'unsigned' ? { low: 0, high: 2 ** bits - 1 } : { low: -(2 ** (bits - 1)), high: 2 ** (bits - 1) - 1 };
}

const no = (field: keyof FillForm, why: string): FillReading => ({ ok: false, field, why });

/**
 * The number, or why it is none. Float elements also take inf. A ramp's step may be negative whatever the element: it
 * counts downwards.
 */
function element(text: string, dtype: DtypeId, name: string, signed = false): number | string {
  const source = text.trim().toLowerCase();
  if (source === '') return `Give a ${name}.`;
  const range = elementRange(dtype);
  if (range === undefined && /^[+-]?(inf|infinity)$/.test(source)) {
    if (dtype === 'f8e4m3') return 'f8e4m3 has no infinity.';
    return source.startsWith('-') ? -Infinity : Infinity;
  }
  const value = readNumber(source);
  if (value === undefined) return `“${text.trim()}” is not a number.`;
  if (range === undefined) return value;
  if (!Number.isInteger(value)) return `${dtype} elements are whole numbers.`;
  const low = signed ? -range.high : range.low;
  if (value < low || value > range.high)
    return `${dtype} holds ${low.toLocaleString('en-US')} to ${range.high.toLocaleString('en-US')}.`;
  return value;
}
