/** Bytes and where to write them, as people type them. Pure. */
import { formatCount } from '#contract/units';
import { MAX_TRANSFER_BYTES } from '#contract/values';
import { readNumber } from '../../lib/fill-form';
import type { BytesReading } from '../../lib/hex-bytes';

/** Bytes of text as UTF-8. */
export function readText(text: string): BytesReading {
  return text === '' ? { ok: false, problem: 'Write some text.' } : { ok: true, bytes: new TextEncoder().encode(text) };
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
