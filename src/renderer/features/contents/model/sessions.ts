/** The sessions of this window by the memory they look at; coming back to a buffer finds its session again. */
import { ByteMeter } from '../../../lib/bytes-rate-store';
import { readMemory } from '../../../lib/read-memory';
import type { MemorySource } from './live-memory';
import { MemorySession } from './memory-session';

/** Sessions that are kept while something else is selected. */
const KEPT = 16;

/** What arrives for whichever session is being looked at. */
export const meter = new ByteMeter();

const sessions = new Map<string, MemorySession>();
/** The session that was shown last for a selected object: its bytes stay on screen when the memory goes away. */
const lastOf = new Map<string, MemorySession>();

/** The session of a source, made when there is none. */
export function sessionOf(objectId: string, source: MemorySource): MemorySession {
  const known = sessions.get(source.id);
  const session =
    known !== undefined && !known.ended
      ? known
      : new MemorySession(source, {
          read: (id, range) => readMemory({ id, ...range }),
          write: (id, offset, bytes) => window.gpuIpc.buffers.write({ id, offset, bytes }),
          onArrived: (bytes) => meter.add(bytes),
        });
  keep(sessions, source.id, session);
  keep(lastOf, objectId, session);
  return session;
}

/** What was shown for an object whose memory cannot be read any more, when anything was. */
export function lastSessionOf(objectId: string): MemorySession | undefined {
  const session = lastOf.get(objectId);
  return session?.hasBytes ? session : undefined;
}

function keep(map: Map<string, MemorySession>, id: string, session: MemorySession): void {
  map.delete(id);
  map.set(id, session);
  const oldest = map.keys().next();
  if (map.size > KEPT && !oldest.done) {
    map.get(oldest.value)?.sleep();
    map.delete(oldest.value);
  }
}
