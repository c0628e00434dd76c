/** Who has whose memory or event open: joins the ledger's tables for the two demo windows. Pure. */
import type { Allocation, EventImport, Export, Mapping, Peer } from '#contract/records';

/** The tables these joins read, as plain lists. */
export interface LedgerLists {
  readonly peers: readonly Peer[];
  readonly allocations: readonly Allocation[];
  readonly exports: readonly Export[];
  readonly mappings: readonly Mapping[];
  readonly eventImports: readonly EventImport[];
}

/** One process that has an object of another one open. */
export interface Holder {
  readonly peerId: string;
  /** `Consumer 1`; `pid 812` for a process that this app did not start and whose name is not known. */
  readonly name: string;
  readonly pid: number | null;
  /** How often it has opened the object and not closed it; an imported event counts each import as one. */
  readonly references: number;
}

const EXPORT_ORDER = (a: { peerId: string }, b: { peerId: string }) =>
  a.peerId.localeCompare(b.peerId, 'en', { numeric: true });

/** Adds up `references` per process, in the order of the peers' ids. */
function sum(rows: readonly { peerId: string; references: number }[], peers: readonly Peer[]): Holder[] {
  const byPeer = new Map<string, number>();
  for (const row of rows) byPeer.set(row.peerId, (byPeer.get(row.peerId) ?? 0) + row.references);
  return [...byPeer]
    .map(([peerId, references]) => {
      const peer = peers.find((candidate) => candidate.id === peerId);
      return { peerId, references, pid: peer?.pid ?? null, name: peer?.name ?? 'a process not known here' };
    })
    .sort(EXPORT_ORDER);
}

/** Processes that have a mapping of this allocation open. Closed mappings and those of ended processes do not count. */
export function holdersOf(allocationId: string, lists: LedgerLists): Holder[] {
  const exported = new Set(lists.exports.filter((row) => row.objectId === allocationId).map((row) => row.id));
  const open = lists.mappings.filter(
    (row) =>
      row.state === 'open' && row.exportId !== null && exported.has(row.exportId) && isThere(row.peerId, lists.peers),
  );
  return sum(open, lists.peers);
}

/** Processes that have this event imported. */
export function waitersOf(eventId: string, lists: LedgerLists): Holder[] {
  const exported = new Set(lists.exports.filter((row) => row.objectId === eventId).map((row) => row.id));
  const open = lists.eventImports
    .filter(
      (row) =>
        row.state === 'open' && row.exportId !== null && exported.has(row.exportId) && isThere(row.peerId, lists.peers),
    )
    .map((row) => ({ peerId: row.peerId, references: 1 }));
  return sum(open, lists.peers);
}

/** Something a process left behind that others still hold. */
export interface LeftBehind {
  readonly allocationId: string;
  readonly label: string;
  readonly bytes: number;
  readonly holders: readonly Holder[];
}

/** What others still hold of the memory of an ended process (or of all those that were restarted into `peerId`). */
export function leftBehind(peerId: string, lists: LedgerLists): LeftBehind[] {
  const owners = new Set([peerId, ...predecessors(peerId, lists.peers)]);
  return lists.allocations
    .filter((row) => owners.has(row.peerId) && row.state !== 'live')
    .map((row) => ({ allocationId: row.id, label: row.label, bytes: row.bytes, holders: holdersOf(row.id, lists) }))
    .filter((row) => row.holders.length > 0);
}

/** Ids of the peers that were restarted into this one, newest first. */
export function predecessors(peerId: string, peers: readonly Peer[]): string[] {
  const found: string[] = [];
  let current: string | undefined = peerId;
  while (current !== undefined) {
    const successor: string = current;
    current = peers.find((peer) => peer.replacedBy === successor && !found.includes(peer.id))?.id;
    if (current !== undefined) found.push(current);
  }
  return found;
}

function isThere(peerId: string, peers: readonly Peer[]): boolean {
  const state = peers.find((peer) => peer.id === peerId)?.state;
  return state !== 'lost' && state !== 'exited';
}
