/** Which dialog of taking away is open for a memory: commands open it, its bar shows it. */
import type { MemorySession } from '../model/memory-session';
import { Signal } from '../model/signal';

export type Asked = 'save' | 'load' | undefined;

const onAsked = new Signal();
let asked: { readonly session: MemorySession; readonly what: Asked } | undefined;

export const asking = {
  onChange: onAsked,
  of: (session: MemorySession): Asked => (asked?.session === session ? asked.what : undefined),
  set(session: MemorySession, what: Asked): void {
    asked = { session, what };
    onAsked.emit();
  },
};
