/** Places that were jumped to, for views that have a cursor of their own. */
import { useEffect, useRef } from 'react';
import type { ByteCursor } from '../../../lib/bytes-cursor';
import type { MemorySession } from './memory-session';

/** The last jump that each view has followed: once is enough, what a person chooses afterwards stays. */
const followed = new WeakMap<MemorySession, Map<string, ByteCursor>>();

/** Calls `go` with each place that is jumped to, and with the last one from before the view was opened. */
export function useJumps(session: MemorySession, view: string, go: (offset: number) => void): void {
  const latest = useRef(go);
  latest.current = go;
  useEffect(() => {
    const of = followed.get(session) ?? new Map<string, ByteCursor>();
    followed.set(session, of);
    const follow = () => {
      if (session.moved !== 'jump' || of.get(view) === session.cursor) return;
      of.set(view, session.cursor);
      latest.current(session.cursor.cursor);
    };
    follow();
    return session.onCursor.subscribe(follow);
  }, [session, view]);
}
