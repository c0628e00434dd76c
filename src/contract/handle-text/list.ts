/** Arrays of C, C#, JSON and Python. */
import { type Bytes, Problem, quote } from './problem';

/** Numbers between brackets, or without any: decimal (-128 to 255) or 0x…. */
export function readList(text: string, open: '{' | '[', close: '}' | ']'): Bytes {
  const bytes: number[] = [];
  let at = 0;
  let last = text.length;
  const opening = text.indexOf(open);
  if (opening >= 0) {
    const odd = text.slice(0, opening).search(/[^\w\s=[\]<>():*&.,]/);
    if (odd >= 0) throw new Problem(`${quote(text[odd] as string)} does not belong before an array.`, odd);
    at = opening + 1;
    last = text.indexOf(close, at);
    if (last < 0) throw new Problem(`The closing ${close} is missing.`, text.length);
    const after = text.slice(last + 1).search(/[^\s;,)]/);
    if (after >= 0)
      throw new Problem(`${quote(text[last + 1 + after] as string)} follows the array.`, last + 1 + after);
  }
  let end = at;
  let needsComma = false;
  while (at < last) {
    const ch = text[at] as string;
    if (/\s/.test(ch)) {
      at++;
    } else if (ch === ',') {
      if (!needsComma) throw new Problem('A number is missing before this comma.', at);
      needsComma = false;
      at++;
    } else {
      const word = /^[^\s,\]}]+/.exec(text.slice(at, last))?.[0] ?? ch;
      if (needsComma) throw new Problem(`A comma is missing before ${quote(word)}.`, at);
      bytes.push(byteOfWord(word, at));
      at += word.length;
      end = at;
      needsComma = true;
    }
  }
  return { bytes, end };
}

/** One number of an array as a byte: decimal (-128 to 255) or 0x…. Throws a Problem that stands at `at`. */
export function byteOfWord(word: string, at: number): number {
  if (/^0[xX][0-9a-fA-F]{1,2}$/.test(word)) return Number.parseInt(word.slice(2), 16);
  if (/^-?0\d/.test(word)) throw new Problem(`${quote(word)} could be octal: write it without the leading 0.`, at);
  if (!/^-?\d{1,3}$/.test(word))
    throw new Problem(`${quote(word)} is not a byte. Write hexadecimal numbers as 0xd0.`, at);
  const value = Number(word);
  if (value < -128 || value > 255) throw new Problem(`${word} does not fit in a byte.`, at);
  return value & 0xff;
}
