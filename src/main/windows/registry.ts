/** The app's windows, by what main must know of one when it asks for something. No Electron here. */
import type { Role } from '#contract/values';

export interface WindowRecord {
  /** Id of its web contents. */
  readonly id: number;
  readonly role: Role;
  /** `Inspector`, `Producer 1`. */
  readonly name: string;
  /** The process that answers this window; another one after a restart. */
  readonly peerId: () => string;
  /** Whether it has asked for a snapshot of the ledger, and so gets patches. */
  hearsLedger: boolean;
  /** The number of the last patch that its page got; 0 for none. */
  lastPatch: number;
  /** When somebody last pressed a key or a button in it, milliseconds since 1970; absent while nobody has. */
  lastPress?: number;
}

export class WindowRegistry {
  private readonly records = new Map<number, WindowRecord>();

  add(record: WindowRecord): void {
    this.records.set(record.id, record);
  }

  remove(id: number): void {
    this.records.delete(id);
  }

  get(id: number): WindowRecord | undefined {
    return this.records.get(id);
  }

  all(): WindowRecord[] {
    return [...this.records.values()];
  }
}
