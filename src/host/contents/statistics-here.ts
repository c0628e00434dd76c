/** Statistics of a snapshot, on the CPU: piece by piece, in turns with other work. */
import { CpuStatistics } from '../kernels/statistics-cpu';
import type { BufferStatistics, StatisticsOptions } from '../kernels/types';
import type { Arena } from './arena';
import type { Copies } from './copies';
import type { RunningJob } from './jobs';
import type { SnapshotPart } from './parts';
import { inTurns } from './turns';

/** A multiple of 16, and so few that a piece of any type takes a few milliseconds at most. */
const SLICE_BYTES = 32 * 1024;

export async function statisticsHere(
  { copies, arena }: { readonly copies: Copies; readonly arena: Arena },
  part: SnapshotPart,
  options: StatisticsOptions,
  job: RunningJob,
): Promise<BufferStatistics> {
  const turn = inTurns(job);
  const statistics = await CpuStatistics.over(part.length, options, async (offset, length) => {
    await turn();
    return part.read(offset, length);
  });
  let done = 0;
  for await (const bytes of part.pieces(copies, arena, job)) {
    for (let at = 0; at < bytes.byteLength; at += SLICE_BYTES) {
      statistics.add(bytes.subarray(at, at + SLICE_BYTES));
      await turn();
    }
    done += bytes.byteLength;
    job.progress(done, part.length);
  }
  return statistics.result();
}
