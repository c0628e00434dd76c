/** Following a small fixed range from React: the demo windows show a few rows of bytes with it. */
import { useEffect, useState } from 'react';
import type { IpcError } from '#contract/result';
import { ByteChanges, ChangeClock, type ChangeStage } from './bytes-changes';
import { MemoryFollower } from './bytes-follow';
import { readMemory } from './read-memory';

export interface FollowedBytes {
  /** As of the last read that worked; undefined before the first. Stays after a failure: it is old then, not wrong. */
  readonly bytes: Uint8Array | undefined;
  /** Cue of each byte. */
  readonly stages: readonly ChangeStage[];
  /** When `bytes` were copied, milliseconds since 1970. */
  readonly takenAt: number | undefined;
  /** Why the last read failed; undefined when it worked. */
  readonly error: IpcError | undefined;
  /** Reads once now, also while paused and after a failure. */
  readonly step: () => void;
}

export interface FollowedRange {
  /** An allocation or mapping of this window's process; undefined shows nothing and reads nothing. */
  readonly id: string | undefined;
  readonly offset?: number;
  /** At most a few hundred bytes: each change renders the component that asks. */
  readonly length: number;
  readonly hz: number;
  readonly paused?: boolean;
}

const nothing = { bytes: undefined, stages: [], takenAt: undefined, error: undefined };

/** Follows a range for as long as the component is on screen; slows down while the window is hidden. */
export function useFollowedBytes({ id, offset = 0, length, hz, paused = false }: FollowedRange): FollowedBytes {
  const [shown, setShown] = useState<Omit<FollowedBytes, 'step'>>(nothing);
  const [live, setLive] = useState<{ follower: MemoryFollower; clock: ChangeClock } | undefined>();

  useEffect(() => {
    setShown(nothing);
    if (id === undefined || length < 1) return;
    const clock = new ChangeClock(() => performance.now());
    const motion = window.matchMedia('(prefers-reduced-motion: reduce)');
    const changes = new ByteChanges(length);
    let takenAt: number | undefined;
    let error: IpcError | undefined;
    let fading: ReturnType<typeof setTimeout> | undefined;

    const show = () => {
      clearTimeout(fading);
      const known = takenAt !== undefined;
      setShown({
        bytes: known ? changes.bytes.slice() : undefined,
        stages: known ? Array.from(changes.changedAt, (read) => clock.stage(read)) : [],
        takenAt,
        error,
      });
      const next = clock.nextChange();
      if (next !== undefined) fading = setTimeout(show, next);
    };
    const mine = new MemoryFollower({
      read: (range) => readMemory({ id, ...range }),
      onRead: (read) => {
        clock.reducedMotion = motion.matches;
        changes.apply(0, read.bytes, clock.tick());
        takenAt = read.takenAt;
        error = undefined;
        show();
      },
      onError: (failure) => {
        error = failure;
        show();
      },
    });
    const visibility = () => mine.setSlowed(document.hidden);
    document.addEventListener('visibilitychange', visibility);
    visibility();
    mine.setRange({ offset, length }, true);
    setLive({ follower: mine, clock });
    return () => {
      document.removeEventListener('visibilitychange', visibility);
      clearTimeout(fading);
      mine.stop();
      setLive(undefined);
    };
  }, [id, offset, length]);

  useEffect(() => {
    if (live === undefined) return;
    live.follower.setHz(hz);
    if (paused) {
      live.follower.pause();
      live.clock.freeze();
    } else {
      live.clock.thaw();
      live.follower.start();
    }
  }, [live, hz, paused]);

  return { ...shown, step: () => live?.follower.step() };
}
