/** What is searched for, as a person writes it. Pure: says where a text stops making sense. */
import { type ByteOrder, decodeValue, encodeValue } from '#contract/decode-values';
import { type DtypeId, dtypes, isFloat, isInteger } from '#contract/dtypes';
import type { Wanted } from '../model/finder';
import { inOrder, kindWanted } from '../model/finder';

export const forms = ['bytes', 'text', 'value', 'range', 'nan', 'inf'] as const;
export type Form = (typeof forms)[number];

export const formNames: Readonly<Record<Form, string>> = {
  bytes: 'Bytes',
  text: 'Text',
  value: 'Value',
  range: 'Range',
  nan: 'NaN',
  inf: 'Inf',
};

/** What an empty field shows. */
export const formExamples: Readonly<Record<Form, string>> = {
  bytes: '48 ?? 6c',
  text: 'any text, as UTF-8',
  value: '1.5',
  range: '-1 to 1',
  nan: '',
  inf: '',
};

export type QueryReading =
  | { readonly ok: true; readonly wanted: Wanted; readonly name: string }
  /** `at`: position of the first character that is not understood; `end`: of the one after the last. */
  | { readonly ok: false; readonly message: string; readonly at: number; readonly end: number };

const MOST_BYTES = 64;

class Refused extends Error {
  constructor(
    message: string,
    readonly at: number,
    readonly end: number,
  ) {
    super(message);
  }
}

/** Reads a search; values are looked for in a byte order. Never throws. */
export function parseQuery(form: Form, text: string, dtype: DtypeId, order: ByteOrder = 'little'): QueryReading {
  try {
    return { ok: true, ...read(form, text, dtype, order) };
  } catch (thrown) {
    if (thrown instanceof Refused) return { ok: false, message: thrown.message, at: thrown.at, end: thrown.end };
    throw thrown;
  }
}

function read(form: Form, text: string, dtype: DtypeId, order: ByteOrder): { wanted: Wanted; name: string } {
  if (form === 'nan' || form === 'inf') {
    const wanted = kindWanted(form, dtype, order);
    if (wanted === undefined) throw new Refused(`${dtype} has no ${formNames[form]}: choose a float type.`, 0, 0);
    return { wanted, name: formNames[form] };
  }
  if (text.trim() === '' && (form !== 'text' || text === ''))
    throw new Refused(`Write what to look for, like ${formExamples[form]}.`, 0, text.length);
  if (form === 'bytes') return bytesWanted(text);
  if (form === 'text') return textWanted(text);
  const { part } = dtypes[dtype];
  const scalar = part ?? dtype;
  const { bytes } = dtypes[scalar];
  const how = { dtype: scalar, ...inOrder(order, scalar) };
  if (form === 'value') {
    const value = numberIn(text, 0, scalar);
    return {
      wanted: { queries: [{ ...how, value: asWanted(rounded(value, scalar)) }], bytes, aligned: true },
      name: text.trim(),
    };
  }
  const parts = /^(.*?\S)\s*(?:\bto\b|\.\.+|…|–)\s*(.*)$/i.exec(text);
  const [, first = '', second = ''] = parts ?? [];
  if (parts === null) throw new Refused('Write a range with “to”: -1 to 1.', text.trimEnd().length, text.length);
  const secondAt = text.length - second.length;
  if (second.trim() === '') throw new Refused('The end of the range is missing.', text.length, text.length);
  const [min, max] = [numberIn(first, 0, scalar), numberIn(second, secondAt, scalar)];
  if (Number.isNaN(Number(min)) || Number.isNaN(Number(max)))
    throw new Refused('NaN does not lie between other values.', 0, text.length);
  if (min > max) throw new Refused('The range ends before it begins.', secondAt, text.length);
  return {
    wanted: { queries: [{ ...how, min: asWanted(min), max: asWanted(max) }], bytes, aligned: true },
    name: `${first.trim()} to ${second.trim()}`,
  };
}

/** `48 ?? 6c`, `48??6c`, `0x48`: two digits each, `??` for any. */
function bytesWanted(text: string): { wanted: Wanted; name: string } {
  const pairs: string[] = [];
  let at = /^\s*0x/i.exec(text)?.[0].length ?? 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const gap = /^[\s,]+/.exec(rest)?.[0].length;
    if (gap !== undefined) {
      at += gap;
      continue;
    }
    const pair = /^(?:[0-9a-f]{2}|\?\?)/i.exec(rest)?.[0];
    if (pair === undefined) {
      const half = /^[0-9a-f?](?:[\s,]|$)/i.test(rest);
      const mixed = /^(?:[0-9a-f]\?|\?[0-9a-f])/i.test(rest);
      throw new Refused(
        half
          ? 'A byte has two digits: write 0 before a single one.'
          : mixed
            ? 'A byte is known or not: write two digits or ??.'
            : `“${rest[0]}” is no hexadecimal digit. Write bytes like 48 ?? 6c.`,
        at,
        at + (mixed ? 2 : 1),
      );
    }
    pairs.push(pair.toLowerCase());
    at += 2;
    if (pairs.length > MOST_BYTES)
      throw new Refused(`At most ${MOST_BYTES} bytes can be searched for.`, at - 2, text.length);
  }
  if (pairs.length === 0) throw new Refused(`Write what to look for, like ${formExamples.bytes}.`, 0, text.length);
  if (pairs.every((pair) => pair === '??'))
    throw new Refused('That fits everywhere: write at least one byte that is not ??.', 0, text.length);
  return pattern(pairs);
}

function textWanted(text: string): { wanted: Wanted; name: string } {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MOST_BYTES)
    throw new Refused(
      `At most ${MOST_BYTES} bytes of text can be searched for; these are ${bytes.length}.`,
      0,
      text.length,
    );
  return { ...pattern(Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0'))), name: `“${text}”` };
}

const pattern = (pairs: readonly string[]) => ({
  wanted: { queries: [{ bytes: pairs.join(' ') }], bytes: pairs.length, aligned: false },
  name: pairs.join(' '),
});

/** A number of a type in a text that begins at `at` of what was written. */
function numberIn(text: string, at: number, dtype: DtypeId): number | bigint {
  const lead = text.length - text.trimStart().length;
  const word = text.trim();
  const start = at + lead;
  const refuse = (message: string, from = start): never => {
    throw new Refused(message, from, start + word.length);
  };
  const { kind, bits } = dtypes[dtype];
  if (kind === 'bool') {
    if (/^(true|1)$/i.test(word)) return 1;
    return /^(false|0)$/i.test(word) ? 0 : refuse(`“${word}” is neither true nor false.`);
  }
  if (isInteger(dtype)) {
    const understood = /^[+-]?(?:0x[0-9a-f_]+|[0-9][0-9_,]*)/i.exec(word)?.[0] ?? '';
    if (understood.length < word.length || understood === '')
      refuse(`“${word.slice(understood.length) || word}” is not part of a whole number.`, start + understood.length);
    const digits = understood.replace(/[_,]/g, '').replace(/^[+-]/, '');
    const value = understood.startsWith('-') ? -BigInt(digits) : BigInt(digits);
    const span = 2n ** BigInt(bits);
    const [least, most] = kind === 'signed' ? [-span / 2n, span / 2n - 1n] : [0n, span - 1n];
    if (value < least || value > most) refuse(`${dtype} holds ${least} to ${most}.`);
    return value;
  }
  const special = /^([+-]?)(nan|inf(?:inity)?)$/i.exec(word);
  if (special !== null) {
    if (special[2]?.toLowerCase() === 'nan') return Number.NaN;
    return special[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const understood = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?/i.exec(word)?.[0] ?? '';
  if (understood.length < word.length || understood === '')
    refuse(`“${word.slice(understood.length) || word}” is not part of a number.`, start + understood.length);
  return Number(understood);
}

/** What a type makes of a value: 0.1 is not 0.1 in f32, and that is what lies in memory. */
function rounded(value: number | bigint, dtype: DtypeId): number | bigint {
  if (!isFloat(dtype) || dtype === 'f64' || typeof value === 'bigint') return value;
  const bytes = new Uint8Array(8);
  encodeValue(bytes, 0, dtype, value);
  return decodeValue(bytes, 0, dtype) as number;
}

/** As the call takes it: what no number holds as a text. */
const asWanted = (value: number | bigint): number | string => {
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : String(value);
  }
  if (Number.isNaN(value)) return 'nan';
  return Number.isFinite(value) ? value : value > 0 ? 'inf' : '-inf';
};
