/**
 * PyTorch's expandable segments: virtual memory whose physical pieces travel by file descriptors. PyTorch sends a version
 * (2) and a type ('e'), then what ExpandableSegment::share writes (c10/cuda/CUDACachingAllocator.cpp), little-endian:
 *
 *   0  pid_t    pid, and 4 bytes of padding, which older versions do not set to zero
 *   8  size_t   bytes of one segment
 *  16  size_t   how many segments follow
 *  24  int each a file descriptor as the exporter's process counts, in address order
 *
 * The device is not among them, and the offset and size of the data stand outside: in the tuple around the bytes.
 */
import { printDescriptor } from '#contract/descriptor';
import type { PastedItem } from './types';

const VERSION_AND_TYPE = 2;
const HEADER = 24;
const FABRIC_BYTES = 64;
/** Linux counts no higher (PID_MAX_LIMIT). */
const LAST_PID = 2 ** 22;
/** As many as a share descriptor holds. */
const MOST_SEGMENTS = 512;

export interface Segments {
  readonly pid: number;
  readonly segmentBytes: number;
  readonly fds: number[];
}

/** Whether bytes begin as PyTorch's expandable segments do. */
export const beginsSegments = (bytes: ArrayLike<number>): boolean => bytes[0] === 2 && bytes[1] === 0x65;

const OTHERWISE = 'Start the exporter with PYTORCH_CUDA_ALLOC_CONF=expandable_segments:False.';

/** What the bytes say, or a sentence for people that says why they cannot be used. */
export function readSegments(bytes: ArrayLike<number>): Segments | string {
  const data = Uint8Array.from(bytes).subarray(VERSION_AND_TYPE);
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const broken = 'This begins like PyTorch’s expandable segments, but its header does not fit what follows it.';
  if (data.length <= HEADER) return broken;
  const pid = view.getUint32(0, true);
  const segmentBytes = Number(view.getBigUint64(8, true));
  const count = Number(view.getBigUint64(16, true));
  const total = segmentBytes * count;
  if (pid === 0 || pid > LAST_PID || total === 0 || !Number.isSafeInteger(total)) return broken;
  if (data.length === HEADER + FABRIC_BYTES * count) {
    return `This is PyTorch memory in expandable segments that travel by fabric handles, which are read from share descriptors only. ${OTHERWISE}`;
  }
  if (data.length !== HEADER + 4 * count) return broken;
  if (count > MOST_SEGMENTS) {
    return `This is PyTorch memory in ${count} expandable segments, and at most ${MOST_SEGMENTS} are opened together. ${OTHERWISE}`;
  }
  const fds = Array.from({ length: count }, (_, index) => view.getInt32(HEADER + 4 * index, true));
  return fds.every((fd) => fd >= 0) ? { pid, segmentBytes, fds } : broken;
}

/** What of an item its descriptor is made of. */
type Described = Pick<PastedItem, 'pid' | 'segmentBytes' | 'fds' | 'offset' | 'size'> & { readonly kind: string };

/**
 * The share descriptor that opens an item of kind `pytorch-expandable`; undefined for any other.
 * @param uuid of the device that the memory is on, as `cuDeviceGetUuid_v2` names it: the text does not say it
 */
export function segmentsDescriptor(item: Described, uuid: string): string | undefined {
  const { pid, segmentBytes, fds, offset = 0 } = item;
  if (item.kind !== 'pytorch-expandable' || pid === undefined || segmentBytes === undefined || fds === undefined) {
    return undefined;
  }
  const allocationSize = segmentBytes * fds.length;
  return printDescriptor({
    format: 'gpu-ipc-descriptor',
    version: 1,
    mechanism: 'virtual',
    descriptors: fds.map((fd) => ({ fd, bytes: segmentBytes })),
    exporter: { pid },
    device: { uuid },
    offset,
    size: item.size ?? Math.max(0, allocationSize - offset),
    allocationSize,
  });
}
