/**
 * What is asked of whole buffers and what is answered: one pass over the memory on the device that holds it. Offsets are
 * in bytes from the start of the range that was given; the reader of a range sees what the memory holds when the kernel
 * gets there, so memory that is being written gives a mixture of old and new.
 *
 * Element types beyond plain numbers: `bool` is 0 or 1 (any byte that is not 0), `i4` and `u4` are two in a byte, the
 * low half first; the two parts of complex numbers are one stream of `f32` or `f64`, also in the counts.
 */
import type { DtypeId } from '#contract/dtypes';
import type { DevicePtr } from '#native/cuda/index';

/** A range of device memory. Its pointer may have any alignment, but a multiple of 16 is read faster. */
export interface MemoryRange {
  /** Ordinal of the device whose context reads it. */
  readonly device: number;
  readonly pointer: DevicePtr;
  readonly bytes: number;
  /** For the log of calls. */
  readonly label: string;
  readonly objectId?: string;
}

/** Whoever waits for an answer that takes time. */
export interface Job {
  /**
   * Asked directly before each launch and while one runs. Has to be true as soon as the memory is freed or unmapped: a
   * launch on memory that is gone ends CUDA for the process.
   */
  cancelled(): boolean;
  /** Monotone, at most once for each chunk; the last one says that all bytes are done. */
  progress(doneBytes: number, totalBytes: number): void;
  /** Lets other work of the thread have its turn. The kernel runs meanwhile. */
  pause(): Promise<void>;
}

/** A value of a buffer: bigint for `u64` and `i64`, number for all others. */
export type ElementValue = number | bigint;

export interface StatisticsOptions {
  readonly dtype: DtypeId;
  /**
   * How many bins the histogram should have, 0 (none) to 256. Floats get an odd number of bins of one width over the range
   * of a sample of the buffer (one less where `bins` is even), and one at either end for what lies outside of it, so at
   * most two more than asked. Integers get bins whose width is a power of two: one for each value where they fit. Of
   * types of eight bits everything is known, so FP8 gets exactly as many as asked.
   */
  readonly bins: number;
}

export interface BufferStatistics {
  /** Elements: whole ones, bytes after the last whole one are in the checksum only. */
  readonly count: number;
  /** Like NumPy's nanmin and nanmax: infinities count, NaN does not. Undefined when there is nothing but NaN. */
  readonly min: ElementValue | undefined;
  readonly max: ElementValue | undefined;
  /** Of finite elements. Integers: exact, a bigint. Infinite or NaN where it is beyond a double. */
  readonly sum: number | bigint;
  /** Of finite elements; undefined without any, and where the sum is beyond a double. */
  readonly mean: number | undefined;
  /** Of finite elements as the whole population (NumPy's ddof=0); undefined without any, and where squares are too large. */
  readonly std: number | undefined;
  /** Positive and negative zero. */
  readonly zeros: number;
  readonly nans: number;
  readonly positiveInfinities: number;
  readonly negativeInfinities: number;
  /** Below zero: negative infinity, but neither negative zero nor NaN. */
  readonly negatives: number;
  /** Subnormal: closer to zero than the smallest normal number, and not zero. 0 for integers. */
  readonly denormals: number;
  /** Of all bytes, the same whatever the dtype; see docs/kernels.md. 16 lower-case hexadecimal digits. */
  readonly checksum: string;
  /**
   * Of finite elements: `counts[i]` lie in [edges[i], edges[i + 1]), the last bin includes its upper edge, exactly as
   * numpy.histogram counts with these edges. The outer edges are the smallest and the largest finite element. Both are
   * empty when no bins were asked for and when there is no finite element.
   */
  readonly histogram: { readonly edges: readonly ElementValue[]; readonly counts: readonly number[] };
}

export interface CompareOptions {
  /** Without one every byte is compared with its counterpart. */
  readonly dtype?: DtypeId;
  /** An element differs when |a - b| > absolute + relative · |b|. Both 0 unless given; never for bytes. */
  readonly absolute?: number;
  readonly relative?: number;
  /** Whether NaN equals NaN, whatever its bits. True unless given. */
  readonly nanEqual?: boolean;
  /** At most this many ranges are answered. */
  readonly limit: number;
}

export interface ByteSpan {
  readonly offset: number;
  readonly length: number;
}

export interface BufferComparison {
  /** Elements (bytes without a dtype) that were compared. */
  readonly count: number;
  readonly differing: number;
  /** Offset in bytes of the first element that differs. */
  readonly first: number | undefined;
  /** What differs, ascending and never adjacent, at most `limit`. */
  readonly ranges: readonly ByteSpan[];
  /** Whether there are more. */
  readonly more: boolean;
}

/** What to look for: values of a type at multiples of its size from `from` on, bytes at every offset. */
export type SearchQuery =
  /**
   * 1 to 64 bytes; null stands for any byte. `masks`: which bits of each byte count, all of them unless given. `every`:
   * only at multiples of so many bytes from `from` on.
   */
  | { readonly pattern: readonly (number | null)[]; readonly masks?: readonly number[]; readonly every?: number }
  /** `f` numbers are rounded to the type first; zero is found whatever its sign. */
  | { readonly dtype: DtypeId; readonly value: ElementValue }
  /** Both ends included; infinite ends are allowed, and NaN never lies between. */
  | { readonly dtype: DtypeId; readonly min: ElementValue; readonly max: ElementValue }
  | { readonly dtype: DtypeId; readonly is: 'nan' | 'inf' };

export interface SearchOptions {
  readonly query: SearchQuery;
  /** Only what begins at or after `from` and ends at or before `to`; the whole range unless given. */
  readonly from?: number;
  readonly to?: number;
  /** At most this many offsets are answered. */
  readonly limit: number;
  /** The last ones before `to` instead of the first ones from `from` on. */
  readonly backwards?: boolean;
}

export interface SearchResult {
  /** Ascending offsets of what was found; of the two elements in a byte, the byte's (once). */
  readonly hits: readonly number[];
  /** False when the search ended at the limit, so there may be more. */
  readonly done: boolean;
}

export interface SummaryOptions {
  readonly dtype: DtypeId;
  /** 1 to 4096. A few less are answered where slices end at round addresses, or when there are fewer elements. */
  readonly slices: number;
}

export interface SliceSummary {
  readonly offset: number;
  readonly bytes: number;
  readonly count: number;
  /** Infinities count, NaN does not; undefined when there is nothing but NaN. */
  readonly min: ElementValue | undefined;
  readonly max: ElementValue | undefined;
  readonly zeros: number;
  readonly nans: number;
  readonly infinities: number;
}

/**
 * The whole-buffer calls of one host. Every call rejects with GpuIpcError: `cancelled` when the job is, what the driver
 * answered otherwise. Several may run at once; each chunk of one is a launch of a fraction of a second on a stream of
 * their own, and the thread is never blocked for longer than a launch or a small copy takes.
 */
export interface WholeBufferCalls {
  statistics(range: MemoryRange, options: StatisticsOptions, job: Job): Promise<BufferStatistics>;
  /** Two ranges that the context of `a.device` can read. The shorter one says how much is compared. */
  compare(a: MemoryRange, b: MemoryRange, options: CompareOptions, job: Job): Promise<BufferComparison>;
  search(range: MemoryRange, options: SearchOptions, job: Job): Promise<SearchResult>;
  summary(range: MemoryRange, options: SummaryOptions, job: Job): Promise<readonly SliceSummary[]>;
  /** Gives back modules, streams and memory of all devices. What runs ends as `cancelled`. Needs a context that lives. */
  release(): void;
}
