/** What a producer window shows about its own buffers, read from the ledger. Pure. */
import type { Allocation, EventRecord, Export } from '#contract/records';
import { type Holder, holdersOf, type LedgerLists, waitersOf } from '../../ui/demo/holding';
import { type DemoWay, wayOf } from '../../ui/demo/mechanism';

export interface OwnBuffer {
  readonly allocation: Allocation;
  /** How it is shared; undefined for memory that none of these windows makes. */
  readonly way: DemoWay | undefined;
  /** Its newest export, once exported. */
  readonly exported: Export | undefined;
  /** The export of its pool, which travels beside it. */
  readonly poolExport: Export | undefined;
  /** Processes that have it open. */
  readonly holders: readonly Holder[];
  /** The event that says its bytes are complete, once made. */
  readonly event: EventRecord | undefined;
  readonly eventExport: Export | undefined;
  /** Processes that have that event open. */
  readonly waiters: readonly Holder[];
}

export type ProducerLists = LedgerLists & { readonly events: readonly EventRecord[] };

/** The event of a buffer is found by its name: labels are unique among the live buffers of a producer. */
export const eventLabel = (label: string): string => `${label.slice(0, 74)} ready`;

/** The buffers of one process, oldest first: the live ones, and freed ones for as long as the ledger keeps them. */
export function ownBuffers(selfPeerId: string, lists: ProducerLists): OwnBuffer[] {
  return lists.allocations
    .filter((row) => row.peerId === selfPeerId)
    .sort((a, b) => a.createdAt - b.createdAt)
    .map((allocation) => {
      const event = lists.events.find(
        (row) => row.peerId === selfPeerId && row.state === 'live' && row.label === eventLabel(allocation.label),
      );
      const exported = lists.exports.findLast((row) => row.kind === 'memory' && row.objectId === allocation.id);
      return {
        allocation,
        way: wayOf(allocation.memory),
        exported,
        poolExport: lists.exports.find((row) => row.id === exported?.poolExportId),
        holders: holdersOf(allocation.id, lists),
        event: allocation.state === 'live' ? event : undefined,
        eventExport: event && lists.exports.find((row) => row.kind === 'event' && row.objectId === event.id),
        waiters: event && allocation.state === 'live' ? waitersOf(event.id, lists) : [],
      };
    });
}

/** A label that no live buffer has yet: `greeting`, `greeting 2`, `greeting 3`. */
export function freeLabel(buffers: readonly OwnBuffer[], wish = 'greeting'): string {
  const taken = new Set(buffers.filter((row) => row.allocation.state === 'live').map((row) => row.allocation.label));
  if (!taken.has(wish)) return wish;
  let number = 2;
  while (taken.has(`${wish} ${number}`)) number++;
  return `${wish} ${number}`;
}

/** Why a label cannot be used, or `undefined`. */
export function labelProblem(label: string, buffers: readonly OwnBuffer[]): string | undefined {
  const wanted = label.trim();
  if (wanted === '') return 'Give the buffer a name.';
  if (wanted.length > 80) return 'At most 80 characters.';
  const taken = buffers.some((row) => row.allocation.state === 'live' && row.allocation.label === wanted);
  return taken ? `This producer already has a buffer called ${wanted}.` : undefined;
}

/** Which of the five steps are done: create, fill, export, signal, let go. `written`: bytes were put by this window. */
export function doneSteps(buffer: OwnBuffer | undefined, written: boolean): boolean[] {
  if (buffer === undefined) return [false, false, false, false, false];
  return [
    true,
    written || buffer.allocation.animated !== undefined,
    buffer.exported !== undefined,
    buffer.event?.recordedAt !== undefined,
    buffer.allocation.state !== 'live',
  ];
}
