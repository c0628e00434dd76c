/**
 * A range of addresses and what is mapped in it. Between two pieces there is nothing, and a piece may be used only by the
 * devices that were given access to it since it was mapped. The driver answers INVALID_VALUE to both; here it is said
 * which bytes are meant.
 */
import type { ByteRange } from '#contract/ranges';
import type { Chunk } from '#contract/records';
import { GpuIpcError } from '#contract/result';
import { formatCount } from '#contract/units';
import type { Access } from '#contract/values';
import { AccessFlag, type DevicePtr } from '#native/cuda/index';
import type { MemoryTarget, Physical } from './objects';

/** Physical memory at a place of a range. */
export interface Piece {
  readonly offset: number;
  readonly physical: Physical;
  /** What each device may do there; one that is not in it may do nothing. */
  readonly access: Map<number, Access>;
}

/** What is mapped at some bytes of a target, and what the device that the target is used on may do with it. */
export interface Segment extends ByteRange {
  readonly access: Access;
}

export class AddressRange {
  /** In the order of offsets. */
  readonly pieces: Piece[] = [];

  constructor(
    readonly pointer: DevicePtr,
    readonly bytes: number,
  ) {}

  add(offset: number, physical: Physical): void {
    this.pieces.push({ offset, physical, access: new Map() });
    this.pieces.sort((a, b) => a.offset - b.offset);
  }

  remove(piece: Piece): void {
    this.pieces.splice(this.pieces.indexOf(piece), 1);
  }

  /** Stretches without a hole: the driver takes each in one call. */
  runs(): { readonly offset: number; readonly bytes: number }[] {
    const runs: { offset: number; bytes: number }[] = [];
    for (const { offset, physical } of this.pieces) {
      const last = runs.at(-1);
      if (last !== undefined && last.offset + last.bytes === offset) last.bytes += physical.record.bytes;
      else runs.push({ offset, bytes: physical.record.bytes });
    }
    return runs;
  }

  /** For the ledger. */
  chunks(): Chunk[] {
    return this.pieces.map(({ offset, physical: { record } }) => ({
      offset,
      bytes: record.bytes,
      physicalId: record.id,
    }));
  }

  /** What each device may do everywhere in it: where pieces differ, the least. */
  access(): { device: number; access: Access }[] {
    const [first, ...others] = this.pieces;
    return [...(first?.access ?? [])].flatMap(([device, access]) => {
      const least = others.reduce((so, piece) => weaker(so, piece.access.get(device) ?? 'none'), access);
      return least === 'none' ? [] : [{ device, access: least }];
    });
  }

  /** The part of it that a view sees, with offsets in the view. */
  segments(device: number, view: ByteRange): Segment[] {
    return this.pieces.flatMap(({ offset, physical, access }) => {
      const from = Math.max(offset, view.offset);
      const to = Math.min(offset + physical.record.bytes, view.offset + view.length);
      if (from >= to) return [];
      return [{ offset: from - view.offset, length: to - from, access: access.get(device) ?? 'none' }];
    });
  }
}

const strength: Readonly<Record<Access, number>> = { none: 0, read: 1, 'read-write': 2 };
const weaker = (a: Access, b: Access): Access => (strength[a] <= strength[b] ? a : b);

export const accessFlags: Readonly<Record<Access, number>> = {
  none: AccessFlag.NONE,
  read: AccessFlag.READ,
  'read-write': AccessFlag.READWRITE,
};

/**
 * Refuses bytes of virtual memory that are not mapped or that the device may not use, before the driver is asked.
 * @throws GpuIpcError `out-of-range` that names the first such bytes
 */
export function assertUsable(
  { segments, label, device }: Pick<MemoryTarget, 'segments' | 'label' | 'device'>,
  { offset, length }: ByteRange,
  use: 'read' | 'write',
): void {
  if (segments === undefined) return;
  const end = offset + length;
  let at = offset;
  for (const segment of segments) {
    const segmentEnd = segment.offset + segment.length;
    if (segmentEnd <= at) continue;
    if (segment.offset >= end) break;
    if (segment.offset > at) throw notMapped(label, at, segment.offset);
    if (strength[segment.access] < strength[use === 'read' ? 'read' : 'read-write']) {
      throw noAccess(label, device, at, Math.min(segmentEnd, end), segment.access);
    }
    at = segmentEnd;
    if (at >= end) return;
  }
  throw notMapped(label, at, end);
}

const bytes = (from: number, to: number): string => `Bytes ${formatCount(from)} to ${formatCount(to)}`;

function notMapped(label: string, from: number, to: number): GpuIpcError {
  return new GpuIpcError({
    code: 'out-of-range',
    message: `${bytes(from, to)} of ${label} are addresses without memory: nothing is mapped there.`,
    hint: 'Map physical memory there (cuMemMap) and give the device access to it (cuMemSetAccess).',
  });
}

function noAccess(label: string, device: number, from: number, to: number, has: Access): GpuIpcError {
  const may = has === 'read' ? `may only read ${label} there` : `has no access to ${label} there`;
  return new GpuIpcError({
    code: 'out-of-range',
    message: `${bytes(from, to)}: device ${device} ${may}.`,
    hint:
      has === 'read'
        ? 'Let it write too: set access for reading and writing (cuMemSetAccess).'
        : 'Give it access (cuMemSetAccess). What is mapped anew has none.',
  });
}
