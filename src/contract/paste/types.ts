/** What a pasted text turns out to hold. */
import type { DtypeId } from '#contract/dtypes';
import type { HandleForm } from '#contract/handle-text';
import type { Segments } from './segments';
import type { Token } from './tokens';

/**
 * Besides the forms of a lone handle: `c-string` (octal or \x escapes in quotes: C, gdb, protobuf text), `dump` (rows
 * with addresses: xxd, hexdump, od, gdb's x) and `json` (a share descriptor).
 */
export type PasteForm = HandleForm | 'c-string' | 'dump' | 'json';

/**
 * - `cuda-ipc-memory`, `cuda-ipc-event`: CUipcMemHandle, CUipcEventHandle
 * - `cuda-pool-pointer`: CUmemPoolPtrExportData; means nothing without the pool's file descriptor
 * - `pytorch-storage`: a CUipcMemHandle with all that PyTorch says beside it
 * - `pytorch-expandable`: PyTorch memory in expandable segments: file descriptors of its process, no handle
 * - `descriptor`: a share descriptor of any mechanism
 * - `unknown-handle`: 64 bytes in none of the layouts that were observed
 */
export type PastedKind =
  | 'cuda-ipc-memory'
  | 'cuda-ipc-event'
  | 'cuda-pool-pointer'
  | 'pytorch-storage'
  | 'pytorch-expandable'
  | 'descriptor'
  | 'unknown-handle';

/** What a text says of the data beside the handle. Sizes and offsets in bytes. */
export interface SaidOfData {
  /** Device number in the exporter's process. */
  readonly device?: number;
  /** Where the data begins in the allocation. */
  readonly offset?: number;
  /** Bytes of the data. */
  readonly size?: number;
  readonly dtype?: DtypeId;
  readonly shape?: number[];
  /** In elements. */
  readonly strides?: number[];
  /** The event to wait for before reading. */
  readonly eventHandle?: Uint8Array<ArrayBuffer>;
  /** PyTorch: whether the event was recorded, so that waiting for it is needed. */
  readonly eventSyncRequired?: boolean;
  /** PyTorch: name of the shared memory that holds its reference counts, and the byte offset of this one's. */
  readonly refCounterFile?: string;
  readonly refCounterOffset?: number;
}

export interface PastedItem extends SaidOfData {
  readonly kind: PastedKind;
  /** The 64 bytes; `null` for what travels by file descriptors alone: virtual memory, PyTorch's expandable segments. */
  readonly handle: Uint8Array<ArrayBuffer> | null;
  /** What it is, for people: `PyTorch _share_cuda_() tuple`. */
  readonly source: string;
  readonly form: PasteForm;
  /** Where it stands in the text: UTF-16 units, the end not included. */
  readonly start: number;
  readonly end: number;
  /** As the text says, or from the bytes when they have the observed layout: then it counts only where that was checked. */
  readonly pid?: number;
  /** As `pid`. */
  readonly allocationSize?: number;
  /** From the bytes, as `pid`: where the allocation begins in the driver's block. */
  readonly offsetInBlock?: number;
  /** Of `pytorch-expandable`: bytes of each segment, and their file descriptors as `pid` counts them, in address order. */
  readonly segmentBytes?: number;
  readonly fds?: number[];
  /** Of `descriptor`: its text as printDescriptor writes it. */
  readonly descriptor?: string;
}

export interface PasteProblem {
  /** A sentence for people. */
  readonly message: string;
  /** What makes no sense: UTF-16 units, the end not included; both are the length where the text ends too early. */
  readonly start: number;
  readonly end: number;
}

/** Both in the order of the text. At least one of them is not empty. */
export interface Pasted {
  readonly items: PastedItem[];
  readonly problems: PasteProblem[];
}

/** A text cut into tokens. */
export interface Cut {
  readonly text: string;
  readonly tokens: readonly Token[];
}

/** What a reader finds at a token. `next`: the first token after it. */
export interface Found<T> {
  readonly next: number;
  readonly items: readonly T[];
  readonly problems: readonly PasteProblem[];
}

/** 64 bytes, or what stands in their place, and where. */
export interface FoundBytes {
  /** `null` where there are `segments` instead. */
  readonly handle: Uint8Array<ArrayBuffer> | null;
  readonly segments?: Segments;
  readonly form: PasteForm;
  readonly start: number;
  readonly end: number;
  /** What they were in, for people: `gdb`; undefined for a plain form. */
  readonly tool?: string;
  /** They stood after PyTorch's two bytes. */
  readonly fromPyTorch?: boolean;
}
