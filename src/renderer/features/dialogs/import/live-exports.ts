/** Live exports of this app that the Inspector can open. Pure. */
import type { Export } from '#contract/records';
import type { Ledger } from '../../../lib/ledger';

type ExportTables = Pick<Ledger, 'exports' | 'peers' | 'allocations' | 'physicals' | 'events' | 'pools'>;

export interface LiveExport {
  readonly exported: Export;
  readonly label: string;
  /** Of the memory; undefined for events and pools. */
  readonly bytes: number | undefined;
  readonly device: number;
  /** `Producer 1 41210`. */
  readonly owner: string;
}

/**
 * Memory first, then events, then pools; each in the order in which they were exported. Own legacy handles and events
 * are left out: the driver opens neither in the process that exported it.
 */
export function liveExports(ledger: ExportTables, selfId: string): readonly LiveExport[] {
  const order: readonly Export['kind'][] = ['memory', 'physical', 'event', 'pool'];
  return [...ledger.exports.values()]
    .filter((made) => made.state === 'live' && (made.peerId !== selfId || opensInItsOwnProcess(made)))
    .sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.createdAt - b.createdAt)
    .map((exported) => {
      const owner = ledger.peers.get(exported.peerId);
      const object = objectOf(ledger, exported);
      return {
        exported,
        label: object?.label || exported.id,
        bytes: object !== undefined && 'bytes' in object ? object.bytes : undefined,
        device: object?.device ?? 0,
        owner: exported.peerId === selfId ? 'this process' : [owner?.name, owner?.pid].filter(Boolean).join(' '),
      };
    });
}

const opensInItsOwnProcess = ({ kind, mechanism }: Export): boolean => kind !== 'event' && mechanism !== 'legacy';

function objectOf(ledger: ExportTables, { kind, objectId }: Export) {
  switch (kind) {
    case 'memory':
      return ledger.allocations.get(objectId);
    case 'physical':
      return ledger.physicals.get(objectId);
    case 'event':
      return ledger.events.get(objectId);
    case 'pool':
      return ledger.pools.get(objectId);
  }
}

/** How it travels, in a word or two. */
export function wayOf({ kind, mechanism }: Pick<Export, 'kind' | 'mechanism'>): string {
  if (kind === 'event') return 'event';
  if (kind === 'pool') return 'the pool itself';
  return { legacy: 'legacy handle', pool: 'pool', virtual: 'virtual memory', fabric: 'fabric handle' }[mechanism];
}
