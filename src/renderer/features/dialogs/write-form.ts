/** Bytes and where to write them, as people type them. Pure. */
import { formatCount } from '#contract/units';
import { MAX_TRANSFER_BYTES } from '#contract/values';
import { readNumber } from './fill-form';

export type BytesAnswer = { readonly bytes: Uint8Array<ArrayBuffer> } | { readonly problem: string };

/** Bytes of hex digits: `48 65 6c`, `48656c`, `0x48, 0x65`. */
export function readHex(text: string): BytesAnswer {
  const digits = text.replace(/0x/gi, '').replace(/[\s,;:]/g, '');
  if (digits === '') return { problem: 'Write bytes as hex digits, such as 48 65 6c.' };
  const odd = /[^0-9a-f]/i.exec(digits);
  if (odd !== null) return { problem: `“${odd[0]}” is not a hex digit.` };
  if (digits.length % 2 === 1) return { problem: 'The last byte has one digit only.' };
  return {
    bytes: Uint8Array.from({ length: digits.length / 2 }, (_, index) =>
      Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
    ),
  };
}

/** Bytes of text as UTF-8. */
export function readText(text: string): BytesAnswer {
  return text === '' ? { problem: 'Write some text.' } : { bytes: new TextEncoder().encode(text) };
}

export type OffsetAnswer = { readonly offset: number } | { readonly problem: string };

/** Where to begin, so that `length` bytes end inside the `size` bytes of the memory. */
export function readOffset(text: string, length: number, size: number): OffsetAnswer {
  const offset = text.trim() === '' ? 0 : readNumber(text);
  if (offset === undefined || !Number.isSafeInteger(offset) || offset < 0)
    return { problem: 'An offset is a number of bytes, such as 64 or 0x40.' };
  if (offset >= size) return { problem: `The last byte is at ${formatCount(size - 1)}.` };
  if (offset + length > size)
    return {
      problem: `${formatCount(length)} bytes from there end behind the last byte, at ${formatCount(size - 1)}.`,
    };
  if (length > MAX_TRANSFER_BYTES) return { problem: 'At most 64 MiB at once.' };
  return { offset };
}
