/** The bookmarks of a memory; kept between runs under its label and size, since its id means nothing later. */
import { useSettingsStore } from '../../../lib/settings-store';
import { Bookmarks } from './bookmarks';
import type { MemorySession } from './memory-session';
import { remember } from './remembered';

/** Memories whose bookmarks are kept; the ones that were changed longest ago go. */
const MOST_KEPT = 64;

const known = new WeakMap<MemorySession, Bookmarks>();

export function bookmarksOf(session: MemorySession): Bookmarks {
  const made = known.get(session);
  if (made !== undefined) return made;
  const { label, bytes } = session.source;
  // Memory without a label is another one in the next run.
  const key = label === undefined || label === '' ? undefined : `${label} ${bytes}`;
  const bookmarks = new Bookmarks(bytes, key === undefined ? [] : keptMarks()[key]);
  if (key !== undefined) {
    bookmarks.onChange.subscribe(() => {
      const { [key]: _before, ...others } = keptMarks();
      const entries = [...Object.entries(others), [key, bookmarks.list] as const].filter(
        ([, marks]) => Array.isArray(marks) && marks.length > 0,
      );
      remember('bookmarks', { marks: Object.fromEntries(entries.slice(-MOST_KEPT)) });
    });
  }
  known.set(session, bookmarks);
  return bookmarks;
}

function keptMarks(): Readonly<Record<string, unknown>> {
  const kept = useSettingsStore.getState().settings.contents.bookmarks;
  const marks = typeof kept === 'object' && kept !== null ? (kept as { marks?: unknown }).marks : undefined;
  return typeof marks === 'object' && marks !== null ? (marks as Readonly<Record<string, unknown>>) : {};
}
