/** Bytes in quotes: C strings, what gdb prints, Python bytes, hex and base64 texts. */
import { parseHandle } from '#contract/handle-text';
import { Problem, quote } from '#contract/handle-text/problem';
import { readPythonQuotes, textOfBytes } from '#contract/handle-text/python-bytes';
import { ATTEMPT, attempt, foundIn, HASHES, isProblem, nothing, refusedAt } from './count';
import { inPythonBytes } from './item';
import type { Token } from './tokens';
import type { Cut, Found, FoundBytes } from './types';

/** gdb may say `<repeats 4000000000 times>`. */
const MOST_BYTES = 4096;
/** Numeric escapes from which on a text is meant as bytes. */
const MEANT = 8;

/** b'…', and what follows it directly: Python joins them. */
export function pythonBytesAt({ text, tokens }: Cut, index: number): Found<FoundBytes> {
  const first = tokens[index] as Token;
  const bytes: number[] = [];
  let next = index;
  let end = first.end;
  for (; tokens[next]?.kind === 'bytes'; next++) {
    const token = tokens[next] as Token;
    end = token.end;
    const read = attempt(() => readPythonQuotes(text, token.quote).bytes, 0, token.end);
    if (isProblem(read)) {
      const after = next + 1;
      return end - first.start < 2 * ATTEMPT ? nothing(after) : { next: after, items: [], problems: [read] };
    }
    for (const byte of read) bytes.push(byte);
  }
  const place = { start: first.start, end };
  return textInBytes(bytes, place, next) ?? foundIn({ bytes, form: 'python-bytes', ...place }, next);
}

/** Bytes that are the letters of a handle in base64 or hex. */
function textInBytes(
  bytes: readonly number[],
  place: { readonly start: number; readonly end: number },
  next: number,
): Found<FoundBytes> | undefined {
  const inside = textOfBytes(bytes);
  if (inside === undefined) return undefined;
  const reading = parseHandle(inside);
  // The place of a problem is that of the whole: escapes stand between.
  if (!reading.ok) return refusedAt(next, reading.problem, place.start, place.end);
  const { handle, form, prefix } = reading;
  return {
    next,
    items: [{ handle, form, tool: inPythonBytes(form), ...place, ...(prefix && { fromPyTorch: true }) }],
    problems: [],
  };
}

/** A quoted text, with what C joins to it or gdb prints after it. Undefined when its inside may hold something. */
export function stringAt(cut: Cut, index: number): Found<FoundBytes> | undefined {
  const { text, tokens } = cut;
  const token = tokens[index] as Token;
  const inside = text.slice(token.quote + 1, token.end - 1);
  const joined = cStringAt(cut, index);
  if (joined !== undefined) return joined;
  if (inside.includes('\\') || inside.length > MOST_BYTES) return undefined;
  const digits = inside.match(/[0-9a-fA-F]/g)?.length ?? 0;
  const isHex = /^[\s0-9a-fA-FxX:-]+$/.test(inside) && digits >= 2 * ATTEMPT;
  const isBase64 = /^[A-Za-z0-9+/_=-]{80,96}$/.test(inside);
  if (!isHex && !isBase64 && !isAlmostHex(inside)) return undefined;
  const reading = parseHandle(inside);
  if (reading.ok) {
    const { handle, form, prefix } = reading;
    const item = { handle, form, start: token.start, end: token.end, ...(prefix && { fromPyTorch: true }) };
    return { next: index + 1, items: [item], problems: [] };
  }
  if (HASHES.has(inside.length / 2)) return nothing(index + 1);
  if (/^0265(?:[0-9a-fA-F]{2})+$/.test(inside)) {
    const bytes = (inside.match(/../g) as string[]).map((pair) => Number.parseInt(pair, 16));
    return foundIn({ bytes, form: 'hex', start: token.start, end: token.end }, index + 1);
  }
  const at = token.quote + 1 + reading.position;
  return refusedAt(index + 1, reading.problem, at, Math.min(at + 1, token.end));
}

/** One wrong character does not make a long hex text into words. */
export const isAlmostHex = (word: string): boolean =>
  word.length >= 80 &&
  !/\s/.test(word) &&
  word.length <= MOST_BYTES &&
  (word.match(/[0-9a-fA-F]/g)?.length ?? 0) >= word.length * 0.9;

interface Part {
  readonly bytes: number[];
  readonly next: number;
  readonly end: number;
  /** gdb's own: `<repeats 7 times>`. */
  readonly special: boolean;
}

/** Texts that C joins, one after the other; nobody cuts 64 bytes into more. */
const MOST_PARTS = 70;

/**
 * Undefined unless there are numeric escapes, or something that only gdb writes: 64 characters alone are any text. Few
 * escapes and the wrong number of bytes are any text too.
 */
function cStringAt(cut: Cut, index: number): Found<FoundBytes> | undefined {
  const { text, tokens } = cut;
  const first = tokens[index] as Token;
  const bytes: number[] = [];
  let special = false;
  let lastSpecial = false;
  let lastEscaped = false;
  let next = index;
  let end = first.end;
  const numeric = (): number => text.slice(first.start, end).match(/\\(?:x[0-9a-fA-F]{2}|[0-7]{1,3})/g)?.length ?? 0;
  for (let parts = 0; parts < MOST_PARTS; parts++) {
    const afterComma = next > index && tokens[next]?.text === ',';
    const at = afterComma ? next + 1 : next;
    const part = attempt(() => partAt(cut, at), 0, text.length);
    if (isProblem(part)) {
      end = (tokens[at] as Token).end;
      const isGdb = tokens[at]?.text === '<' || repeatsAt(tokens, at + 1) !== undefined;
      return isGdb || numeric() >= MEANT ? { next: at + 1, items: [], problems: [part] } : undefined;
    }
    // gdb puts a comma where its own parts begin and end; two plain texts with a comma between are a list.
    if (part === undefined || (afterComma && !part.special && !lastSpecial)) break;
    // Texts without escapes are texts: to join them again from each of them on would take for ever.
    if (parts > 0 && !part.special && !lastSpecial && !lastEscaped) break;
    lastEscaped = /\\(?:x[0-9a-fA-F]{2}|[0-7])/.test(text.slice((tokens[at] as Token).start, part.end));
    lastSpecial = part.special;
    special ||= part.special;
    next = part.next;
    end = part.end;
    for (const byte of part.bytes) bytes.push(byte);
    if (bytes.length > MOST_BYTES) return undefined;
  }
  const fromGdb = special || isGdbValue(tokens, index);
  const escapes = fromGdb ? MEANT : numeric();
  if (escapes === 0) return undefined;
  // gdb leaves out the last byte of a character array when it is 0.
  if (fromGdb && bytes.length === 63) bytes.push(0);
  const found = foundIn({ bytes, form: 'c-string', start: first.start, end, ...(fromGdb && { tool: 'gdb' }) }, next);
  if (found.items.length > 0) return found;
  return escapes >= MEANT && found.problems.length > 0 ? found : undefined;
}

/** `reserved = "…"` or `$1 = "…"`. */
function isGdbValue(tokens: readonly Token[], index: number): boolean {
  if (tokens[index - 1]?.text !== '=') return false;
  return tokens[index - 2]?.text === 'reserved' || tokens[index - 3]?.text === '$';
}

/** A text or `'\000' <repeats 7 times>`; undefined for anything else. */
function partAt({ text, tokens }: Cut, index: number): Part | undefined {
  const token = tokens[index];
  if (token === undefined) return undefined;
  if (token.text === '<' && tokens[index + 1]?.text === 'incomplete' && tokens[index + 2]?.text === 'sequence') {
    // Seen with gdb 13.1: of the text "…\006\a" before it, the last character is not printed.
    throw new Problem(
      'gdb leaves out a byte before an incomplete sequence. Print it with x/64xb instead.',
      token.start,
    );
  }
  if (token.kind !== 'string') return undefined;
  const bytes = readCString(text, token.quote + 1, token.end - 1);
  const times = repeatsAt(tokens, index + 1);
  if (times === undefined) return { bytes, next: index + 1, end: token.end, special: false };
  if (bytes.length !== 1) throw new Problem('Only one character can repeat.', token.start);
  if (times.count > MOST_BYTES) throw new Problem('A handle has 64 bytes; here are thousands.', token.start);
  const repeated = new Array<number>(times.count).fill(bytes[0] as number);
  return { bytes: repeated, next: index + 6, end: times.end, special: true };
}

/** `<repeats 7 times>`, five tokens. */
export function repeatsAt(tokens: readonly Token[], index: number): { count: number; end: number } | undefined {
  const [open, repeats, count, times, close] = tokens.slice(index, index + 5);
  if (open?.text !== '<' || repeats?.text !== 'repeats' || times?.text !== 'times' || close?.text !== '>')
    return undefined;
  return /^\d{1,10}$/.test(count?.text ?? '') ? { count: Number(count?.text), end: close.end } : undefined;
}

const C_ESCAPES: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  t: 9,
  n: 10,
  v: 11,
  f: 12,
  r: 13,
  e: 27,
  '"': 0x22,
  "'": 0x27,
  '\\': 0x5c,
  '?': 0x3f,
};

/** text[from, to) as C reads it. gdb prints bytes that form a character as that character: its UTF-8 is meant. */
function readCString(text: string, from: number, to: number): number[] {
  const bytes: number[] = [];
  let at = from;
  while (at < to) {
    const ch = text[at] as string;
    if (ch !== '\\') {
      const code = text.codePointAt(at) as number;
      if (code < 0x80) bytes.push(code);
      else if (code >= 0xd800 && code <= 0xdfff) throw new Problem(`${quote(ch)} is half a character.`, at);
      else bytes.push(...new TextEncoder().encode(String.fromCodePoint(code)));
      at += code > 0xffff ? 2 : 1;
      continue;
    }
    const rest = text.slice(at, Math.min(at + 5, to));
    const octal = /^\\([0-7]{1,3})/.exec(rest);
    const hex = /^\\x([0-9a-fA-F]{2})/.exec(rest);
    const plain = C_ESCAPES[rest[1] ?? ''];
    if (octal) {
      const value = Number.parseInt(octal[1] as string, 8);
      if (value > 255) throw new Problem('An octal escape above \\377 is no byte.', at);
      bytes.push(value);
      at += octal[0].length;
    } else if (hex) {
      if (/[0-9a-fA-F]/.test(rest[4] ?? '')) {
        throw new Problem(
          "C goes on after two hexadecimal digits, Python does not. For Python, paste it with its b'…'.",
          at,
        );
      }
      bytes.push(Number.parseInt(hex[1] as string, 16));
      at += 4;
    } else if (plain !== undefined) {
      bytes.push(plain);
      at += 2;
    } else {
      throw new Problem('This escape is not one of C.', at);
    }
  }
  return bytes;
}
