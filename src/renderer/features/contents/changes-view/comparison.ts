/** Comparing two sides: the question, its answer in words. */
import type { Comparison } from '#contract/calls/contents';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { formatCount, formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { LongAnswer } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import type { Pairing } from './sides';

export interface Tolerance {
  readonly absolute: number;
  readonly relative: number;
}

export interface CompareQuestion extends Pairing {
  readonly a: string;
  readonly b: string;
  /** Undefined for bytes. */
  readonly dtype: DtypeId | undefined;
  readonly tolerance: Tolerance;
}

/** Ranges that are listed at most. */
const LISTED = 10_000;

const comparisons = new WeakMap<MemorySession, LongAnswer<CompareQuestion, Comparison>>();

export function comparisonOf(session: MemorySession): LongAnswer<CompareQuestion, Comparison> {
  const known = comparisons.get(session);
  if (known !== undefined) return known;
  const made = new LongAnswer<CompareQuestion, Comparison>({
    ask: ({ dtype, tolerance, ...sides }, job) =>
      window.gpuIpc.contents.compare({
        ...sides,
        limit: LISTED,
        job,
        ...(dtype !== undefined && { dtype, tolerance }),
      }),
    cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
    keyOf: (question) => JSON.stringify(question),
  });
  comparisons.set(session, made);
  return made;
}

/** A tolerance as it is typed; undefined when it is no number from 0 on. Empty is 0. */
export function parseTolerance(text: string): number | undefined {
  const word = text.trim();
  if (word === '') return 0;
  if (!/^\+?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(word)) return undefined;
  const value = Number(word);
  return Number.isFinite(value) ? value : undefined;
}

/** Whether values of a type may differ by a part of themselves. */
export const hasTolerance = (dtype: DtypeId): boolean => dtypes[dtype].kind !== 'bool';

/** What came of it, in a sentence. Offsets are those of the first side. */
export function outcome(
  { equal, differing, first, ranges, more, bytes, unmatchedBytes }: Comparison,
  { dtype, tolerance, aOffset }: Pick<CompareQuestion, 'dtype' | 'tolerance' | 'aOffset'>,
): { readonly title: string; readonly text: string } {
  const near = dtype !== undefined && (tolerance.absolute > 0 || tolerance.relative > 0);
  const rest = unmatchedBytes === 0 ? '' : ` ${count(unmatchedBytes, 'byte')} have no counterpart on the other side.`;
  if (equal) {
    return {
      title: near ? 'Equal within the tolerance' : 'Equal',
      text: `${count(bytes, 'byte')} compared.${rest}`,
    };
  }
  const what = dtype === undefined ? count(differing, 'byte') : count(differing, `${dtype} value`);
  if (differing === 0) return { title: 'Equal as far as both go', text: `${count(bytes, 'byte')} compared.${rest}` };
  const where = more ? `more than ${formatCount(ranges.length)} places` : count(ranges.length, 'place');
  return {
    title: `${what} ${differing === 1 ? 'differs' : 'differ'}`,
    text: `In ${where}, first at ${hexOffset(aOffset + (first ?? 0))}, of ${formatSize(bytes)} compared.${rest}`,
  };
}
