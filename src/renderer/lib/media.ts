/** Media queries as values. */
import { useSyncExternalStore } from 'react';

/** Whether the window matches a media query now; follows changes. */
export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = window.matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => window.matchMedia(query).matches,
  );
}

/** The centre gives up what Details repeats; tools become icons. */
export const useNarrow = (): boolean => useMedia('(max-width: 1179px)');
