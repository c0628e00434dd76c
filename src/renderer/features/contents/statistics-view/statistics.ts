/** Statistics of a memory: what is asked, when it is asked by itself, and whether an answer is still true. */
import * as v from 'valibot';
import type { ContentSnapshot, Statistics } from '#contract/calls/contents';
import type { DtypeId } from '#contract/dtypes';
import type { ByteRange } from '#contract/ranges';
import type { Within } from '../model/jumper';
import { LongAnswer } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import { isSoon, measured } from '../model/pace';

export interface Question {
  readonly dtype: DtypeId;
  /** Undefined for the whole memory. */
  readonly range: ByteRange | undefined;
  readonly bins: number;
  /** Of the memory it is of, then whole; undefined for the memory as it is now. */
  readonly snapshot?: ContentSnapshot | undefined;
}

export const BINS = [16, 32, 64, 128, 256] as const;
/** Seconds between computations; 0 for on request only. */
export const REPEATS = [0, 1, 5, 30] as const;

export const statisticsSettings = v.object({
  bins: v.optional(v.picklist(BINS), 64),
  log: v.optional(v.boolean(), true),
  repeat: v.optional(v.picklist(REPEATS), 0),
});

const answers = new WeakMap<MemorySession, LongAnswer<Question, Statistics>>();

export function statisticsOf(session: MemorySession): LongAnswer<Question, Statistics> {
  const known = answers.get(session);
  if (known !== undefined) return known;
  const made = new LongAnswer<Question, Statistics>({
    ask: async ({ dtype, range, bins, snapshot }, job) => {
      const what = snapshot === undefined ? { id: session.source.id, ...range } : { id: snapshot.id };
      const result = await window.gpuIpc.contents.statistics({ ...what, dtype, bins, job });
      if (result.ok && snapshot === undefined) measured(result.value.bytes, result.value.tookMs);
      return result;
    },
    cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
    keyOf: (question) =>
      JSON.stringify([
        question.dtype,
        question.range?.offset,
        question.range?.length,
        question.bins,
        question.snapshot?.id,
      ]),
  });
  answers.set(session, made);
  return made;
}

export const bytesOfQuestion = ({ range, snapshot }: Question, size: number): number =>
  snapshot?.bytes ?? range?.length ?? size;

/** Snapshots of at most so many bytes are gone through unasked: the CPU does it, in a moment. */
const SOON_BYTES = 4 * 2 ** 20;

/** What is searched for the values that are counted: the memory itself, or a snapshot of it. */
export const withinOf = ({ snapshot }: Question): Within | undefined =>
  snapshot && { id: snapshot.id, base: snapshot.offset, bytes: snapshot.bytes };

/** Whether the view asks without being told: nobody has, and it is soon done. */
export function asksItself(session: MemorySession, question: Question): boolean {
  if (statisticsOf(session).isSettled(question)) return false;
  if (question.snapshot !== undefined) return question.snapshot.bytes <= SOON_BYTES;
  if (session.ended) return false;
  return isSoon(bytesOfQuestion(question, session.size));
}

export type Freshness = 'fresh' | 'changed' | 'late' | 'ended';

/** Computations missed before an answer is late. */
const MISSED = 3;

/**
 * Whether an answer still says how the memory is, as far as can be known without asking again.
 * @param changedAt  when a byte was last seen to change, if one was; milliseconds since 1970, as the others
 * @param repeat     seconds between computations, 0 when they are on request
 */
export function freshness(
  takenAt: number,
  { now, changedAt, ended, repeat }: { now: number; changedAt: number | undefined; ended: boolean; repeat: number },
): Freshness {
  if (ended) return 'ended';
  if (repeat > 0) return now - takenAt > MISSED * repeat * 1000 ? 'late' : 'fresh';
  return changedAt !== undefined && changedAt > takenAt ? 'changed' : 'fresh';
}
