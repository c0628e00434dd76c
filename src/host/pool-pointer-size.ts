/** Refuses pointers of pools that the driver would end this process with (docs/driver-facts.md). */
import { decodePoolPointer, poolPointerProblem } from '#contract/pool-pointer-layout';
import type { HostState } from './host-state';
import { unsupported } from './problems';

/**
 * To be called before cuMemPoolImportPointer. The size is known of own exports; of others it is read out of the data, when
 * that looks as it was seen to.
 * @param known  size of the allocation in bytes, where something else than the data says it
 * @throws GpuIpcError `unsupported` when the allocation has more than 4 GiB
 */
export function refuseTooLarge(data: Uint8Array, known?: number): void {
  const bytes = known ?? Number(decodePoolPointer(data)?.allocationBytes ?? 0);
  const problem = poolPointerProblem(bytes);
  if (problem !== undefined) throw unsupported(problem.message, problem.hint);
}

/** Size of what an export of this process stands for, in bytes. */
export function ownBytes({ objects }: HostState, exportId: string | null | undefined): number | undefined {
  const made = exportId == null ? undefined : objects.exports.get(exportId);
  return made === undefined ? undefined : objects.allocations.get(made.record.objectId)?.record.bytes;
}
