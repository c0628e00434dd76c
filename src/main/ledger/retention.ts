/**
 * How long ended rows stay: ten seconds, so that people see what happened, and longer while something still hangs on
 * them. Memory that others have mapped never leaves the ledger, whoever freed it.
 */
import type { TableName } from '#contract/records';
import type { LedgerLinks } from './links';
import type { RecordTables } from './tables';

/** For how long an ended row is kept at least, in milliseconds. */
export const KEPT_MS = 10_000;

/**
 * Imports first, then what they hang on, then the processes: a chain leaves in one sweep. Pools and physical memory come
 * twice, because imported ones hang on exports, and exports on own ones.
 */
const ORDER: readonly (readonly TableName[])[] = [
  ['mappings', 'eventImports'],
  ['pools', 'physicals'],
  ['exports'],
  ['allocations', 'events'],
  ['pools', 'physicals'],
  ['peers'],
];

interface Ended {
  readonly table: TableName;
  readonly id: string;
  readonly at: number;
}

export class Retention {
  private readonly waiting = new Map<string, Ended>();
  private readonly pinned = new Set<string>();

  constructor(
    private readonly tables: RecordTables,
    private readonly links: LedgerLinks,
    private readonly drop: (table: TableName, id: string) => void,
  ) {}

  ended(table: TableName, id: string, at: number): void {
    this.waiting.set(`${table} ${id}`, { table, id, at });
  }

  /** The row is in use again, as a mapping that was opened once more. */
  revived(table: TableName, id: string): void {
    this.waiting.delete(`${table} ${id}`);
  }

  pin(peerId: string): void {
    this.pinned.add(peerId);
  }

  unpin(peerId: string): void {
    this.pinned.delete(peerId);
  }

  sweep(now: number): void {
    for (const tables of ORDER) {
      let found: ReadonlySet<string> | undefined;
      const used = () => {
        found ??= this.used();
        return found;
      };
      const referenced = tables[0] === 'peers' && this.hasEndedPeers() ? this.referencedPeers() : undefined;
      for (const [key, row] of this.waiting) {
        if (!tables.includes(row.table) || now - row.at < KEPT_MS) continue;
        if (this.isHeld(row, referenced, used)) continue;
        this.waiting.delete(key);
        this.drop(row.table, row.id);
      }
    }
  }

  private isHeld(
    { table, id }: Ended,
    referencedPeers: ReadonlySet<string> | undefined,
    used: () => ReadonlySet<string>,
  ): boolean {
    switch (table) {
      case 'exports':
        return this.links.importsOf.has(id);
      case 'allocations':
      case 'events':
        return this.links.exportsOf.has(id);
      case 'pools':
      case 'physicals':
        return this.links.exportsOf.has(id) || used().has(id);
      case 'peers':
        return this.pinned.has(id) || referencedPeers?.has(id) === true;
      default:
        return false;
    }
  }

  /** Pools that memory comes from, and physical memory that is mapped: also when their process let go of them. */
  private used(): Set<string> {
    const ids = new Set<string>();
    for (const table of ['allocations', 'mappings'] as const) {
      for (const { poolId, chunks = [] } of this.tables.all(table)) {
        if (poolId !== undefined) ids.add(poolId);
        for (const { physicalId } of chunks) ids.add(physicalId);
      }
    }
    return ids;
  }

  /** Processes that own a row of any table or exported what a row imports. */
  referencedPeers(): Set<string> {
    const ids = new Set<string>();
    for (const table of [
      'allocations',
      'events',
      'exports',
      'mappings',
      'eventImports',
      'pools',
      'physicals',
    ] as const) {
      for (const row of this.tables.all(table)) {
        ids.add(row.peerId);
        if ('exporterPeerId' in row && row.exporterPeerId !== null) ids.add(row.exporterPeerId);
      }
    }
    return ids;
  }

  private hasEndedPeers(): boolean {
    return [...this.waiting.values()].some((row) => row.table === 'peers');
  }
}
