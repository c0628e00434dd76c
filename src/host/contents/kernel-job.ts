import type { Job } from '../kernels/types';
import type { RunningJob } from './jobs';
import type { MemoryPart } from './parts';

/** A job for the whole-buffer calls: over as soon as any of its memory is not there any more. */
export function kernelJob(job: RunningJob, ...parts: readonly MemoryPart[]): Job {
  return {
    cancelled: () => {
      if (job.cancelled()) return true;
      try {
        for (const part of parts) part.check();
        return false;
      } catch (thrown) {
        job.end(thrown);
        return true;
      }
    },
    progress: (done, total) => job.progress(done, total),
    pause: () => job.pause(),
  };
}
