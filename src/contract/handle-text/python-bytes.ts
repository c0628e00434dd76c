/** Bytes as Python writes them. */
import { type Bytes, Problem, quote } from './problem';

const PYTHON_ESCAPES: Readonly<Record<string, number>> = {
  '\\': 0x5c,
  "'": 0x27,
  '"': 0x22,
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
};

/**
 * The inside of one literal, without its b.
 * @param open index of the opening quote
 * @returns `end`: index of the closing quote
 * @throws Problem where it is none
 */
export function readPythonQuotes(text: string, open: number): Bytes {
  const bytes: number[] = [];
  const mark = text[open] as string;
  let at = open + 1;
  for (;;) {
    const ch = text[at];
    if (ch === undefined) throw new Problem(`The closing ${mark} is missing.`, at);
    if (ch === mark) return { bytes, end: at };
    if (ch === '\n' || ch === '\r') throw new Problem('A line break stands inside the quotes.', at);
    if (ch !== '\\') {
      if (ch.charCodeAt(0) > 0x7e || ch.charCodeAt(0) < 0x20) {
        throw new Problem(`${quote(ch)} cannot stand in Python bytes.`, at);
      }
      bytes.push(ch.charCodeAt(0));
      at++;
      continue;
    }
    const hex = /^\\x([0-9a-fA-F]{2})/.exec(text.slice(at, at + 4));
    const octal = /^\\([0-7]{1,3})/.exec(text.slice(at, at + 4));
    const plain = PYTHON_ESCAPES[text[at + 1] ?? ''];
    if (hex) {
      bytes.push(Number.parseInt(hex[1] as string, 16));
      at += 4;
    } else if (octal) {
      const value = Number.parseInt(octal[1] as string, 8);
      if (value > 255) throw new Problem('An octal escape above \\377 is no byte.', at);
      bytes.push(value);
      at += octal[0].length;
    } else if (plain !== undefined) {
      bytes.push(plain);
      at += 2;
    } else {
      throw new Problem('This escape is not one of Python bytes.', at);
    }
  }
}

/** base64 of 64 bytes without padding; hex of 66 bytes. */
const SHORTEST_TEXT = 86;
const LONGEST_TEXT = 132;

/**
 * The text that bytes are the letters of, when that may be a handle in base64 or hex: base64.b64encode() and
 * binascii.hexlify() of Python answer bytes. Undefined for any other bytes.
 */
export function textOfBytes(bytes: readonly number[]): string | undefined {
  if (bytes.length < SHORTEST_TEXT || bytes.length > LONGEST_TEXT) return undefined;
  const text = String.fromCharCode(...bytes);
  return /^[A-Za-z0-9+/_=\s-]+$/.test(text) ? text : undefined;
}

/** A Python bytes literal, or several that follow each other (Python joins them). */
export function readPythonBytes(text: string): Bytes {
  const bytes: number[] = [];
  const call = /^\s*(?:bytes|bytearray)\s*\(\s*/.exec(text);
  let at = call ? call[0].length : text.search(/\S/);
  let end = at;
  while (at < text.length && /[bB]/.test(text[at] as string) && /['"]/.test(text[at + 1] ?? '')) {
    const literal = readPythonQuotes(text, at + 1);
    for (const byte of literal.bytes) bytes.push(byte);
    end = literal.end;
    at = end + 1;
    at += /^\s*/.exec(text.slice(at))?.[0].length ?? 0;
  }
  if (call) {
    if (text[at] !== ')') throw new Problem('The closing parenthesis is missing.', Math.min(at, text.length));
    at++;
  }
  const rest = text.slice(at).search(/[^\s,;]/);
  if (rest >= 0) throw new Problem(`${quote(text[at + rest] as string)} follows the closing quote.`, at + rest);
  return { bytes, end };
}
