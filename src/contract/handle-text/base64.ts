/** Base64, standard or for addresses, with or without padding. */
import { type Bytes, Problem, quote, unquoted } from './problem';

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** Strict: no stray bits, no padding where none belongs, one alphabet. */
export function readBase64(text: string): Bytes {
  const { text: inner, start } = unquoted(text);
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  let digits = 0;
  let padding = 0;
  let alphabet: 'standard' | 'url' | undefined;
  let end = start;
  for (let at = 0; at < inner.length; at++) {
    const ch = inner[at] as string;
    if (/\s/.test(ch)) continue;
    if (ch === '=') {
      padding++;
      if ((digits + padding) % 4 === 1 || padding > 2 || (padding === 1 && digits % 4 < 2)) {
        throw new Problem('There is padding (=) where none belongs.', start + at);
      }
      end = start + at + 1;
      continue;
    }
    if (padding > 0) throw new Problem('Something follows the padding (=).', start + at);
    const own = ch === '+' || ch === '/' ? 'standard' : ch === '-' || ch === '_' ? 'url' : undefined;
    if (own && alphabet && own !== alphabet) {
      throw new Problem(`${quote(ch)} mixes base64 with its form for addresses.`, start + at);
    }
    alphabet ??= own;
    const value = BASE64.indexOf(ch === '-' ? '+' : ch === '_' ? '/' : ch);
    if (value < 0) throw new Problem(`${quote(ch)} is not a base64 character.`, start + at);
    held = ((held << 6) | value) & 0xffff;
    bits += 6;
    digits++;
    if (bits >= 8) {
      bits -= 8;
      bytes.push((held >> bits) & 0xff);
    }
    end = start + at + 1;
  }
  if (digits % 4 === 1) throw new Problem('The base64 text ends in the middle of a byte.', end);
  if (padding > 0 && (digits + padding) % 4 !== 0) throw new Problem('The padding (=) is incomplete.', end);
  if ((held & ((1 << bits) - 1)) !== 0)
    throw new Problem('The last base64 character holds bits of no byte.', end - 1 - padding);
  return { bytes, end };
}

export function base64Of(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const group = bytes.subarray(at, at + 3);
    const word = ((group[0] ?? 0) << 16) | ((group[1] ?? 0) << 8) | (group[2] ?? 0);
    for (let digit = 0; digit < 4; digit++)
      text += digit > group.length ? '=' : BASE64[(word >> (18 - 6 * digit)) & 63];
  }
  return text;
}
