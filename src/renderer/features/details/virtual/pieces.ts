/** What a range of addresses consists of, and who has each piece. Pure. */
import type { Chunk, Export } from '#contract/records';
import { formatCount, formatSize } from '#contract/units';
import { count, list } from '../../../lib/format';
import { type Child, type Groups, liveExport, type MemoryGroup, type PhysicalGroup } from '../../../lib/groups';
import type { Ledger } from '../../../lib/ledger';

/** A part of a range: physical memory, or addresses without any. */
export type Segment =
  | { readonly kind: 'piece'; readonly offset: number; readonly bytes: number; readonly physicalId: string }
  | { readonly kind: 'gap'; readonly offset: number; readonly bytes: number };

/** The whole range in order, without holes: pieces and the gaps between them. */
export function segmentsOf(bytes: number, chunks: readonly Chunk[]): readonly Segment[] {
  const segments: Segment[] = [];
  let at = 0;
  for (const chunk of [...chunks].sort((a, b) => a.offset - b.offset)) {
    if (chunk.offset > at) segments.push({ kind: 'gap', offset: at, bytes: chunk.offset - at });
    segments.push({ kind: 'piece', ...chunk });
    at = Math.max(at, chunk.offset + chunk.bytes);
  }
  if (bytes > at) segments.push({ kind: 'gap', offset: at, bytes: bytes - at });
  return segments;
}

/** Who can reach physical memory beside its process: descriptors that are open for it, and who imported it. */
export interface Holds {
  readonly fds: readonly number[];
  /** Whether it travels by a fabric handle, which is no descriptor. */
  readonly fabric: boolean;
  readonly importers: readonly Child[];
}

const openOf = (children: readonly Child[]): readonly Child[] =>
  children.filter(({ record }) => record.state === 'open');

/**
 * Of one piece of a range: the descriptor of its place in the export of the range, those of its own exports, and all
 * who imported the range or the piece.
 */
export function holdsOfPiece(segment: Segment, group: MemoryGroup, ledger: Ledger, groups: Groups): Holds {
  if (segment.kind === 'gap') return { fds: [], fabric: false, importers: [] };
  const own = groups.byId.get(segment.physicalId);
  const exported = liveExport(group);
  const order = (group.allocation?.chunks ?? []).findIndex(({ offset }) => offset === segment.offset);
  const ofRange = exported?.kind === 'memory' ? exported.descriptors?.[order]?.fd : undefined;
  const ofPiece = [...ledger.exports.values()].filter(
    ({ objectId, state }) => objectId === segment.physicalId && state === 'live',
  );
  const importers = [...openOf(group.children), ...(own?.kind === 'physical' ? openOf(own.children) : [])];
  return {
    fds: [...(ofRange === undefined ? [] : [ofRange]), ...fdsOf(ofPiece)],
    fabric: [...ofPiece, ...(exported === undefined ? [] : [exported])].some(({ mechanism }) => mechanism === 'fabric'),
    importers,
  };
}

/** Of physical memory as a whole. */
export const holdsOfPhysical = (group: PhysicalGroup): Holds => {
  const live = group.exports.filter(({ state }) => state === 'live');
  return {
    fds: fdsOf(live),
    fabric: live.some(({ mechanism }) => mechanism === 'fabric'),
    importers: openOf(group.children),
  };
};

const fdsOf = (exports: readonly Export[]): number[] =>
  exports.flatMap(({ descriptors = [] }) => descriptors.map(({ fd }) => fd));

const MIB = 2 ** 20;

/** Where a piece begins, exactly: `+0`, `+2 MiB`, `+1,026 MiB`; in bytes where that is not whole. */
export const offsetText = (offset: number): string =>
  offset % MIB === 0 && offset > 0 ? `+${formatCount(offset / MIB)} MiB` : `+${formatCount(offset)}`;

/** `bytes 0 to 2,097,151`. */
const from = ({ offset, bytes }: { readonly offset: number; readonly bytes: number }): string =>
  `bytes ${formatCount(offset)} to ${formatCount(offset + bytes - 1)}`;

/** The picture of a range in words. `nameOf` gives the name of a physical memory. */
export function rangeWords(
  label: string,
  segments: readonly Segment[],
  nameOf: (physicalId: string) => string,
  holdsOf: (segment: Segment) => string,
): string {
  const pieces = segments.filter(({ kind }) => kind === 'piece').length;
  if (pieces === 0) return `${label}: addresses without memory.`;
  const parts = segments.map((segment) =>
    segment.kind === 'gap'
      ? `${from(segment)} are not mapped`
      : `${from(segment)} are ${nameOf(segment.physicalId)}, ${formatSize(segment.bytes)}${holdsOf(segment)}`,
  );
  return `${label} has ${count(pieces, 'piece')} of physical memory: ${parts.join('; ')}.`;
}

/** `, descriptor 32 open, imported by Consumer 1`; empty when nobody else can reach it. */
export function holdsWords({ fds, fabric, importers }: Holds, nameOfPeer: (peerId: string) => string): string {
  const names = [...new Set(importers.map(({ record }) => nameOfPeer(record.peerId)))];
  return [
    fds.length > 0 && `, ${fds.length === 1 ? 'descriptor' : 'descriptors'} ${list(fds.map(String))} open`,
    fabric && ', fabric handle exported',
    names.length > 0 && `, imported by ${list(names)}`,
  ]
    .filter(Boolean)
    .join('');
}
