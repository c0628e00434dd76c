/** Hexadecimal digits in any grouping, and `\xd0` escapes. */
import { type Bytes, Problem, quote, unquoted } from './problem';

export const FROMHEX = /^\s*(?:bytes|bytearray)\.fromhex\s*\(/;

/** Pairs of digits, with or without 0x, white space, colons or hyphens between them. */
export function readHex(text: string): Bytes {
  let { text: inner, start } = unquoted(text);
  const call = FROMHEX.exec(text);
  if (call) {
    const close = text.lastIndexOf(')');
    if (close < 0) throw new Problem('The closing parenthesis is missing.', text.length);
    if (text.slice(close + 1).trim() !== '') throw new Problem('Something follows the call.', close + 1);
    const argument = unquoted(text.slice(call[0].length, close));
    inner = argument.text;
    start = call[0].length + argument.start;
  }
  const bytes: number[] = [];
  let at = inner.length - inner.trimStart().length;
  if (/^0[xX]/.test(inner.slice(at))) at += 2;
  let end = at;
  while (at < inner.length) {
    const ch = inner[at] as string;
    if (/[\s:-]/.test(ch)) {
      at++;
      continue;
    }
    const pair = inner.slice(at, at + 2);
    if (/^0[xX]$/.test(pair) && /^[0-9a-fA-F]{2}/.test(inner.slice(at + 2)) && bytes.length > 0) {
      // `0xd0 0xd8 …`: a prefix for each byte.
      at += 2;
      continue;
    }
    if (!/[0-9a-fA-F]/.test(ch)) throw new Problem(`${quote(ch)} is not a hexadecimal digit.`, start + at);
    if (!/^[0-9a-fA-F]{2}$/.test(pair)) {
      throw new Problem(
        pair.length === 2 && !/[\s:-]/.test(pair[1] as string)
          ? `${quote(pair[1] as string)} is not a hexadecimal digit.`
          : 'A byte has two hexadecimal digits; one is missing here.',
        start + at + 1,
      );
    }
    bytes.push(Number.parseInt(pair, 16));
    at += 2;
    end = at;
  }
  return { bytes, end: start + end };
}

/** `\xd0\xd8…` without b'…': C strings go on after two digits, Python does not, so only pure escapes are certain. */
export function readEscapes(text: string): Bytes {
  const bytes: number[] = [];
  let at = 0;
  let end = 0;
  while (at < text.length) {
    const ch = text[at] as string;
    if (/[\s"';]/.test(ch)) {
      at++;
      continue;
    }
    const escaped = /^\\x([0-9a-fA-F]{2})/.exec(text.slice(at, at + 4));
    if (!escaped) {
      throw new Problem(
        ch === '\\'
          ? 'Expected \\x and two hexadecimal digits.'
          : `${quote(ch)} stands between the escapes. For a Python value, paste it with its b'…'.`,
        at,
      );
    }
    bytes.push(Number.parseInt(escaped[1] as string, 16));
    at += 4;
    end = at;
  }
  return { bytes, end };
}
