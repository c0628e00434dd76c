import { describe, expect, it } from 'vitest';
import { Bookmarks, MOST_BOOKMARKS } from './bookmarks';

const offsets = (marks: Bookmarks) => marks.list.map(({ offset }) => offset);

describe('bookmarks', () => {
  it('stand in the order of the memory, each once', () => {
    const marks = new Bookmarks(100);
    marks.add(16, 1);
    marks.add(4, 8);
    expect(marks.add(16, 1)).toBe(marks.list[1]);
    expect(offsets(marks)).toEqual([4, 16]);
    expect(marks.add(99, 2)).toBeUndefined();
  });

  it('every change can be taken back', () => {
    const marks = new Bookmarks(100);
    marks.add(4, 8);
    const [first] = marks.list;
    if (first === undefined) throw new Error('not added');
    marks.edit(first, { note: 'header', color: 'orange' });
    expect(marks.list[0]).toMatchObject({ note: 'header', color: 'orange' });
    marks.remove(marks.list[0] as typeof first);
    expect(marks.list).toEqual([]);
    marks.undo();
    expect(marks.list[0]?.note).toBe('header');
    marks.undo();
    marks.undo();
    expect(marks.list).toEqual([]);
    expect(marks.canUndo).toBe(false);
  });

  it('are found by what they cover, and one after the other', () => {
    const marks = new Bookmarks(100);
    marks.add(4, 8);
    marks.add(40, 1);
    expect(marks.within(0, 4)).toBeUndefined();
    expect(marks.within(8, 16)?.offset).toBe(4);
    expect(marks.within(12, 16)).toBeUndefined();
    expect(marks.next(4, 1)?.offset).toBe(40);
    expect(marks.next(40, 1)?.offset).toBe(4);
    expect(marks.next(4, -1)?.offset).toBe(40);
  });

  it('what was kept is checked: other things, and what lies outside, are left out', () => {
    const good = { offset: 8, length: 4, note: 'x', color: 'blue' };
    expect(
      new Bookmarks(100, [{ offset: -1 }, good, { ...good, offset: 98 }, { ...good, color: 'pink' }]).list,
    ).toEqual([good]);
    expect(new Bookmarks(100, 'old').list).toEqual([]);
    const many = Array.from({ length: MOST_BOOKMARKS + 5 }, (_, offset) => ({ ...good, offset, length: 1 }));
    expect(new Bookmarks(10_000, many).list.length).toBe(MOST_BOOKMARKS);
  });
});
