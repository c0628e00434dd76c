/** Contents of any process of the app, from main: what an id names, and its bytes piece by piece. */
import type { CallValue } from '#contract/calls';
import { fitsIn } from '#contract/ranges';
import { GpuIpcError, type Result } from '#contract/result';
import type { RunningJob } from '#host/contents/jobs';
import { outOfRange } from '#host/problems';
import type { DriverHost } from '../hosts/driver-host';

/** One message: long enough for full speed, short enough that main stands still for a moment only. */
export const PIECE_BYTES = 1024 * 1024;
/** Reads on their way at once. */
const AHEAD = 4;

/** Some bytes of an allocation, a mapping or a snapshot. */
export interface Part {
  readonly host: Pick<DriverHost, 'request'>;
  readonly id: string;
  readonly label: string;
  readonly offset: number;
  readonly length: number;
}

/** @throws GpuIpcError `out-of-range` */
export function checkedRange(
  { label, bytes }: { readonly label: string; readonly bytes: number },
  offset = 0,
  length?: number,
): { offset: number; length: number } {
  const wanted = { offset, length: length ?? bytes - offset };
  if (wanted.length < 1 || !fitsIn(wanted, bytes)) throw outOfRange({ offset, length: length ?? 1 }, label, bytes);
  return wanted;
}

/** All bytes in order; while a piece is used the next ones are on their way. */
export async function* pieces(
  { host, id, offset, length }: Part,
  job: Pick<RunningJob, 'check' | 'unlessEnded'>,
  size = PIECE_BYTES,
): AsyncGenerator<Uint8Array, void, void> {
  const coming: Promise<Result<unknown>>[] = [];
  let asked = 0;
  for (let at = 0; at < length; at += size) {
    job.check();
    while (asked < length && coming.length < AHEAD) {
      const next = { id, offset: offset + asked, length: Math.min(size, length - asked) };
      coming.push(host.request('memory.read', next));
      asked += next.length;
    }
    const result = await job.unlessEnded(coming.shift() as Promise<Result<unknown>>);
    job.check();
    if (!result.ok) throw new GpuIpcError(result.error);
    yield (result.value as CallValue<'memory.read'>).bytes;
  }
}
