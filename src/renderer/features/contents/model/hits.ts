/** Every place where something is, as many as are listed: for lists beside a view, and for marks on the map. */
import type { ByteRange } from '#contract/ranges';
import { ok, type Result } from '#contract/result';
import type { Wanted } from './finder';

export interface Hits {
  /** Offsets, ascending. */
  readonly offsets: readonly number[];
  /** Bytes of each. */
  readonly bytes: number;
  /** Whether these are all. */
  readonly done: boolean;
  /** Milliseconds since 1970. */
  readonly takenAt: number;
}

/** Searches a range, the whole memory unless given. */
export async function listHits(
  {
    id,
    job,
    limit,
    range,
  }: { readonly id: string; readonly job: string; readonly limit: number; readonly range?: ByteRange },
  { queries, bytes }: Wanted,
): Promise<Result<Hits>> {
  const takenAt = Date.now();
  const offsets: number[] = [];
  let done = true;
  const where = range === undefined ? {} : { from: range.offset, to: range.offset + range.length };
  for (const query of queries) {
    const result = await window.gpuIpc.contents.search({ id, query, ...where, limit, job });
    if (!result.ok) return result;
    done &&= result.value.done;
    offsets.push(...result.value.hits);
  }
  if (queries.length > 1) offsets.sort((a, b) => a - b);
  return ok({ offsets: offsets.slice(0, limit), bytes, done: done && offsets.length <= limit, takenAt });
}

export interface Run {
  readonly offset: number;
  /** Elements one after the other. */
  readonly count: number;
}

/** Hits that follow each other without a gap, as one. */
export function runsOf({ offsets, bytes }: Pick<Hits, 'offsets' | 'bytes'>): Run[] {
  const runs: { offset: number; count: number }[] = [];
  for (const offset of offsets) {
    const last = runs.at(-1);
    if (last !== undefined && offset === last.offset + last.count * bytes) last.count++;
    else runs.push({ offset, count: 1 });
  }
  return runs;
}
