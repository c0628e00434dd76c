/** What a pasted text means as bytes. */

const MOST = 64 * 1024;

/**
 * Bytes written as hexadecimal in any usual form (`41 43`, `4143`, `0x41, 0x43`, `\x41\x43`), or, for the text column,
 * the text itself as UTF-8. Undefined when it is no hexadecimal; more than 64 KiB is cut off.
 */
export function pastedBytes(text: string, side: 'hex' | 'text'): Uint8Array<ArrayBuffer> | undefined {
  if (side === 'text') return new TextEncoder().encode(text).slice(0, MOST);
  const digits = text
    .replace(/0x|\\x/gi, ' ')
    .replace(/[\s,;:[\]{}()'"-]+/g, ' ')
    .trim();
  if (digits === '' || !/^[0-9a-f ]+$/i.test(digits)) return undefined;
  const bytes: number[] = [];
  for (const part of digits.split(' ')) {
    // A single digit is a small byte; longer runs are pairs.
    const padded = part.length === 1 ? `0${part}` : part;
    if (padded.length % 2 !== 0) return undefined;
    for (let i = 0; i < padded.length; i += 2) bytes.push(Number.parseInt(padded.slice(i, i + 2), 16));
  }
  return Uint8Array.from(bytes.slice(0, MOST));
}
