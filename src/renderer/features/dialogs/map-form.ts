/** Where physical memory fits into a range. Pure. */
import type { Allocation, Chunk, Physical } from '#contract/records';
import { formatCount, formatSize } from '#contract/units';

/** The first offset with room for `bytes`; undefined when there is none. */
export function firstRoom(range: Pick<Allocation, 'bytes' | 'chunks'>, bytes: number): number | undefined {
  let at = 0;
  for (const chunk of sorted(range.chunks ?? [])) {
    if (chunk.offset - at >= bytes) return at;
    at = Math.max(at, chunk.offset + chunk.bytes);
  }
  return range.bytes - at >= bytes ? at : undefined;
}

/** Why memory of this size cannot be mapped there; undefined when it can. */
export function mapProblem(
  range: Pick<Allocation, 'bytes' | 'chunks' | 'label'>,
  physical: Pick<Physical, 'bytes'>,
  offset: number,
  granularity: number | undefined,
): string | undefined {
  if (granularity !== undefined && offset % granularity !== 0)
    return `An offset is a multiple of ${formatSize(granularity)}, the granularity.`;
  const end = offset + physical.bytes;
  if (end > range.bytes)
    return `It needs ${formatSize(physical.bytes)} from there, and ${range.label} has ${formatSize(Math.max(0, range.bytes - offset))}.`;
  const taken = (range.chunks ?? []).find((chunk) => chunk.offset < end && offset < chunk.offset + chunk.bytes);
  return taken === undefined
    ? undefined
    : `Something is mapped there already, at ${formatCount(taken.offset)} to ${formatCount(taken.offset + taken.bytes - 1)}.`;
}

const sorted = (chunks: readonly Chunk[]): readonly Chunk[] => [...chunks].sort((a, b) => a.offset - b.offset);
