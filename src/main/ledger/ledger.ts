/**
 * The ledger: what is known about every process and object. Each driver host reports its own objects; here they are
 * joined: which mapping was opened from which export, whose exporter is gone, what of an ended process others still
 * hold. Windows get a snapshot and then numbered patches.
 */
import type { HostCall, HostChange, HostTables } from '#contract/host-protocol';
import type { Export, LedgerPatch, LedgerSnapshot, Peer, TableName, Tables } from '#contract/records';
import type { Exporter } from '#contract/values';
import { CallLog } from './call-log';
import { ForeignHandles } from './foreign-handles';
import { HandleIndex } from './handle-index';
import { type ImportTable, importTable, importTables, type ObjectTable, objectTable, objectTables } from './kinds';
import { LedgerLinks } from './links';
import { PatchQueue } from './patch-queue';
import { Retention } from './retention';
import { RecordTables } from './tables';

/** Answers that follow each other within this time are one burst. */
const BURST_MS = 0.5;

export interface LedgerOptions {
  /** Gets each patch, in order. */
  readonly deliver: (patch: LedgerPatch) => void;
  readonly now?: () => number;
  /** How many calls are kept. */
  readonly callCapacity?: number;
}

export const isRunning = (peer: Peer): boolean => peer.state === 'starting' || peer.state === 'alive';

export class Ledger {
  private readonly now: () => number;
  private readonly log: CallLog;
  private readonly queue: PatchQueue;
  private readonly tables: RecordTables;
  private readonly links = new LedgerLinks();
  private readonly handles = new HandleIndex();
  private readonly retention: Retention;
  private sending: Promise<void> | undefined;
  /** Handles of imports whose export is not known (yet). */
  private readonly foreign = new ForeignHandles();

  constructor(options: LedgerOptions) {
    this.now = options.now ?? Date.now;
    this.log = new CallLog(options.callCapacity);
    this.queue = new PatchQueue(options.deliver, () => ({ total: this.log.total, failed: this.log.failed }));
    this.tables = new RecordTables(this.queue);
    this.retention = new Retention(this.tables, this.links, (table, id) => this.drop(table, id));
  }

  // ---- processes --------------------------------------------------------------------------------------------------

  addPeer(peer: Peer): void {
    this.tables.put('peers', peer);
  }

  updatePeer(id: string, fields: Partial<Omit<Peer, 'id'>>): void {
    this.tables.update('peers', id, fields);
  }

  peer(id: string): Peer | undefined {
    return this.tables.get('peers', id);
  }

  peers(): Peer[] {
    return this.tables.all('peers');
  }

  /**
   * A process ended. The driver drops what it had mapped; what it owned is gone for whoever wants to open it, while
   * those who have it mapped keep the bytes.
   */
  endPeer(id: string, state: 'exited' | 'lost', ending: string): void {
    const peer = this.peer(id);
    if (peer === undefined || !isRunning(peer)) return;
    const at = this.now();
    this.tables.put('peers', { ...peer, state, ending, endedAt: at, hanging: undefined });
    this.retention.ended('peers', id, at);
    this.log.forget(id);

    for (const table of objectTables) {
      for (const row of this.tables.all(table)) {
        if (row.peerId === id && row.state === 'live') {
          this.endObject(table, { ...row, state: 'gone' } as Tables[ObjectTable], at);
        }
      }
    }
    for (const row of this.tables.all('exports')) {
      if (row.peerId === id && canEnd(row)) this.endExport(row, 'gone', at);
    }
    for (const table of importTables) {
      for (const row of this.tables.all(table)) {
        if (row.peerId === id && row.state === 'open')
          this.closeImport(table as 'mappings' | 'eventImports', row.id, at);
        // Imports from a process that is no part of this app know it only by its peer.
        if (row.exporterPeerId === id && row.exportId === null) this.refreshExporter(table, row.id);
      }
    }
  }

  /** Whether any row is of this process or was exported by it. */
  isReferenced(peerId: string): boolean {
    return this.retention.referencedPeers().has(peerId);
  }

  /** Forgets a process that nothing refers to. */
  removePeer(peerId: string): void {
    this.drop('peers', peerId);
  }

  /** Keeps an ended process in the ledger while its window is open, so that the window can offer a restart. */
  pinPeer(id: string): void {
    this.retention.pin(id);
  }

  unpinPeer(id: string): void {
    this.retention.unpin(id);
  }

  /** The rows that say what is open, and whose it is. */
  imports(): Pick<LedgerSnapshot, 'peers' | 'mappings' | 'eventImports'> {
    return {
      peers: this.tables.all('peers'),
      mappings: this.tables.all('mappings'),
      eventImports: this.tables.all('eventImports'),
    };
  }

  /** What a process of this app has that others could use or that holds memory: live objects and open imports. */
  holdings(peerId: string): number {
    const own = <T extends { peerId: string; state: string }>(rows: readonly T[], state: string) =>
      rows.filter((row) => row.peerId === peerId && row.state === state).length;
    return (
      own(this.tables.all('allocations'), 'live') +
      own(this.tables.all('events'), 'live') +
      own(this.tables.all('pools'), 'live') +
      own(this.tables.all('physicals'), 'live') +
      own(this.tables.all('mappings'), 'open') +
      own(this.tables.all('eventImports'), 'open')
    );
  }

  // ---- what hosts report ------------------------------------------------------------------------------------------

  /** Takes the changes and calls that the host of one peer reported. Rows of other peers are not its business. */
  apply(peerId: string, changes: readonly HostChange[], calls: readonly HostCall[]): void {
    const peer = this.peer(peerId);
    if (peer === undefined || !isRunning(peer)) return;
    for (const change of changes) this.applyChange(peerId, change);
    for (const call of calls) this.queue.call(this.log.add({ ...call, peerId }, peer.name));
  }

  private applyChange(peerId: string, change: HostChange): void {
    if ('remove' in change) {
      const row = change.table === 'peers' ? undefined : this.tables.get(change.table, change.remove);
      if (row?.peerId === peerId) this.drop(change.table, change.remove);
      return;
    }
    if (change.put.peerId !== peerId) return;
    if (change.table === 'exports') this.putExport(change.put);
    else if (change.table === 'mappings' || change.table === 'eventImports') this.putImport(change);
    else if (change.table === 'pools' || change.table === 'physicals') this.putPoolOrPhysical(change);
    else this.putObject(change.table, change.put);
  }

  private putObject(table: ObjectTable, row: Tables[ObjectTable]): void {
    // One table at a time: the kinds of row differ in fields that are not looked at here.
    if (row.state === 'live') this.tables.put(table, row as never);
    else this.endObject(table, row, row.endedAt ?? this.now());
  }

  private endObject(table: ObjectTable, row: Tables[ObjectTable], at: number): void {
    const still = table === 'allocations' ? { animated: undefined } : {};
    this.tables.put(table, { ...row, ...still, endedAt: at } as never);
    this.retention.ended(table, row.id, at);
    for (const id of this.links.exportsOf.of(row.id)) {
      const made = this.tables.get('exports', id);
      if (made !== undefined && canEnd(made)) this.endExport(made, row.state === 'gone' ? 'gone' : 'freed', at);
    }
  }

  private putExport({ handle, ...row }: HostTables['exports']): void {
    if (handle !== null) this.handles.set(row.id, row.kind, handle);
    this.links.exportsOf.add(row.objectId, row.id);
    const object = this.tables.get(objectTable(row.kind), row.objectId);
    const ended = object !== undefined && object.state !== 'live';
    if (canEnd(row) && ended) this.endExport(row, object.state === 'gone' ? 'gone' : 'freed', this.now());
    else if (row.state === 'live') this.tables.put('exports', row);
    else this.endExport(row, row.state, this.now());
    if (handle !== null) this.joinLate(row, handle);
  }

  private endExport(row: Export, state: Exclude<Export['state'], 'live'>, at: number): void {
    this.tables.put('exports', { ...row, state });
    this.retention.ended('exports', row.id, at);
    for (const id of this.links.importsOf.of(row.id)) {
      // Virtual memory is opened as a mapping and as the physical memory in it.
      for (const table of importTables) this.refreshExporter(table, id);
    }
  }

  private putImport(change: Extract<HostChange, { put: unknown; table: 'mappings' | 'eventImports' }>): void {
    const { table } = change;
    const { handle, ...reported } = change.put;
    const kind = table === 'mappings' ? 'memory' : 'event';
    const before = this.tables.get(table, reported.id);
    const found = handle === null ? undefined : this.handles.find(kind, handle);
    const exportId = before?.exportId ?? this.knownExport(reported.exportId) ?? found ?? null;
    const handleId = exportId === null && handle !== null ? this.foreign.add(reported.id, kind, handle) : undefined;
    const row = this.joined({ ...reported, exportId, handleId }, before);
    this.tables.put(table, row as never);
    if (row.state === 'closed') this.retention.ended(table, row.id, row.closedAt ?? this.now());
    else this.retention.revived(table, row.id);
  }

  /** Pools and physical memory are own or imported: an imported one hangs on the export that its host names. */
  private putPoolOrPhysical({ table, put }: Extract<HostChange, { put: unknown; table: 'pools' | 'physicals' }>): void {
    if (!put.imported) {
      this.putObject(table, put);
      return;
    }
    const before = this.tables.get(table, put.id);
    const exportId = before?.exportId ?? this.knownExport(put.exportId) ?? null;
    this.putObject(table, this.joined({ ...put, exportId }, before) as Tables['pools' | 'physicals']);
  }

  /** An import with whose it is and how that one is, as far as the ledger knows. */
  private joined<T extends { id: string; exportId: string | null }>(
    row: T,
    before: { exporterPeerId: string | null; exporter?: Exporter | undefined } | undefined,
  ): T & { exporterPeerId: string | null; exporter: Exporter } {
    const { exportId } = row;
    if (exportId !== null) this.links.importsOf.add(exportId, row.id);
    const exporterPeerId =
      exportId === null ? (before?.exporterPeerId ?? null) : (this.tables.get('exports', exportId)?.peerId ?? null);
    return { ...row, exporterPeerId, exporter: this.exporterOf({ exportId, exporterPeerId }, before?.exporter) };
  }

  private knownExport(id: string | null): string | undefined {
    return id === null ? undefined : this.tables.get('exports', id)?.id;
  }

  /** An import may be reported before the export that it was opened from: two hosts, two ports. */
  private joinLate(row: Export, handle: Uint8Array): void {
    const table = importTable(row.kind);
    for (const id of this.foreign.importsOf(row.kind, handle)) {
      this.foreign.delete(id);
      this.links.importsOf.add(row.id, id);
      this.tables.update(table, id, { exportId: row.id, exporterPeerId: row.peerId, handleId: undefined });
      this.refreshExporter(table, id);
    }
  }

  private closeImport(table: 'mappings' | 'eventImports', id: string, at: number): void {
    if (table === 'mappings') this.tables.update(table, id, { state: 'closed', references: 0, closedAt: at });
    else this.tables.update(table, id, { state: 'closed', waiting: undefined, closedAt: at });
    this.retention.ended(table, id, at);
  }

  // ---- exporters --------------------------------------------------------------------------------------------------

  /** Says which process outside this app made the handle that an import was opened from. */
  setOutsideExporter(table: ImportTable, id: string, peerId: string): void {
    const row = this.tables.get(table, id);
    if (row === undefined || row.exportId !== null) return;
    this.tables.update(table, id, { exporterPeerId: peerId });
    this.refreshExporter(table, id);
  }

  /** Whether it is known who exported what an import was opened from. */
  isExporterKnown(table: ImportTable, id: string): boolean {
    const row = this.tables.get(table, id);
    return row !== undefined && row.exporterPeerId !== null;
  }

  /** As the ledger knows it now; `unknown` for an import that is not there. */
  exporter(table: ImportTable, id: string): Exporter {
    return this.tables.get(table, id)?.exporter ?? 'unknown';
  }

  private refreshExporter(table: ImportTable, id: string): void {
    const row = this.tables.get(table, id);
    if (row !== undefined) this.tables.update(table, id, { exporter: this.exporterOf(row, row.exporter) });
  }

  private exporterOf(row: { exportId: string | null; exporterPeerId: string | null }, before?: Exporter): Exporter {
    if (row.exportId !== null) {
      const made = this.tables.get('exports', row.exportId);
      if (made === undefined) return before ?? 'unknown';
      // Nobody can open it any more when its descriptors are closed; the memory is where it was.
      return made.state === 'live' || made.state === 'closed' ? 'alive' : made.state;
    }
    if (row.exporterPeerId === null) return 'unknown';
    const peer = this.peer(row.exporterPeerId);
    return peer !== undefined && isRunning(peer) ? 'alive' : 'gone';
  }

  // ---- for the calls of windows -----------------------------------------------------------------------------------

  export(id: string): Export | undefined {
    return this.tables.get('exports', id);
  }

  /** The 64 bytes of an export. Whoever gets them can open the memory. */
  handleOf(exportId: string): Uint8Array<ArrayBuffer> | undefined {
    return this.handles.bytes(exportId);
  }

  /** The export of one of our processes that has these bytes. */
  exportWith(kind: Export['kind'], handle: Uint8Array): Export | undefined {
    const id = this.handles.find(kind, handle);
    return id === undefined ? undefined : this.export(id);
  }

  /** Whether a process has something open that came from this export. */
  hasOpen(made: Export, peerId: string): boolean {
    const table = importTable(made.kind);
    return this.links.importsOf.of(made.id).some((id) => {
      const row = this.tables.get(table, id);
      return row?.peerId === peerId && (row.state === 'open' || row.state === 'live');
    });
  }

  /** How often a process has open what came from an export, or from bytes that no process of ours is known to export. */
  openCount(
    peerId: string,
    kind: 'memory' | 'event',
    from: { exportId?: string | undefined; handle?: Uint8Array | undefined },
  ): number {
    const { exportId, handle } = from;
    const table = kind === 'memory' ? 'mappings' : 'eventImports';
    const known = exportId === undefined ? [] : this.links.importsOf.of(exportId);
    const ids = exportId === undefined && handle !== undefined ? this.foreign.importsOf(kind, handle) : known;
    return ids
      .map((id) => this.tables.get(table, id))
      .filter((row) => row?.peerId === peerId && row.state === 'open')
      .reduce((sum, row) => sum + (row !== undefined && 'references' in row ? row.references : 1), 0);
  }

  /** What the exported object is called. */
  labelOf(made: Export): string {
    return this.tables.get(objectTable(made.kind), made.objectId)?.label ?? '';
  }

  /** A record as it is now. */
  record<T extends TableName>(table: T, id: string): Tables[T] | undefined {
    return this.tables.get(table, id);
  }

  /** All records of a table, in the order in which they first came. */
  records<T extends TableName>(table: T): readonly Tables[T][] {
    return this.tables.all(table);
  }

  /** Everything at this moment. Patches after it begin with `seq` + 1. */
  snapshot(): LedgerSnapshot {
    this.flush();
    return {
      seq: this.queue.seq,
      peers: this.tables.all('peers'),
      allocations: this.tables.all('allocations'),
      exports: this.tables.all('exports'),
      mappings: this.tables.all('mappings'),
      events: this.tables.all('events'),
      eventImports: this.tables.all('eventImports'),
      pools: this.tables.all('pools'),
      physicals: this.tables.all('physicals'),
      calls: this.log.kept(),
      callsTotal: this.log.total,
      callsFailed: this.log.failed,
    };
  }

  /**
   * For an answer, which must not arrive before the object that it names: sends the changes that wait. Where one answer
   * closely follows another, they are sent together a moment later, and the promise resolves then; so a hundred answers
   * at once do not make a hundred patches.
   */
  changesSent(): Promise<void> | undefined {
    if (!this.queue.hasChanges) return undefined;
    if (this.sending === undefined && performance.now() - this.queue.lastAt > BURST_MS) {
      this.queue.flush();
      return undefined;
    }
    this.sending ??= new Promise((resolve) => {
      setImmediate(() => {
        this.sending = undefined;
        this.queue.flush();
        resolve();
      });
    });
    return this.sending;
  }

  flush(): void {
    this.queue.flush();
  }

  /** Lets rows leave whose time is over. To be called about once a second. */
  sweep(): void {
    this.retention.sweep(this.now());
  }

  stop(): void {
    this.queue.stop();
  }

  private drop(table: Parameters<RecordTables['remove']>[0], id: string): void {
    if (table === 'exports') {
      const row = this.tables.get('exports', id);
      if (row !== undefined) {
        this.handles.delete(id, row.kind);
        this.links.exportsOf.delete(row.objectId, id);
      }
    } else if (table === 'mappings' || table === 'eventImports' || table === 'pools' || table === 'physicals') {
      const row = this.tables.get(table, id);
      if (row?.exportId != null) this.links.importsOf.delete(row.exportId, id);
      this.foreign.delete(id);
    }
    this.tables.remove(table, id);
  }
}

/** An export whose object still is: a closed one can be exported anew. */
const canEnd = ({ state }: Export): boolean => state === 'live' || state === 'closed';
