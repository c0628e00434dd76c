/** The states of a run of bytes of a session, for drawing them. */
import { type DtypeId, dtypes, isFloat } from '#contract/dtypes';
import { READ, UNREAD } from '../../../lib/bytes-changes';
import { PAGE } from '../model/memory-mirror';
import type { MemorySession } from '../model/memory-session';
import {
  CURSOR,
  CURSOR_IN_TEXT,
  cellState,
  EDITED,
  HOVERED,
  NOT_FINITE,
  OUTSIDE,
  SELECTED,
  SELECTION_START,
  STALE,
  WAITING,
} from './cell-state';

/** Fills `out` with the states of the bytes from `offset` on. */
export function readStates(session: MemorySession, offset: number, out: Int32Array): void {
  const { mirror, clock, size, cursor, selection, hover, edits } = session;
  const selected = session.isStretched;
  const firstActive = clock.firstActive();
  const hasEdits = edits.count > 0;
  const cursorBits = session.side === 'text' ? CURSOR | CURSOR_IN_TEXT : CURSOR;
  const unread = cellState(0, UNREAD, 0) | (session.placeholders ? 0 : WAITING);
  let pageIndex = -1;
  let page = mirror.page(offset);
  let stale = 0;
  for (let i = 0; i < out.length; i++) {
    const at = offset + i;
    if (at >= size) {
      out[i] = OUTSIDE;
      continue;
    }
    const index = Math.floor(at / PAGE);
    if (index !== pageIndex) {
      pageIndex = index;
      page = mirror.page(at);
      stale = session.isStale(at) ? STALE : 0;
    }
    const within = at - pageIndex * PAGE;
    let state: number;
    const known = page?.data.known[within] ?? UNREAD;
    if (page === undefined || known === UNREAD) state = unread;
    else {
      const read = page.data.changedAt[within] as number;
      const stage = read >= firstActive ? clock.stage(read) : 0;
      state = cellState(page.data.bytes[within] as number, known, stage) | (known === READ ? stale : 0);
    }
    if (hasEdits) {
      const edited = edits.at(at);
      if (edited !== undefined) state = (state & ~(0xff | WAITING)) | edited | EDITED;
    }
    if (selected && at >= selection.start && at < selection.end) {
      state |= SELECTED;
      if (at === selection.start) state |= SELECTION_START;
    }
    if (at === cursor.cursor) state |= cursorBits;
    if (at === hover) state |= HOVERED;
    out[i] = state;
  }
  const part = dtypes[session.dtype].part ?? session.dtype;
  if (isFloat(part)) markNotFinite(session, part, offset, out);
}

/**
 * NaN and infinities are marked as whole numbers of `dtype`, which lie at multiples of its size. Those that the row
 * only has a part of are looked up in the memory beside it.
 */
function markNotFinite(session: MemorySession, dtype: DtypeId, offset: number, out: Int32Array): void {
  const { order, size, edits, mirror } = session;
  const { bytes } = dtypes[dtype];
  const byteAt = (at: number): number => out[at - offset] ?? edits.at(at) ?? mirror.byte(at) ?? 0;
  const end = Math.min(size, offset + out.length);
  for (let start = offset - (offset % bytes); start + bytes <= size && start < end; start += bytes) {
    const high = order === 'little' ? start + bytes - 1 : start;
    const next = bytes === 1 ? high : order === 'little' ? high - 1 : high + 1;
    if (!hasFullExponent(dtype, byteAt(high), byteAt(next))) continue;
    for (let at = Math.max(start, offset); at < Math.min(start + bytes, end); at++) {
      out[at - offset] = (out[at - offset] as number) | NOT_FINITE;
    }
  }
}

/**
 * Whether the two highest bytes say NaN or infinity: an exponent of all ones, in E4M3 all bits. Only the low byte of a
 * state counts; of one-byte types `next` does not.
 */
export function hasFullExponent(dtype: DtypeId, high: number, next: number): boolean {
  const [a, b] = [high & 0xff, next & 0xff];
  switch (dtype) {
    case 'f8e4m3':
      return (a & 0x7f) === 0x7f;
    case 'f8e5m2':
    case 'f16':
      return (a & 0x7c) === 0x7c;
    case 'bf16':
    case 'f32':
      return (a & 0x7f) === 0x7f && (b & 0x80) === 0x80;
    case 'f64':
      return (a & 0x7f) === 0x7f && (b & 0xf0) === 0xf0;
    default:
      return false;
  }
}
