import type { RunningJob } from './jobs';

/** After this long other work has its turn. */
const TURN_MS = 4;

/**
 * Lets other work of the thread have its turn, when this one had its own for long enough.
 * @throws from the answer: the reason for which the job was ended
 */
export function inTurns(job: RunningJob): () => Promise<void> | undefined {
  let began = performance.now();
  return () => {
    if (performance.now() - began <= TURN_MS) return undefined;
    return job.pause().then(() => {
      job.check();
      began = performance.now();
    });
  };
}
