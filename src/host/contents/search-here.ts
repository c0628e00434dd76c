/** Searching a snapshot, or memory that was copied, on the CPU: piece by piece, in turns with other work. */
import type { ByteOrder } from '#contract/decode-values';
import { matcherOf } from '../kernels/search-cpu';
import type { SearchQuery, SearchResult } from '../kernels/types';
import { type Arena, BLOCK_BYTES } from './arena';
import type { Copies } from './copies';
import type { RunningJob } from './jobs';
import type { MemoryPart, SnapshotPart } from './parts';
import { inTurns } from './turns';

interface HereOptions {
  readonly query: SearchQuery;
  readonly order: ByteOrder;
  readonly limit: number;
  readonly backwards: boolean;
}

/** Bytes that are looked at between two looks at the clock. */
const SLICE_BYTES = 64 * 1024;

/** As the search of the kernels answers, offsets from the beginning of the part. */
export async function searchHere(
  { copies, arena }: { readonly copies: Copies; readonly arena: Arena },
  part: MemoryPart | SnapshotPart,
  { query, order, limit, backwards }: HereOptions,
  job: RunningJob,
): Promise<SearchResult> {
  const matcher = matcherOf(query, order);
  if (matcher === undefined || matcher.bytes > part.length) return { hits: [], done: true };
  const { bytes: size, step } = matcher;
  const hits: number[] = [];
  let looked = 0;
  const turn = inTurns(job);
  for await (const { at, bytes } of windows(part, size - 1, backwards, { copies, arena, job })) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    // Places in this piece; those that begin in the bytes it shares with the next one are the next one's.
    const places = Math.floor((Math.min(BLOCK_BYTES - 1, bytes.byteLength - size) + step) / step);
    const slice = SLICE_BYTES / step;
    for (let first = 0; first < places; first += slice) {
      const [from, to] = backwards
        ? [Math.max(0, places - first - slice), places - first]
        : [first, Math.min(places, first + slice)];
      for (let index = from; index < to; index++) {
        const place = backwards ? to - 1 - (index - from) : index;
        if (!matcher.at(view, place * step)) continue;
        if (hits.length === limit) return answer(hits, false, backwards);
        hits.push(at + place * step);
      }
      await turn();
    }
    looked += Math.min(BLOCK_BYTES, bytes.byteLength);
    job.progress(Math.min(part.length, looked), part.length);
  }
  return answer(hits, true, backwards);
}

const answer = (hits: number[], done: boolean, backwards: boolean): SearchResult => ({
  hits: backwards ? hits.reverse() : hits,
  done,
});

interface Window {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** Pieces of a block each, from either end, with so many bytes of the next one as may belong to what begins in it. */
async function* windows(
  part: MemoryPart | SnapshotPart,
  shared: number,
  backwards: boolean,
  { copies, arena, job }: { readonly copies: Copies; readonly arena: Arena; readonly job: RunningJob },
): AsyncGenerator<Window, void, void> {
  if (!backwards && !('read' in part)) {
    let at = 0;
    for await (const bytes of part.pieces(copies, arena, job)) {
      yield { at, bytes };
      at += bytes.byteLength;
    }
    return;
  }
  const count = Math.ceil(part.length / BLOCK_BYTES);
  for (let turn = 0; turn < count; turn++) {
    job.check();
    const at = (backwards ? count - 1 - turn : turn) * BLOCK_BYTES;
    const length = Math.min(BLOCK_BYTES, part.length - at);
    if ('read' in part) yield { at, bytes: await part.read(at, Math.min(length + shared, part.length - at)) };
    // Values of memory: none reaches into the next block.
    else for await (const bytes of part.part(at, length).pieces(copies, arena, job)) yield { at, bytes };
  }
}
