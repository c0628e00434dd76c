/** The next place in a whole memory where something is, round the end. Knows nothing of windows or React. */
import type { CallArgs, CallValue } from '#contract/calls';
import type { Query } from '#contract/calls/contents';
import type { ByteOrder } from '#contract/decode-values';
import { type DtypeId, dtypes, isFloat } from '#contract/dtypes';
import { floatFormats } from '#contract/float-bits';
import { ok, type Result } from '#contract/result';

/** What is looked for: any of some queries whose hits have one length. */
export interface Wanted {
  readonly queries: readonly Query[];
  /** Bytes of a hit. */
  readonly bytes: number;
  /** Hits begin at multiples of their length only. */
  readonly aligned: boolean;
}

/** Values that statistics count, and that can be gone to. */
export type ValueKind = 'nan' | 'inf' | 'denormal' | 'zero' | 'negative';

type Search = (args: CallArgs<'contents.search'>) => Promise<Result<CallValue<'contents.search'>>>;

export interface Place {
  readonly offset: number;
  /** It lies on the other side of the end (or of the beginning) of the memory. */
  readonly wrapped: boolean;
}

/** How queries say in which order of bytes values lie: nothing where it is the usual one, or means nothing. */
export const inOrder = (order: ByteOrder, dtype: DtypeId): { readonly byteOrder?: 'big' } =>
  order === 'big' && dtypes[dtype].bytes > 1 ? { byteOrder: 'big' } : {};

/** Elements of a type with a value of a kind; undefined when the type has none of them. */
export function kindWanted(kind: ValueKind, dtype: DtypeId, order: ByteOrder = 'little'): Wanted | undefined {
  const part = dtypes[dtype].part ?? dtype;
  const { bytes } = dtypes[part];
  const float = isFloat(part);
  const values = (...queries: readonly Exclude<Query, { bytes: string }>[]): Wanted => ({
    queries: queries.map((query) => ({ ...query, ...inOrder(order, part) })),
    bytes,
    aligned: true,
  });
  if (kind === 'zero') return values({ dtype: part, value: 0 });
  if (kind === 'nan' || kind === 'inf') return float ? values({ dtype: part, is: kind }) : undefined;
  if (kind === 'negative') {
    if (float) return values({ dtype: part, min: '-inf', max: -leastDenormal(part) });
    return dtypes[part].kind === 'signed' ? values({ dtype: part, min: '-9223372036854775808', max: -1 }) : undefined;
  }
  if (!float) return undefined;
  const [least, most] = [leastDenormal(part), mostDenormal(part)];
  return values({ dtype: part, min: least, max: most }, { dtype: part, min: -most, max: -least });
}

const leastDenormal = (dtype: keyof typeof floatFormats): number => {
  const { bias, fractionBits } = floatFormats[dtype];
  return 2 ** (1 - bias - fractionBits);
};
const mostDenormal = (dtype: keyof typeof floatFormats): number => {
  const { bias, fractionBits } = floatFormats[dtype];
  return 2 ** (1 - bias) * (1 - 2 ** -fractionBits);
};

/**
 * The next place after `from` (or the last one before it), else the first after the other end, `from` itself last. The
 * value is undefined when there is none anywhere.
 */
export async function findNext(
  search: Search,
  { id, size, job }: { readonly id: string; readonly size: number; readonly job: string },
  wanted: Wanted,
  from: number,
  direction: 1 | -1,
): Promise<Result<Place | undefined>> {
  const { bytes, aligned } = wanted;
  // Where the first hit after `from` may begin, and where the last one before it has to have ended.
  const after = aligned ? Math.floor(from / bytes) * bytes + bytes : from + 1;
  const before = Math.min(size, aligned ? Math.ceil(from / bytes) * bytes : from + bytes - 1);
  const ways =
    direction > 0
      ? [
          { from: after, to: size },
          { from: 0, to: Math.min(size, after + bytes - 1) },
        ]
      : [
          { from: 0, to: before },
          { from: aligned ? Math.floor(from / bytes) * bytes : from, to: size },
        ];
  for (const [turn, range] of ways.entries()) {
    if (range.to - range.from < bytes) continue;
    const found: number[] = [];
    for (const query of wanted.queries) {
      const result = await search({ id, query, ...range, limit: 1, backwards: direction < 0, job });
      if (!result.ok) return result;
      found.push(...result.value.hits);
    }
    if (found.length === 0) continue;
    return ok({ offset: direction > 0 ? Math.min(...found) : Math.max(...found), wrapped: turn === 1 });
  }
  return ok(undefined);
}
