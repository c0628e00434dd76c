/** Comparing memory of two processes: each one's bytes come to main, and are compared here in small steps. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { Differences } from '#host/contents/differences';
import type { RunningJob } from '#host/contents/jobs';
import { type Part, pieces } from './reading';

const DEFAULT_RANGES = 1_000;

type Options = Pick<CheckedArgs<'contents.compare'>, 'dtype' | 'tolerance' | 'limit'>;

export async function compareAcross(
  a: Part,
  b: Part,
  { dtype, tolerance = 0, limit = DEFAULT_RANGES }: Options,
  job: RunningJob,
): Promise<CallValue<'contents.compare'>> {
  const began = performance.now();
  const { absolute, relative } = typeof tolerance === 'number' ? { absolute: tolerance, relative: 0 } : tolerance;
  const length = Math.min(a.length, b.length);
  const differences = new Differences({ dtype, absolute, relative, limit });
  const [left, right] = [pieces({ ...a, length }, job), pieces({ ...b, length }, job)];
  const pause = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    job.check();
  };
  for (;;) {
    const [one, other] = await Promise.all([left.next(), right.next()]);
    if (one.done === true || other.done === true) break;
    await differences.addInTurns(one.value, other.value, pause);
    job.progress(differences.bytes, length);
  }
  const { differing, first, ranges, more } = differences;
  return {
    equal: differing === 0 && a.length === b.length,
    differing,
    first,
    ranges: ranges.map((range) => ({ ...range })),
    more,
    bytes: length,
    unmatchedBytes: Math.abs(a.length - b.length),
    tookMs: performance.now() - began,
    takenAt: Date.now(),
  };
}
