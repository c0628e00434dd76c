/** Comparing two parts of memory or snapshots of one process: on the GPU where one context can read both. */
import type { Comparison } from '#contract/calls/contents';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { type ByteRange, coalesceRanges } from '#contract/ranges';
import type { HostState } from '../host-state';
import type { Arena } from './arena';
import type { Copies } from './copies';
import { Differences } from './differences';
import type { RunningJob } from './jobs';
import { kernelJob } from './kernel-job';
import { MemoryPart, type SnapshotPart } from './parts';

export interface CompareOptions {
  readonly dtype?: DtypeId | undefined;
  readonly absolute: number;
  readonly relative: number;
  readonly limit: number;
}

export type Found = Pick<Comparison, 'differing' | 'first' | 'ranges' | 'more'>;
type Part = MemoryPart | SnapshotPart;

interface Using {
  readonly host: HostState;
  readonly copies: Copies;
  readonly arena: Arena;
}

/** Both parts have the same length. */
export async function compareParts(
  using: Using,
  a: Part,
  b: Part,
  options: CompareOptions,
  job: RunningJob,
): Promise<Found> {
  if (a instanceof MemoryPart && b instanceof MemoryPart && a.target.device === b.target.device) {
    return onDevice(using, a, b, options, job);
  }
  const { copies, arena } = using;
  return piecewise(a.pieces(copies, arena, job), b.pieces(copies, arena, job), a.length, options, job);
}

async function onDevice(
  { host, copies, arena }: Using,
  a: MemoryPart,
  b: MemoryPart,
  options: CompareOptions,
  job: RunningJob,
): Promise<Found> {
  const { dtype, absolute, relative, limit } = options;
  const size = dtype === undefined ? 1 : dtypes[dtypes[dtype].part ?? dtype].bytes;
  const whole = a.length - (a.length % size);
  let found: Found = { differing: 0, first: null, ranges: [], more: false };
  if (whole > 0) {
    const how = { limit, absolute, relative, ...(dtype !== undefined && { dtype }) };
    const answer = await host.kernels.compare(a.range(whole), b.range(whole), how, kernelJob(job, a, b));
    const { differing, first = null, more } = answer;
    found = { differing, first, ranges: answer.ranges.map((range) => ({ ...range })), more };
  }
  if (whole === a.length) return found;
  // What is left after the last whole element: a few bytes.
  const rest = (part: MemoryPart) =>
    new MemoryPart(host, part.target, part.offset + whole, part.length - whole).pieces(copies, arena, job);
  const after = await piecewise(rest(a), rest(b), a.length - whole, options, job);
  return after.first === null ? found : joined(found, after, whole, limit);
}

function joined(found: Found, after: Found, at: number, limit: number): Found {
  const last: ByteRange = { offset: at, length: after.ranges[0]?.length ?? 1 };
  const all = found.more ? found.ranges : coalesceRanges([...found.ranges, last]);
  return {
    differing: found.differing + after.differing,
    first: found.first ?? at,
    ranges: all.slice(0, limit).map((range) => ({ ...range })),
    more: found.more || all.length > limit,
  };
}

/** Two streams of pieces of equal sizes, on the CPU. */
async function piecewise(
  left: AsyncGenerator<Uint8Array, void, void>,
  right: AsyncGenerator<Uint8Array, void, void>,
  total: number,
  options: CompareOptions,
  job: RunningJob,
): Promise<Found> {
  const differences = new Differences(options);
  const pause = async (): Promise<void> => {
    await job.pause();
    job.check();
  };
  try {
    for (;;) {
      const [a, b] = await Promise.all([left.next(), right.next()]);
      if (a.done === true || b.done === true) break;
      await differences.addInTurns(a.value, b.value, pause);
      job.progress(Math.min(total, differences.bytes), total);
    }
  } finally {
    // Also when one of them threw: the other one has a copy on its way.
    await Promise.allSettled([left.return(), right.return()]);
  }
  const { differing, first, ranges, more } = differences;
  return { differing, first, ranges: ranges.map((range) => ({ ...range })), more };
}
