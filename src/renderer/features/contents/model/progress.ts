/** How far work is that takes long, in a component. */
import { useEffect, useState } from 'react';

export interface WorkProgress {
  readonly done: number;
  readonly total: number;
}

/** Undefined before anything is known of it: work of less than a blink never tells. */
export function useProgress(job: string | undefined): WorkProgress | undefined {
  const [progress, setProgress] = useState<WorkProgress & { job: string }>();
  useEffect(() => {
    if (job === undefined) return;
    return window.gpuIpc.contents.subscribe((told) => {
      if (told.job === job) setProgress({ job, done: told.done, total: told.total });
    });
  }, [job]);
  return progress?.job === job ? progress : undefined;
}
