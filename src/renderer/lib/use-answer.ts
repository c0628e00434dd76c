/** The answer to a question that a component asks while it is on screen. */
import { useEffect, useState } from 'react';
import { type IpcError, toIpcError } from '#contract/result';

export interface Answer<T> {
  readonly value: T | undefined;
  readonly error: IpcError | undefined;
}

/**
 * Asks when `key` becomes another one; undefined asks nothing. An older answer never replaces a newer one, and the
 * value of the same key stays until the next arrives.
 */
export function useAnswer<T>(key: string | undefined, ask: () => Promise<T>): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T> & { readonly key: string | undefined }>({
    key: undefined,
    value: undefined,
    error: undefined,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key says when to ask; `ask` is new with each rendering
  useEffect(() => {
    if (key === undefined) return;
    let current = true;
    ask().then(
      (value) => current && setAnswer({ key, value, error: undefined }),
      (thrown) => current && setAnswer({ key, value: undefined, error: toIpcError(thrown) }),
    );
    return () => {
      current = false;
    };
  }, [key]);
  return answer.key === key ? answer : { value: undefined, error: undefined };
}
