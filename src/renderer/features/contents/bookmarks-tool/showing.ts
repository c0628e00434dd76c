/** Whether the list of bookmarks is on screen, and which of them was set just now: its note is typed next. */
import type { Bookmark } from '../model/bookmarks';
import { bookmarksOf } from '../model/bookmarks-of';
import type { MemorySession } from '../model/memory-session';
import { Signal } from '../model/signal';

export const onShowing = new Signal();
let shown = false;
let fresh: { readonly offset: number; readonly length: number } | undefined;

export const isShown = (): boolean => shown;

export function setShown(next: boolean): void {
  shown = next;
  fresh = undefined;
  onShowing.emit();
}

/** Sets a bookmark at the selection and shows the list. */
export function addBookmark(session: MemorySession): void {
  const { start, end } = session.selection;
  const mark = bookmarksOf(session).add(start, end - start);
  shown = true;
  fresh = mark;
  onShowing.emit();
}

/** Whether a bookmark is the one that was set just now; asking once is enough. */
export function takeFresh(mark: Bookmark): boolean {
  const is = fresh?.offset === mark.offset && fresh.length === mark.length;
  if (is) fresh = undefined;
  return is;
}
