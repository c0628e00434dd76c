/**
 * Collects what changed and hands it out as numbered patches, at most one per frame: a record that changed five times
 * within a frame travels once, as it is now.
 */
import type { Call, Change, LedgerPatch, TableName, Tables } from '#contract/records';

const FRAME_MS = 1000 / 60;

export interface CallCounts {
  readonly total: number;
  readonly failed: number;
}

export class PatchQueue {
  private changes = new Map<string, Change>();
  private calls = new Map<number, Call>();
  private timer: NodeJS.Timeout | undefined;
  private flushedAt = 0;
  private lastSeq = 0;

  constructor(
    private readonly deliver: (patch: LedgerPatch) => void,
    private readonly counts: () => CallCounts,
  ) {}

  /** The number of the last patch that left. */
  get seq(): number {
    return this.lastSeq;
  }

  /** When it left, on the clock of `performance.now()`; 0 before the first. */
  get lastAt(): number {
    return this.flushedAt;
  }

  /** Whether a record, not only the call log, waits to be sent. */
  get hasChanges(): boolean {
    return this.changes.size > 0;
  }

  put<T extends TableName>(table: T, record: Tables[T]): void {
    this.change(table, record.id, { table, put: record } as Change);
  }

  remove(table: TableName, id: string): void {
    this.change(table, id, { table, remove: id });
  }

  call(call: Call): void {
    this.calls.set(call.seq, call);
    this.schedule();
  }

  /** Sends what has gathered now, rather than with the next frame. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.changes.size === 0 && this.calls.size === 0) return;

    this.lastSeq += 1;
    this.flushedAt = performance.now();
    const { total, failed } = this.counts();
    const patch: LedgerPatch = {
      seq: this.lastSeq,
      changes: [...this.changes.values()],
      calls: [...this.calls.values()].sort((a, b) => a.seq - b.seq),
      callsTotal: total,
      callsFailed: failed,
    };
    this.changes = new Map();
    this.calls = new Map();
    this.deliver(patch);
  }

  /** Drops what waits and stops the clock. */
  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private change(table: TableName, id: string, change: Change): void {
    const key = `${table} ${id}`;
    // Deleted first, so that the patch keeps the order of the last changes.
    this.changes.delete(key);
    this.changes.set(key, change);
    this.schedule();
  }

  private schedule(): void {
    if (this.timer !== undefined) return;
    const wait = Math.max(0, FRAME_MS - (performance.now() - this.flushedAt));
    this.timer = setTimeout(() => this.flush(), wait);
  }
}
