import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import type { Command } from '../../../lib/commands';
import { bookmarksOf } from '../model/bookmarks-of';
import type { MemorySession } from '../model/memory-session';
import { addBookmark, isShown, setShown } from './showing';

export function bookmarkCommands(session: MemorySession): readonly Command[] {
  const group = 'Contents';
  const bookmarks = bookmarksOf(session);
  const any = () => bookmarks.list.length > 0 && !session.editing;
  const go = (direction: 1 | -1) => {
    const mark = bookmarks.next(session.selection.start, direction);
    if (mark === undefined) return;
    session.goTo(mark.offset, mark.length);
    announce(`Bookmark at ${hexOffset(mark.offset)}${mark.note === '' ? '' : `: ${mark.note}`}`);
  };
  return [
    {
      id: 'contents.bookmark',
      title: 'Bookmark the cursor or the selection',
      group,
      icon: 'bookmark',
      keys: ['Ctrl+B'],
      run: () => addBookmark(session),
    },
    {
      id: 'contents.bookmarks',
      title: 'Show or hide the bookmarks',
      group,
      icon: 'bookmark',
      run: () => setShown(!isShown()),
    },
    {
      id: 'contents.next-bookmark',
      title: 'Go to the next bookmark',
      group,
      icon: 'down',
      keys: ['B'],
      area: 'memory',
      when: any,
      run: () => go(1),
    },
    {
      id: 'contents.previous-bookmark',
      title: 'Go to the previous bookmark',
      group,
      icon: 'up',
      keys: ['Shift+B'],
      area: 'memory',
      when: any,
      run: () => go(-1),
    },
  ];
}
