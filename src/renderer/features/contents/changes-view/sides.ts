/** What can be compared: memory of any process of this app, and snapshots; and which bytes of two of them belong together. Pure. */
import type { ContentSnapshot } from '#contract/calls/contents';
import { formatSize } from '#contract/units';
import type { Ledger } from '../../../lib/ledger';
import { placeOf } from '../model/memory-place';

export interface Side {
  /** For contents.compare. */
  readonly id: string;
  /** The object of the ledger that has the bytes: of a snapshot what it was taken of. */
  readonly objectId: string;
  readonly name: string;
  readonly detail: string;
  readonly kind: 'memory' | 'snapshot';
  /** The same for everything that shows bytes of the same memory. */
  readonly root: string;
  /** Where its first byte lies in that memory. */
  readonly base: number;
  readonly bytes: number;
  /** Whether its bytes can be read in this window: a snapshot, or open in this process. */
  readonly readable: boolean;
}

/** Live allocations and open mappings, own ones first, and all snapshots, newest first. */
export function sidesOf(ledger: Ledger, snapshots: readonly ContentSnapshot[], selfId: string): Side[] {
  const nameOf = (peerId: string) => ledger.peers.get(peerId)?.name ?? 'a process that is gone';
  const memory: (Side & { readonly own: boolean })[] = [];
  for (const { id, peerId, label, bytes, state } of ledger.allocations.values()) {
    if (state !== 'live') continue;
    const own = peerId === selfId;
    memory.push({
      id,
      objectId: id,
      name: `${label || 'buffer'}, ${own ? 'live' : nameOf(peerId)}`,
      detail: formatSize(bytes),
      kind: 'memory',
      ...placeOf(ledger, id),
      bytes,
      readable: own,
      own,
    });
  }
  for (const { id, peerId, label, bytes, state, exportId } of ledger.mappings.values()) {
    if (state !== 'open') continue;
    const own = peerId === selfId;
    const exported = exportId === null ? undefined : ledger.exports.get(exportId);
    const of = label || (exported && ledger.allocations.get(exported.objectId)?.label) || 'mapping';
    memory.push({
      id,
      objectId: id,
      name: `${of}, ${own ? 'live through Inspector' : `as ${nameOf(peerId)} has it`}`,
      detail: formatSize(bytes),
      kind: 'memory',
      ...placeOf(ledger, id),
      bytes,
      readable: own,
      own,
    });
  }
  memory.sort((a, b) => Number(b.own) - Number(a.own));
  const taken = snapshots.toReversed().map(({ id, name, objectId, label, offset, bytes }): Side => {
    const { root, base } = placeOf(ledger, objectId);
    return {
      id,
      objectId,
      name: `${name}, snapshot`,
      detail: `${label || 'memory'}, ${formatSize(bytes)}`,
      kind: 'snapshot',
      root,
      base: base + offset,
      bytes,
      readable: true,
    };
  });
  return [...memory.map(({ own: _own, ...side }) => side), ...taken];
}

export interface Pairing {
  readonly aOffset: number;
  readonly bOffset: number;
  readonly length: number;
}

/** The bytes that two sides have in common: the same places of the same memory, or both from the first byte on. */
export function pair(a: Side, b: Side): Pairing | undefined {
  if (a.root !== b.root) return { aOffset: 0, bOffset: 0, length: Math.min(a.bytes, b.bytes) };
  const start = Math.max(a.base, b.base);
  const length = Math.min(a.base + a.bytes, b.base + b.bytes) - start;
  return length > 0 ? { aOffset: start - a.base, bOffset: start - b.base, length } : undefined;
}

/**
 * What is compared at first: the newest snapshot of the memory, or else another process's view of it, with the memory
 * as it is now.
 */
export function firstPair(sides: readonly Side[], id: string): { a: string | undefined; b: string | undefined } {
  const live = sides.find((side) => side.id === id);
  const others = sides.filter((side) => side !== live);
  const same = others.filter(({ root }) => root === live?.root);
  const first = same.find(({ kind }) => kind === 'snapshot') ?? same[0] ?? others[0];
  return { a: first?.id, b: live?.id };
}
