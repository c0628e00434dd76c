/** Bytes in many places of a session's memory, in a component: read while it is on screen, at the rate that is set. */
import { useEffect, useMemo } from 'react';
import type { ByteRange } from '#contract/ranges';
import { readMemory } from '../../../lib/read-memory';
import { useSettings } from '../../../lib/settings-store';
import { LiveRanges } from './live-ranges';
import type { MemorySession } from './memory-session';
import { meter } from './sessions';
import { useSignal } from './use-signal';

const known = new WeakMap<MemorySession, Map<string, LiveRanges>>();

/** The one of a view: coming back to it finds what was read last, also of a memory that is gone. */
function rangesOf(session: MemorySession, view: string): LiveRanges {
  const views = known.get(session) ?? new Map<string, LiveRanges>();
  known.set(session, views);
  const { id } = session.source;
  const live =
    views.get(view) ??
    new LiveRanges({
      read: async (range) => {
        const result = await readMemory({ id, ...range });
        if (result.ok) meter.add(result.value.bytes.byteLength);
        return result;
      },
    });
  views.set(view, live);
  return live;
}

/** Renders again when bytes came in. `ranges` must be the same object while the same is wanted. */
export function useLiveRanges(session: MemorySession, view: string, ranges: readonly ByteRange[]): LiveRanges {
  const live = useMemo(() => rangesOf(session, view), [session, view]);
  const hz = useSettings(({ followHz }) => followHz);
  const still = useSignal(session.onStatus, () => session.paused || session.ended);
  useSignal(live.onData, () => live.version);

  useEffect(() => {
    if (session.ended) return;
    live.start();
    return () => live.stop();
  }, [session, live]);
  useEffect(() => live.want(ranges), [live, ranges]);
  useEffect(() => {
    const tell = () => live.setFollowing(!still, hz, document.hidden);
    tell();
    document.addEventListener('visibilitychange', tell);
    return () => document.removeEventListener('visibilitychange', tell);
  }, [live, still, hz]);
  useEffect(() => session.onStep.subscribe(() => live.step()), [session, live]);
  return live;
}
