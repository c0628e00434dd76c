import { describe, expect, it } from 'vitest';
import { READ, UNREAD, UNREADABLE } from '../../../lib/bytes-changes';
import {
  CURSOR,
  CURSOR_IN_TEXT,
  cachedClasses,
  cellState,
  classesOf,
  EDITED,
  glyphOf,
  hexOf,
  OUTSIDE,
  SELECTED,
  STALE,
  WAITING,
} from './cell-state';

const look = (state: number) => [hexOf(state), glyphOf(state), classesOf(state, false), classesOf(state, true)];

describe('how a byte is drawn', () => {
  it('zero, unread, unreadable and outside never look alike', () => {
    const zero = look(cellState(0, READ, 0));
    const unread = look(cellState(0, UNREAD, 0));
    const unreadable = look(cellState(0, UNREADABLE, 0));
    const outside = look(OUTSIDE);
    expect(zero).toEqual(['00', '·', 'b z', 'b z']);
    expect(unread).toEqual(['··', ' ', 'b u', 'b u']);
    expect(unreadable).toEqual(['??', ' ', 'b x', 'b x']);
    expect(outside).toEqual(['  ', ' ', 'b out', 'b out']);
  });

  it('bytes that were asked for a moment ago are empty, not zero', () => {
    expect(look(cellState(0, UNREAD, 0) | WAITING)).toEqual(['  ', ' ', 'b', 'b']);
  });

  it('what is left of an old page is not drawn where the byte is unread', () => {
    expect(look(cellState(0x41, UNREAD, 3))).toEqual(look(cellState(0, UNREAD, 0)));
  });

  it('shows what cannot be printed differently in the text only', () => {
    expect(look(cellState(0x9f, READ, 0))).toEqual(['9f', '◦', 'b', 'b n']);
    expect(look(cellState(0x41, READ, 0))).toEqual(['41', 'A', 'b', 'b']);
  });

  it('a change has a stage, an edit hides it', () => {
    expect(classesOf(cellState(0x41, READ, 1), false)).toBe('b c1');
    expect(classesOf(cellState(0, READ, 3), true)).toBe('b z c3');
    expect(look(cellState(0x42, UNREAD, 0) | EDITED).slice(0, 3)).toEqual(['42', 'B', 'b e']);
    expect(classesOf(cellState(0x42, READ, 1) | EDITED | STALE, false)).toBe('b e');
  });

  it('the cursor is in one column and shadowed in the other', () => {
    const state = cellState(0x41, READ, 0) | CURSOR | SELECTED;
    expect([classesOf(state, false), classesOf(state, true)]).toEqual(['b s cur', 'b s cur2']);
    expect([classesOf(state | CURSOR_IN_TEXT, false), classesOf(state | CURSOR_IN_TEXT, true)]).toEqual([
      'b s cur2',
      'b s cur',
    ]);
  });

  it('remembered class names are the same as fresh ones for every byte', () => {
    for (let byte = 0; byte < 256; byte++) {
      for (const text of [false, true]) {
        const state = cellState(byte, READ, byte % 5) | STALE;
        expect(cachedClasses(state, text)).toBe(classesOf(state, text));
      }
    }
  });
});
