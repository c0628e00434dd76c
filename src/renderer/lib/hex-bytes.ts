/** Bytes as people write them in hexadecimal. Pure. */

export type BytesReading =
  | { readonly ok: true; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads `41 43`, `4143`, `0x41, 0x43`, `41:43`, `\x41\x43`, `{0x41, 0x43}`. A single digit is a byte of its own (`0 1 2`); a
 * longer run has to come in pairs. At least one byte.
 */
export function parseHexBytes(text: string): BytesReading {
  const digits = text
    .replace(/0x|\\x/gi, ' ')
    .replace(/[\s,;:_[\]{}()'"-]+/g, ' ')
    .trim();
  if (digits === '') return { ok: false, problem: 'Give bytes in hex, for example 21 21.' };
  const wrong = /[^0-9a-f ]/i.exec(digits);
  if (wrong) return { ok: false, problem: `“${wrong[0]}” is not a hex digit. Choose Text to write letters.` };
  const bytes: number[] = [];
  for (const run of digits.split(' ')) {
    const padded = run.length === 1 ? `0${run}` : run;
    if (padded.length % 2 !== 0) return { ok: false, problem: `“${run}” has an odd number of hex digits.` };
    for (let at = 0; at < padded.length; at += 2) bytes.push(Number.parseInt(padded.slice(at, at + 2), 16));
  }
  return { ok: true, bytes: Uint8Array.from(bytes) };
}
