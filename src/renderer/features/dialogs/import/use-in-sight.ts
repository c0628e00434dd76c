import { useEffect, useState } from 'react';

/** Of an element, where a fraction of a pixel at its edge is no part that is missed. */
const ALL = 0.99;

/** Whether all of an element can be seen; true where there is none, and until it is known. */
export function useInSight(element: Element | null): boolean {
  const [inSight, setInSight] = useState(true);
  useEffect(() => {
    setInSight(true);
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => setInSight((entries.at(-1)?.intersectionRatio ?? 1) >= ALL),
      { threshold: ALL },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [element]);
  return inSight;
}
