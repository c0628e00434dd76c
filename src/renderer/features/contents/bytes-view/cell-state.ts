/**
 * How one byte is drawn, as a number: two cells (hex and text) are drawn from it, and a cell whose number is the same
 * as before is left alone. Low byte: the value. Above it: what is known, the cue, and marks.
 */
import { READ, UNREAD, UNREADABLE } from '../../../lib/bytes-changes';
import { GLYPHS, HEX, isPrintable } from '../../../lib/bytes-format';

const KNOWN = 8;
const STAGE = 10;
/** Not read yet, but asked for a moment ago: an empty place, until a placeholder is due. */
export const WAITING = 1 << 22;
/** Past the last byte of the memory: an empty place. */
export const OUTSIDE = 1 << 13;
export const STALE = 1 << 14;
export const SELECTED = 1 << 15;
export const SELECTION_START = 1 << 16;
export const CURSOR = 1 << 17;
/** The cursor's other half: the cell of the column that typing does not go to. */
export const CURSOR_IN_TEXT = 1 << 18;
export const HOVERED = 1 << 19;
export const EDITED = 1 << 20;
/** Part of an element that is NaN or infinite in the type in use. */
export const NOT_FINITE = 1 << 21;

export const cellState = (byte: number, known: number, stage: number): number =>
  byte | (known << KNOWN) | (stage << STAGE);

export const byteOf = (state: number): number => state & 0xff;
const knownOf = (state: number): number => (state >> KNOWN) & 3;
const stageOf = (state: number): number => (state >> STAGE) & 7;

/** Characters of the hex cell. Never the digits of a byte that was not read. */
export function hexOf(state: number): string {
  if (state & (OUTSIDE | WAITING)) return '  ';
  const known = knownOf(state);
  if (known === READ || state & EDITED) return HEX[byteOf(state)] as string;
  return known === UNREADABLE ? '??' : '··';
}

/** Character of the text cell; a blank where nothing was read: `·` means zero there. */
export function glyphOf(state: number): string {
  if (state & OUTSIDE) return ' ';
  return knownOf(state) === READ || state & EDITED ? (GLYPHS[byteOf(state)] as string) : ' ';
}

/** Class names of the hex and of the text cell. */
export function classesOf(state: number, text: boolean): string {
  if (state & OUTSIDE) return 'b out';
  let names = 'b';
  const known = knownOf(state);
  const byte = byteOf(state);
  if (state & EDITED) names += ' e';
  else if (known === UNREAD) names += state & WAITING ? '' : ' u';
  else if (known === UNREADABLE) names += ' x';
  else {
    const stage = stageOf(state);
    if (byte === 0) names += ' z';
    else if (text && !isPrintable(byte)) names += ' n';
    if (stage > 0) names += ` c${stage}`;
    if (state & NOT_FINITE) names += ' nan';
    if (state & STALE) names += ' old';
  }
  if (state & SELECTED) names += ' s';
  if (state & SELECTION_START) names += ' s0';
  if (state & CURSOR) names += Boolean(state & CURSOR_IN_TEXT) === text ? ' cur' : ' cur2';
  if (state & HOVERED) names += ' h';
  return names;
}

const cache = [new Map<number, string>(), new Map<number, string>()] as const;

/** `classesOf`, remembered: there are few combinations, and thousands of cells ask. */
export function cachedClasses(state: number, text: boolean): string {
  // Only these facts about the byte itself matter for its look.
  const byte = byteOf(state);
  const key = (state & ~0xff) | (byte === 0 ? 0 : isPrintable(byte) ? 0x41 : 0xff);
  const known = cache[text ? 1 : 0];
  let names = known.get(key);
  if (names === undefined) {
    names = classesOf(key, text);
    known.set(key, names);
  }
  return names;
}
