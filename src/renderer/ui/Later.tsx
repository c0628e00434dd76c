import { type ReactNode, useEffect, useState } from 'react';

/** Shows a placeholder only when the wait has lasted 80 ms, so that quick answers do not flicker. */
export function Later({ children }: { children: ReactNode }) {
  const [due, setDue] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setDue(true), 80);
    return () => clearTimeout(timer);
  }, []);
  return due ? children : null;
}
