/** What other processes still have open of one that is about to end, in words. Pure. */
import type { EventImport, Mapping, Peer } from '#contract/records';

export interface Held {
  readonly peers: readonly Peer[];
  readonly mappings: readonly Mapping[];
  readonly eventImports: readonly EventImport[];
}

/**
 * `Consumer 1 holds 2 references. It keeps the bytes until it closes.` Only what this app's processes have open is
 * known: the driver does not tell who else opened a handle.
 * @returns undefined when none of them has anything of that process open
 */
export function stillHeld(peerId: string, { peers, mappings, eventImports }: Held): string | undefined {
  const elsewhere = (row: Mapping | EventImport) =>
    row.state === 'open' && row.exporterPeerId === peerId && row.peerId !== peerId;
  const memory = mappings.filter(elsewhere);
  const events = eventImports.filter(elsewhere);
  const namesOf = (rows: readonly (Mapping | EventImport)[]) => [
    ...new Set(rows.map((row) => peers.find(({ id }) => id === row.peerId)?.name ?? row.peerId)),
  ];
  const sentences: string[] = [];
  if (memory.length > 0) {
    const names = namesOf(memory);
    const one = names.length === 1;
    const references = memory.reduce((sum, row) => sum + row.references, 0);
    sentences.push(
      `${list(names)} ${one ? 'holds' : 'hold'} ${references} ${references === 1 ? 'reference' : 'references'}.`,
      one ? 'It keeps the bytes until it closes.' : 'They keep the bytes until they close.',
    );
  }
  if (events.length > 0) {
    const names = namesOf(events);
    const what = events.length === 1 ? '1 of its events' : `${events.length} imports of its events`;
    sentences.push(`${list(names)} ${names.length === 1 ? 'has' : 'have'} ${what} open.`);
  }
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

function list(names: readonly string[]): string {
  return names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
