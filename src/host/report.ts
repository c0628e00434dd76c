/**
 * What the host tells main without being asked: changed records of its ledger and its driver calls. Changes leave
 * before the answer of the call that made them; repeated calls wait for the next tick.
 */
import type { HostChange, HostPort, HostTableName, HostTables } from '#contract/host-protocol';
import type { CallLog } from './call-log';

/** Ten times a second is as often as anybody can read. */
const TICK_MS = 100;

export class Report {
  private readonly changes = new Map<string, HostChange>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly port: HostPort,
    private readonly log: CallLog,
  ) {}

  /** A record as it is now. Several states of one record between two messages become the last one. */
  put<T extends HostTableName>(table: T, record: HostTables[T]): void {
    const change = { table, put: record } as HostChange;
    this.changes.set(`${table} ${record.id}`, change);
    this.schedule();
  }

  /** Told after every driver call that was logged. */
  called(): void {
    this.schedule();
  }

  /** Sends what has to be known before an answer: every change and every new call. */
  beforeAnswer(): void {
    if (this.changes.size > 0 || this.log.hasNew) this.flush();
  }

  /** Sends what has to be known before the bytes of a read: changes that wait, if any, but no calls on their own. */
  beforeRead(): void {
    if (this.changes.size > 0) this.flush();
  }

  /** Sends everything that waits. */
  flush(): void {
    if (this.timer !== undefined) clearTimeout(this.timer);
    this.timer = undefined;
    if (this.changes.size === 0 && this.log.isEmpty) return;
    const changes = [...this.changes.values()];
    this.changes.clear();
    this.port.post({ kind: 'ledger', changes, calls: this.log.take() });
  }

  private schedule(): void {
    this.timer ??= setTimeout(() => this.flush(), TICK_MS);
  }
}
