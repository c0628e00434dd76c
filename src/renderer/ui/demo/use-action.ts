/** Runs what a person asked for in a step, one at a time, and keeps its failure for that step to show. */
import { useCallback, useRef, useState } from 'react';
import { type IpcError, toIpcError } from '#contract/result';
import { announce } from '../../lib/announce';

export interface Action {
  readonly busy: boolean;
  readonly error: IpcError | undefined;
  /**
   * Answers what the action answers; `undefined` when it failed (then `error` says why) or when another one is still
   * running. `done`, in words, is told to screen readers on success.
   */
  readonly run: <T>(action: () => Promise<T>, done?: string) => Promise<T | undefined>;
  readonly clear: () => void;
}

export function useAction(): Action {
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<IpcError>();
  const running = useRef(false);
  const run = useCallback(async <T>(action: () => Promise<T>, done?: string): Promise<T | undefined> => {
    // A second click while the first call is on its way does nothing: the state in `busy` may be a frame late.
    if (running.current) return undefined;
    running.current = true;
    setBusy(true);
    try {
      const value = await action();
      setError(undefined);
      if (done !== undefined) announce(done);
      return value;
    } catch (thrown) {
      // The driver's answer is read out by the alert that shows it.
      setError(toIpcError(thrown));
      return undefined;
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  const clear = useCallback(() => setError(undefined), []);
  return { busy, error, run, clear };
}
