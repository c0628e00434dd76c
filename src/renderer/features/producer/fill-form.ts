/** The Fill step's form: texts a person typed, turned into a fill or a reason why not. Pure. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import type { Fill } from '#contract/values';

export type Pattern = Fill['pattern'];
export const PATTERNS: readonly { readonly id: Pattern; readonly name: string }[] = [
  { id: 'zero', name: 'Zero' },
  { id: 'constant', name: 'Constant' },
  { id: 'ramp', name: 'Ramp' },
  { id: 'random', name: 'Random' },
  { id: 'text', name: 'Text' },
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
  pattern: 'text',
  value: '1',
  start: '0',
  step: '1',
  seed: '',
  text: 'Hello from {pid} tick {n}',
};

export type FormFill = { readonly ok: true; readonly fill: Fill } | { readonly ok: false; readonly why: string };

/** Whole numbers an integer element can hold: 0 to 2^n - 1, or -2^(n-1) to 2^(n-1) - 1. */
export function elementRange(dtype: DtypeId): { readonly low: number; readonly high: number } | undefined {
  const { kind, bytes } = dtypes[dtype];
  if (kind === 'float') return undefined;
  const bits = bytes * 8;
  return kind === 'unsigned' ? { low: 0, high: 2 ** bits - 1 } : { low: -(2 ** (bits - 1)), high: 2 ** (bits - 1) - 1 };
}

const anySeed = (): number => Math.floor(Math.random() * 2 ** 32);

/** The fill of a form for elements of `dtype`. Numbers may be decimal or `0x`; float elements also take inf. */
export function fillOf(form: FillForm, dtype: DtypeId, newSeed: () => number = anySeed): FormFill {
  switch (form.pattern) {
    case 'zero':
      return { ok: true, fill: { pattern: 'zero' } };
    case 'constant': {
      const value = number(form.value, dtype, 'value');
      return typeof value === 'string' ? no(value) : { ok: true, fill: { pattern: 'constant', value } };
    }
    case 'ramp': {
      const start = number(form.start, dtype, 'start');
      if (typeof start === 'string') return no(start);
      const step = number(form.step, dtype, 'step', true);
      return typeof step === 'string' ? no(step) : { ok: true, fill: { pattern: 'ramp', start, step } };
    }
    case 'random': {
      const text = form.seed.trim();
      if (text === '') return { ok: true, fill: { pattern: 'random', seed: newSeed() } };
      const seed = Number(text);
      if (!Number.isInteger(seed) || seed < 0 || seed > 0xffffffff)
        return no('The seed is a whole number from 0 to 4,294,967,295.');
      return { ok: true, fill: { pattern: 'random', seed } };
    }
    case 'text':
      if (form.text === '') return no('Type the text to write.');
      if (form.text.length > 4096) return no('At most 4,096 characters.');
      return { ok: true, fill: { pattern: 'text', text: form.text } };
  }
}

/** Whether an animation of it would show anything: a text without placeholders is the same each time. */
export const moves = (fill: Fill): boolean => fill.pattern !== 'text' || /\{(n|time)\}/.test(fill.text);

const no = (why: string): FormFill => ({ ok: false, why });

/** The number, or why it is none. A ramp's step may be negative whatever the element: it counts downwards. */
function number(text: string, dtype: DtypeId, name: string, signed = false): number | string {
  const source = text.trim().toLowerCase();
  if (source === '') return `Give a ${name}.`;
  const range = elementRange(dtype);
  if (range === undefined && /^[+-]?(inf|infinity)$/.test(source)) return source.startsWith('-') ? -Infinity : Infinity;
  const value = Number(source.replace(/[,_]/g, ''));
  if (!Number.isFinite(value)) return `“${text.trim()}” is not a number.`;
  if (range === undefined) return value;
  if (!Number.isInteger(value)) return `${dtype} elements are whole numbers.`;
  const low = signed ? -range.high : range.low;
  if (value < low || value > range.high) return `${dtype} holds ${range.low} to ${range.high}.`;
  return value;
}
