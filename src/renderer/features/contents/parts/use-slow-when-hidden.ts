import { useEffect } from 'react';
import type { MemorySession } from '../model/memory-session';

/** Reads rarely while the window is hidden or the pane is folded away. */
export function useSlowWhenHidden(session: MemorySession, pane: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    let folded = false;
    const tell = () => session.setSlowed(document.hidden || folded);
    const seen = new IntersectionObserver(([entry]) => {
      folded = entry?.isIntersecting === false;
      tell();
    });
    if (pane.current) seen.observe(pane.current);
    document.addEventListener('visibilitychange', tell);
    tell();
    return () => {
      seen.disconnect();
      document.removeEventListener('visibilitychange', tell);
    };
  }, [session, pane]);
}
