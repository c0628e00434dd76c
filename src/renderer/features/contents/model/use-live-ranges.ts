/** Bytes in many places of a session's memory, in a component: read while it is on screen, at the rate that is set. */
import { useEffect, useMemo } from 'react';
import type { ByteRange } from '#contract/ranges';
import { useSettings } from '../../../lib/settings-store';
import { LiveRanges } from './live-ranges';
import type { MemorySession } from './memory-session';
import { meter } from './sessions';
import { useSignal } from './use-signal';

/** Renders again when bytes came in. `ranges` must be the same object while the same is wanted. */
export function useLiveRanges(session: MemorySession, ranges: readonly ByteRange[]): LiveRanges {
  const live = useMemo(() => {
    const { id } = session.source;
    return new LiveRanges({
      read: async (range) => {
        const result = await window.gpuIpc.memory.read({ id, ...range });
        if (result.ok) meter.add(result.value.bytes.byteLength);
        return result;
      },
    });
  }, [session]);
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
