/** State of a view that belongs to a memory: its tools and its body share it, and coming back finds it as it was. */
import { useCallback, useSyncExternalStore } from 'react';
import type { MemorySession } from './memory-session';
import { Signal } from './signal';

interface Kept {
  value: unknown;
  readonly onChange: Signal;
}

const sessions = new WeakMap<MemorySession, Map<string, Kept>>();

function keptOf(session: MemorySession, name: string, first: () => unknown): Kept {
  const known = sessions.get(session) ?? new Map<string, Kept>();
  sessions.set(session, known);
  const kept = known.get(name) ?? { value: first(), onChange: new Signal() };
  known.set(name, kept);
  return kept;
}

/** Like useState, for the life of the session: everybody who asks for the same name has the same value. */
export function useKept<T>(
  session: MemorySession,
  name: string,
  first: (session: MemorySession) => T,
): readonly [T, (change: (before: T) => T) => void] {
  const kept = keptOf(session, name, () => first(session));
  const value = useSyncExternalStore(kept.onChange.subscribe, () => kept.value as T);
  const set = useCallback(
    (change: (before: T) => T) => {
      const before = kept.value as T;
      kept.value = change(before);
      if (kept.value !== before) kept.onChange.emit();
    },
    [kept],
  );
  return [value, set];
}
