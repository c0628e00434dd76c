/** What a consumer window shows about memory and events of other processes, read from the ledger. Pure. */
import type { EventImport, EventRecord, Export, Mapping, Peer } from '#contract/records';
import { formatSize } from '#contract/units';
import type { Mechanism } from '#contract/values';
import type { LedgerLists } from '../../ui/demo/holding';

export type ConsumerLists = LedgerLists & { readonly events: readonly EventRecord[] };

/** Something that can be opened, or is open already. */
export interface Offer {
  /** The id of the export; of the mapping where no process of this app made the export. */
  readonly key: string;
  readonly exportId: string | undefined;
  readonly label: string;
  readonly mechanism: Mechanism;
  /** File descriptors that travel for it; 0 where none does. A pool is one. */
  readonly descriptors: number;
  readonly bytes: number;
  readonly owner: Peer | undefined;
  /** `unknown`: exported outside this app, and nobody can say whether its memory is still there. */
  readonly state: Export['state'] | 'unknown';
  /** Own open mappings of it, oldest first: one for each view (offset and length) that was opened. */
  readonly views: readonly Mapping[];
}

/**
 * Memory that others export and that is still there, and whatever this process has open. `keep` stays in the list
 * although it can no longer be opened, so that a choice does not vanish while a person looks at it.
 */
export function offers(selfPeerId: string, lists: ConsumerLists, keep?: string): Offer[] {
  const peer = (id: string | null) => (id === null ? undefined : lists.peers.find((row) => row.id === id));
  const open = lists.mappings
    .filter((row) => row.peerId === selfPeerId && row.state === 'open')
    .sort((a, b) => a.openedAt - b.openedAt);

  const exported = lists.exports
    .filter((row) => row.kind === 'memory' && row.peerId !== selfPeerId)
    .map((row): Offer => {
      const allocation = lists.allocations.find((candidate) => candidate.id === row.objectId);
      const views = open.filter((candidate) => candidate.exportId === row.id);
      return {
        key: row.id,
        exportId: row.id,
        mechanism: row.mechanism,
        descriptors: row.mechanism === 'pool' ? 1 : (row.descriptors?.length ?? 0),
        label: allocation?.label || views[0]?.label || row.objectId,
        bytes: allocation?.bytes ?? views[0]?.allocationBytes ?? 0,
        owner: peer(row.peerId),
        state: row.state,
        views,
      };
    })
    .filter((row) => row.state === 'live' || row.views.length > 0 || row.key === keep);

  const known = new Set(exported.map((row) => row.exportId));
  const foreign = open.filter((row) => row.exportId === null || !known.has(row.exportId));
  const byMemory = new Map<string, [Mapping, ...Mapping[]]>();
  for (const row of foreign) {
    const views = byMemory.get(memoryOf(row));
    if (views === undefined) byMemory.set(memoryOf(row), [row]);
    else views.push(row);
  }
  const outside = [...byMemory.values()].map((views): Offer => {
    const [row] = views;
    return {
      key: row.id,
      exportId: row.exportId ?? undefined,
      mechanism: row.mechanism,
      descriptors: row.mechanism === 'pool' ? 1 : (row.chunks?.length ?? 0),
      label: row.label || 'pasted handle',
      bytes: row.allocationBytes,
      owner: peer(row.exporterPeerId),
      state: row.exporter === 'alive' ? 'live' : row.exporter,
      views,
    };
  });
  return [...exported, ...outside];
}

/** Views of the same imported memory have the same base address in this process: the driver maps it once. */
export const memoryOf = (view: Pick<Mapping, 'address' | 'offset'>): string =>
  `0x${(BigInt(view.address) - BigInt(view.offset)).toString(16)}`;

/** The driver's reference count: every view holds the same mapping. */
export const referencesOf = (offer: Offer | undefined): number =>
  offer?.views.reduce((count, view) => count + view.references, 0) ?? 0;

/** Whether this process's device may read and not write there; said of virtual memory only. */
export const isReadOnly = ({ access }: Pick<Mapping, 'access'>, device: number): boolean =>
  access?.find((each) => each.device === device)?.access === 'read';

/** `all`, or `16 B from 0x10`. */
export function viewWords(view: Pick<Mapping, 'offset' | 'bytes' | 'allocationBytes'>): string {
  if (view.offset === 0 && view.bytes === view.allocationBytes) return 'all';
  return `${formatSize(view.bytes)} from 0x${view.offset.toString(16)}`;
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
