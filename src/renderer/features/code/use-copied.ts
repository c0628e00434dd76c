import { useEffect, useState } from 'react';

/** For how long a button says that it has copied. */
const SAID_MS = 2000;

/** What was copied last, for as long as its button says so. */
export function useCopied<T>(): readonly [T | undefined, (what: T) => void] {
  const [copied, setCopied] = useState<T>();
  useEffect(() => {
    if (copied === undefined) return;
    const timer = setTimeout(() => setCopied(undefined), SAID_MS);
    return () => clearTimeout(timer);
  }, [copied]);
  return [copied, setCopied];
}
