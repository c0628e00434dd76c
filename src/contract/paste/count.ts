/** Whether a number of bytes is a handle, and what to say when it is not. */
import { Problem } from '#contract/handle-text/problem';
import { beginsSegments, readSegments } from './segments';
import type { Found, FoundBytes, PasteForm, PasteProblem } from './types';

const HANDLE_BYTES = 64;
/** Fewer bytes than this are not taken for an attempt at a handle: texts are full of small numbers and short hashes. */
export const ATTEMPT = 24;
/** Sizes of common hashes (SHA-224, SHA-256, SHA-384): in one piece of hex they are no attempt at a handle. */
export const HASHES: ReadonlySet<number> = new Set([28, 32, 48]);

interface Piece {
  readonly bytes: ArrayLike<number>;
  readonly form: PasteForm;
  readonly start: number;
  readonly end: number;
  readonly tool?: string;
}

/**
 * 64 bytes, or 66 with PyTorch's version and type before them (02 63: cudaMalloc memory), or PyTorch's expandable segments
 * (02 65) as a finding; a problem from ATTEMPT bytes on; nothing below.
 */
export function foundIn(piece: Piece, next: number): Found<FoundBytes> {
  const { bytes, form, start, end, tool } = piece;
  const place = { form, start, end, ...(tool === undefined ? {} : { tool }) };
  if (bytes.length === HANDLE_BYTES) {
    return { next, items: [{ handle: Uint8Array.from(bytes), ...place }], problems: [] };
  }
  if (bytes.length === HANDLE_BYTES + 2 && bytes[0] === 2 && bytes[1] === 0x63) {
    const handle = Uint8Array.from(bytes).slice(2);
    return { next, items: [{ handle, ...place, fromPyTorch: true }], problems: [] };
  }
  if (bytes.length < ATTEMPT) return { next, items: [], problems: [] };
  if (beginsSegments(bytes)) {
    const segments = readSegments(bytes);
    if (typeof segments === 'string') return refusedAt(next, segments, start, end);
    return { next, items: [{ handle: null, segments, ...place, fromPyTorch: true }], problems: [] };
  }
  return refusedAt(next, `A handle has 64 bytes; here are ${bytes.length}.`, start, end);
}

export const nothing = (next: number): Found<never> => ({ next, items: [], problems: [] });

export function refusedAt(next: number, message: string, start: number, end: number): Found<never> {
  return { next, items: [], problems: [{ message, start, end }] };
}

/** Runs a reader that throws Problems; they are of text.slice(start). */
export function attempt<T>(read: () => T, start: number, end: number): T | PasteProblem {
  try {
    return read();
  } catch (thrown) {
    if (!(thrown instanceof Problem)) throw thrown;
    const at = Math.min(start + thrown.position, end);
    return { message: thrown.problem, start: at, end: Math.min(at + 1, end) };
  }
}

export const isProblem = (value: unknown): value is PasteProblem =>
  typeof value === 'object' && value !== null && 'message' in value;
