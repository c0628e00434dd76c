/** A whole memory in equal parts: what the map shows. Asked for once for a memory and type, and again on request. */
import type { CallValue } from '#contract/calls';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { formatSize } from '#contract/units';
import { LongAnswer } from './long-answer';
import type { MemorySession } from './memory-session';
import { isSoon, measured } from './pace';

export type Summary = CallValue<'contents.summary'>;
export type Slice = Summary['slices'][number];

/** Parts of a map: as many as the longest map has pixels for. */
const SLICES = 512;

type Question = { readonly dtype: DtypeId };

const summaries = new WeakMap<MemorySession, LongAnswer<Question, Summary>>();

/** The summaries of a memory. */
export function summaryOf(session: MemorySession): LongAnswer<Question, Summary> {
  const known = summaries.get(session);
  if (known !== undefined) return known;
  const made = new LongAnswer<Question, Summary>({
    ask: async ({ dtype }, job) => {
      const slices = Math.max(1, Math.min(SLICES, Math.floor(session.size / dtypes[dtype].bytes)));
      const result = await window.gpuIpc.contents.summary({ id: session.source.id, dtype, slices, job });
      if (result.ok) measured(session.size, result.value.tookMs);
      return result;
    },
    cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
    keyOf: ({ dtype }) => dtype,
  });
  summaries.set(session, made);
  return made;
}

/** Asks for the map of the type in use where that is soon done and nobody has asked yet. */
export function askSoon(session: MemorySession): void {
  const summary = summaryOf(session);
  const question = { dtype: session.dtype };
  if (!session.ended && !summary.isSettled(question) && isSoon(session.size)) void summary.ask(question);
}

// ---------------------------------------------------------------- what it looks like

/** Share of zeros from which a part counts as empty. */
const EMPTY_SHARE = 0.999;

/** The scale spans at least so many doublings. */
const OCTAVES = 4;

export interface MapPart {
  readonly offset: number;
  readonly bytes: number;
  /** Size of the values, 0 (nothing but zeros) to 4, on a logarithmic scale between the parts. */
  readonly level: 0 | 1 | 2 | 3 | 4;
  /** 0 to 1. */
  readonly zeroShare: number;
  /** It has NaN or infinities. */
  readonly notFinite: boolean;
}

/** Parts with the largest of their values compared to those of the others. */
export function mapParts(slices: readonly Slice[]): MapPart[] {
  const sizes = slices.map(({ min, max }) => Math.max(Math.abs(min ?? 0), Math.abs(max ?? 0)));
  const some = sizes.filter((size) => size > 0 && Number.isFinite(size));
  const high = Math.log2(Math.max(...some));
  // Parts that are nearly alike look alike.
  const low = Math.min(high - OCTAVES, Math.log2(Math.min(...some)));
  return slices.map(({ offset, bytes, zeros, nans, infs, count }, i) => {
    const zeroShare = count === 0 ? 0 : zeros / count;
    const size = sizes[i] as number;
    const notFinite = nans + infs > 0;
    if (size === 0 || zeroShare >= EMPTY_SHARE) return { offset, bytes, level: 0, zeroShare, notFinite };
    const place = Number.isFinite(size) ? (Math.log2(size) - low) / (high - low) : 1;
    const level = (1 + Math.min(3, Math.floor(place * 4))) as 1 | 2 | 3 | 4;
    return { offset, bytes, level, zeroShare, notFinite };
  });
}

/** What the map shows, in words. `sizeText` is the size of the memory. */
export function mapWords(parts: readonly MapPart[], sizeText: string): string {
  const empty = parts.filter(({ level }) => level === 0).length;
  const bad = parts.filter(({ notFinite }) => notFinite).length;
  const zero =
    empty === parts.length
      ? 'all of it is zero'
      : empty === 0
        ? 'no part is zero'
        : `${Math.min(99, Math.max(1, Math.round((empty / parts.length) * 100)))} % of its parts are zero`;
  const nan = bad === 0 ? 'no NaN or infinity' : `NaN or infinity in ${bad} of ${parts.length} parts`;
  return `Map of ${sizeText}: ${zero}, ${nan}`;
}

/** A size for the end of the map, which has room for a few characters: rounded, whole from 10 on. */
export function endLabel(bytes: number): string {
  const [number = '', unit = ''] = formatSize(bytes).split(' ');
  const value = Number(number.replace(/,/g, ''));
  return `${value >= 10 ? Math.round(value) : Math.round(value * 10) / 10} ${unit}`;
}
