/** What a consumer window shows about memory and events of other processes, read from the ledger. Pure. */
import type { EventImport, EventRecord, Export, Mapping, Peer } from '#contract/records';
import type { LedgerLists } from '../../ui/demo/holding';

export type ConsumerLists = LedgerLists & { readonly events: readonly EventRecord[] };

/** Something that can be opened, or is open already. */
export interface Offer {
  /** The id of the export; of the mapping where no process of this app made the export. */
  readonly key: string;
  readonly exportId: string | undefined;
  readonly label: string;
  readonly bytes: number;
  readonly owner: Peer | undefined;
  /** `unknown`: exported outside this app, and nobody can say whether its memory is still there. */
  readonly state: Export['state'] | 'unknown';
  /** Own mapping of it, while open. */
  readonly mapping: Mapping | undefined;
}

/**
 * Memory that others export and that is still there, and whatever this process has open. `keep` stays in the list
 * although it can no longer be opened, so that a choice does not vanish while a person looks at it.
 */
export function offers(selfPeerId: string, lists: ConsumerLists, keep?: string): Offer[] {
  const peer = (id: string | null) => (id === null ? undefined : lists.peers.find((row) => row.id === id));
  const open = lists.mappings.filter((row) => row.peerId === selfPeerId && row.state === 'open');

  const exported = lists.exports
    .filter((row) => row.kind === 'memory' && row.peerId !== selfPeerId)
    .map((row): Offer => {
      const allocation = lists.allocations.find((candidate) => candidate.id === row.objectId);
      const mapping = open.find((candidate) => candidate.exportId === row.id);
      return {
        key: row.id,
        exportId: row.id,
        label: allocation?.label || mapping?.label || row.objectId,
        bytes: allocation?.bytes ?? mapping?.allocationBytes ?? 0,
        owner: peer(row.peerId),
        state: row.state,
        mapping,
      };
    })
    .filter((row) => row.state === 'live' || row.mapping !== undefined || row.key === keep);

  const known = new Set(exported.map((row) => row.exportId));
  const outside = open
    .filter((row) => row.exportId === null || !known.has(row.exportId))
    .map(
      (row): Offer => ({
        key: row.id,
        exportId: row.exportId ?? undefined,
        label: row.label || 'pasted handle',
        bytes: row.allocationBytes,
        owner: peer(row.exporterPeerId),
        state: row.exporter === 'alive' ? 'live' : row.exporter,
        mapping: row,
      }),
    );
  return [...exported, ...outside];
}

/** An event that the exporter of the chosen memory offers, with the own import of it once opened. */
export interface EventOffer {
  readonly exportId: string;
  readonly label: string;
  readonly state: Export['state'];
  readonly imported: EventImport | undefined;
}

/** Event exports of one process: the live ones, and those this process has open. */
export function eventOffers(
  selfPeerId: string,
  exporterPeerId: string | undefined,
  lists: ConsumerLists,
): EventOffer[] {
  return lists.exports
    .filter((row) => row.kind === 'event' && row.peerId === exporterPeerId)
    .map((row): EventOffer => {
      const imported = lists.eventImports.find(
        (candidate) => candidate.peerId === selfPeerId && candidate.exportId === row.id && candidate.state === 'open',
      );
      const event = lists.events.find((candidate) => candidate.id === row.objectId);
      return { exportId: row.id, label: event?.label || imported?.label || row.objectId, state: row.state, imported };
    })
    .filter((row) => row.state === 'live' || row.imported !== undefined);
}

/** Which of the five steps are done: choose, open, read and write, wait, close. */
export function doneSteps(at: {
  chosen: boolean;
  open: boolean;
  wrote: boolean;
  ready: boolean;
  closed: boolean;
}): boolean[] {
  return [at.chosen, at.open, at.open && at.wrote, at.open && at.ready, at.closed && !at.open];
}

/** The note under the open call: where the view is, and whether the driver gave the same address each time. */
export function addressNote(addresses: readonly string[]): string {
  const last = addresses.at(-1);
  if (last === undefined) return '';
  if (addresses.length === 1) return `at ${last}`;
  if (new Set(addresses).size > 1) return `at another address: ${last}`;
  return addresses.length === 2 ? 'the same address both times' : `the same address all ${addresses.length} times`;
}
