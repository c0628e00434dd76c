/**
 * The tables of interprocess events that the driver makes for the processes of this app: removed when a process was
 * killed, as the driver does for one that ends properly. A record in the user's folder lets the next start remove what
 * even the end of this one left; see cleaner.ts for when main itself is killed.
 */
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import {
  EVENT_TABLE_FOLDER,
  eventTablesOf,
  removeEventTables,
  removeEventTablesOfDead,
} from '#native/posix/event-tables';
import { identify, type ProcessIdentity } from '#native/posix/process';
import type { Cleaner } from './cleaner';

/** An exit is told a few milliseconds before the process is gone. */
const STEP_MS = 10;
const GONE_MS = 2_000;

const recordSchema = v.array(v.object({ pid: v.pipe(v.number(), v.integer()), startTicks: v.number() }));

export interface EventTablesOptions {
  /** Folder of the records: one file for each running instance of the app, named after its pid. */
  readonly records: string;
  readonly folder?: string;
}

export class EventTables {
  private readonly processes = new Map<number, ProcessIdentity>();
  private readonly removing = new Set<Promise<void>>();
  private readonly folder: string;
  private readonly record: string;
  private cleaner: Cleaner | undefined;

  constructor(private readonly options: EventTablesOptions) {
    this.folder = options.folder ?? EVENT_TABLE_FOLDER;
    this.record = join(options.records, `${process.pid}.json`);
  }

  /** A process of this app is about to use the driver: this one, or one that it started. */
  started(pid: number): void {
    const identity = identify(pid);
    // Tables that were there before the process are another's, which counts pids differently and shares the folder.
    if (identity === undefined || eventTablesOf(pid, this.folder).length > 0) return;
    this.processes.set(pid, identity);
    this.cleaner?.add(identity);
    this.write();
  }

  /** The process ended, in whatever way. Its tables are removed as soon as it is gone. */
  ended(pid: number): void {
    const identity = this.processes.get(pid);
    if (identity === undefined) return;
    const removing = this.removeWhenGone(identity).finally(() => this.removing.delete(removing));
    this.removing.add(removing);
  }

  /** Has another process remove what is left when this one is killed. */
  cleanAfterMain(start: (folder: string) => Cleaner): void {
    // Where there is no /proc there are no such tables.
    if (this.processes.size === 0) return;
    this.cleaner = start(this.folder);
    for (const identity of this.processes.values()) this.cleaner.add(identity);
  }

  /** Removes what earlier runs left: their processes and they themselves were killed. */
  sweep(): void {
    const { records } = this.options;
    for (const name of namesIn(records)) {
      const main = Number(/^(\d+)\.json(\.new)?$/.exec(name)?.[1]);
      // Of a running instance, which sees to it, or nobody's.
      if (Number.isNaN(main) || identify(main) !== undefined) continue;
      const path = join(records, name);
      const left = read(path).filter((process) => !removeEventTablesOfDead(process, this.folder));
      if (left.length === 0) rmSync(path, { force: true });
    }
  }

  /** Waits for removals that are under way, at most two seconds. */
  async settle(): Promise<void> {
    await Promise.all(this.removing);
  }

  /** The last act of this process, which uses the driver no more: removes its own tables, whatever became of them. */
  release(): void {
    if (this.processes.delete(process.pid)) removeEventTables(process.pid, this.folder);
    this.write();
    if (this.processes.size === 0) this.cleaner?.dismiss();
  }

  private async removeWhenGone(identity: ProcessIdentity): Promise<void> {
    const deadline = performance.now() + GONE_MS;
    while (!removeEventTablesOfDead(identity, this.folder)) {
      // It stays in the record, for the next start.
      if (performance.now() > deadline) return;
      await new Promise((resolve) => setTimeout(resolve, STEP_MS));
    }
    this.processes.delete(identity.pid);
    this.write();
  }

  /** Written whole to a neighbour and renamed: a kill at any moment leaves a record that can be read. */
  private write(): void {
    try {
      if (this.processes.size === 0) {
        rmSync(this.record, { force: true });
        return;
      }
      mkdirSync(this.options.records, { recursive: true });
      writeFileSync(`${this.record}.new`, JSON.stringify([...this.processes.values()]), { mode: 0o600 });
      renameSync(`${this.record}.new`, this.record);
    } catch (error) {
      console.error(`${this.record} could not be written:`, error);
    }
  }
}

/** The processes of a record; none when it cannot be read. */
function read(path: string): ProcessIdentity[] {
  try {
    return v.parse(recordSchema, JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return [];
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
