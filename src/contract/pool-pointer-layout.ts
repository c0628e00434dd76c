/**
 * What the 64 bytes of cuMemPoolExportPointer hold, as seen on driver 580.159.04. NVIDIA documents none of it. Bytes 0-3
 * are the pid, 8-11 a number that was 1 in each process with one pool, 16-23 a number that grows from one allocation to
 * the next, 24-31 zero for the first allocation of a block, 32-39 its size, 40-43 0x33 and 2 for each 32 MiB of the block.
 * The driver leaves the rest as it was: zero, or what the exporter's memory held (an address, in what cuda.core gave).
 */
import { formatCount, formatSize } from './units';

interface PoolPointerLayout {
  /** The exporter, as its own pid namespace counts. */
  readonly pid: number;
  /** Size of the allocation in bytes, as its exporter asked for it. */
  readonly allocationBytes: bigint;
}

/** Linux counts no higher (PID_MAX_LIMIT). */
const LAST_PID = 2 ** 22;
/** More than any device has. */
const MOST_BYTES = 2n ** 47n;
/** Offset and length of what was zero in all. Not the end: it is not always written. */
const ZEROS = [
  [4, 4],
  [12, 4],
] as const;

/** The fields, when the bytes look like pool pointer data as it was seen; undefined also unless there are 64. */
export function decodePoolPointer(data: Uint8Array): PoolPointerLayout | undefined {
  if (data.byteLength !== 64) return undefined;
  const view = new DataView(data.buffer, data.byteOffset, 64);
  const pid = view.getUint32(0, true);
  const allocationBytes = view.getBigUint64(32, true);
  if (pid === 0 || pid > LAST_PID || view.getUint32(8, true) === 0) return undefined;
  if (allocationBytes === 0n || allocationBytes > MOST_BYTES) return undefined;
  const zero = ZEROS.every(([offset, length]) => data.subarray(offset, offset + length).every((byte) => byte === 0));
  return zero ? { pid, allocationBytes } : undefined;
}

/**
 * The largest allocation of a pool whose pointer was seen to be imported. With 8 GiB and with 16 GiB the driver jumped to
 * address 0 in cuMemPoolImportPointer, which ends the process; between 4 and 8 GiB nothing was tried.
 */
export const MOST_POOL_POINTER_BYTES = 4 * 2 ** 30;

/** Why an allocation of `bytes` bytes must not be imported, and what to do instead; undefined where it may be. */
export function poolPointerProblem(bytes: number): { readonly message: string; readonly hint: string } | undefined {
  if (bytes <= MOST_POOL_POINTER_BYTES) return undefined;
  return {
    message: `This allocation of a pool has ${formatSize(bytes)} (${formatCount(bytes)} bytes). Where one has more than 4 GiB, the driver can crash the process that imports it (seen with 8 GiB in cuMemPoolImportPointer).`,
    hint: 'Share it as virtual memory, or in pieces of at most 4 GiB.',
  };
}
