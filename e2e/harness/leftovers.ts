/**
 * What an app leaves behind when it ends: processes, and files in shared memory. Linux; elsewhere nothing is seen.
 *
 * Who made a file is asked when it appears, because later its process may be dead: so a file counts for the app whose
 * process made it, also where other tests run at the same time.
 */
import { existsSync, type FSWatcher, readdirSync, readFileSync, readlinkSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';

const SHM = '/dev/shm';

interface Maker {
  /** The process and its parents, as far as they were alive when the file appeared; none when it was dead already. */
  readonly pids: readonly number[];
  /** `utility process 5871` */
  readonly name: string;
}

export class Leftovers {
  readonly #before = new Set(list(SHM));
  readonly #makers = new Map<string, Maker>();
  readonly #processes = new Map<number, string>();
  readonly #watcher: FSWatcher | undefined;
  #main: number | undefined;

  /**
   * @param alone  whether no other test runs at the same time: then a new file that tells no process is this app's too
   */
  constructor(private readonly alone: boolean) {
    if (!existsSync(SHM)) return;
    this.#watcher = watch(SHM, { persistent: false }, (_, name) => {
      if (name !== null) this.#seen(name);
    });
  }

  /** The main process of the app. */
  set main(pid: number | undefined) {
    this.#main = pid;
  }

  /** Notes the app's processes that run now, by pid and start time (a pid alone may be used again). */
  remember(): void {
    if (this.#main === undefined) return;
    const parents = new Map<number, number[]>();
    for (const name of list('/proc')) {
      const child = Number(name);
      const parent = Number(stat(child)?.[1]);
      if (child > 0 && parent > 0) parents.set(parent, [...(parents.get(parent) ?? []), child]);
    }
    const visit = (at: number) => {
      const started = stat(at)?.[19];
      if (started !== undefined) this.#processes.set(at, started);
      for (const child of parents.get(at) ?? []) visit(child);
    };
    visit(this.#main);
  }

  /** Remembered processes that still run, and files that the app's processes made and no living process holds. */
  list(): string[] {
    const alive = [...this.#processes]
      .filter(([pid, started]) => stat(pid)?.[19] === started && stat(pid)?.[0] !== 'Z')
      .map(([pid]) => nameOf(pid, this.#main));
    const files = list(SHM).filter((name) => !this.#before.has(name) && this.#isOurs(name));
    const held = files.length > 0 ? heldFiles() : new Set<string>();
    return [
      ...alive,
      ...files
        .filter((name) => !held.has(join(SHM, name)))
        .map((name) => `${join(SHM, name)}, made by ${this.#makers.get(name)?.name ?? 'nobody known'}`),
    ];
  }

  /** Ends the watch. */
  stop(): void {
    this.#watcher?.close();
  }

  #isOurs(name: string): boolean {
    this.#seen(name);
    const pids = this.#makers.get(name)?.pids ?? [];
    if (pids.length === 0) return this.alone;
    return this.#main !== undefined && pids.includes(this.#main);
  }

  #seen(name: string): void {
    if (this.#before.has(name) || this.#makers.has(name)) return;
    const pid = makerOf(name);
    if (pid === undefined || !existsSync(join(SHM, name))) return;
    const pids: number[] = [];
    for (let at = pid; at > 1 && stat(at) !== undefined; at = Number(stat(at)?.[1])) pids.push(at);
    this.#makers.set(name, { pids, name: nameOf(pid, this.#main) });
  }
}

/** Removes what a process that was not ours to mend left in shared memory. Answers the names. */
export function removeFilesOf(pid: number): string[] {
  const left = list(SHM).filter((name) => makerOf(name) === pid);
  for (const name of left) rmSync(join(SHM, name), { force: true });
  return left;
}

/** The pid in a name: event tables of the driver, reference counts of PyTorch. */
function makerOf(name: string): number | undefined {
  const hex = /^cuda\.shm\.\d+\.([0-9a-f]+)\.[0-9a-f]+$/.exec(name)?.[1];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  const decimal = /^torch_(\d+)_/.exec(name)?.[1];
  return decimal === undefined ? undefined : Number(decimal);
}

function nameOf(pid: number, main: number | undefined): string {
  const line = read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim() ?? '';
  const type = pid === main ? 'main' : /--type=(\S+)/.exec(line)?.[1];
  return type === undefined ? `process ${pid}: ${line.slice(0, 200)}` : `${type} process ${pid}`;
}

/** Paths in /dev/shm that a living process has open or mapped. */
function heldFiles(): Set<string> {
  const held = new Set<string>();
  for (const pid of list('/proc').filter((name) => /^\d+$/.test(name))) {
    for (const match of read(`/proc/${pid}/maps`)?.matchAll(/\/dev\/shm\/\S+/g) ?? []) held.add(match[0]);
    for (const fd of list(`/proc/${pid}/fd`)) {
      try {
        held.add(readlinkSync(`/proc/${pid}/fd/${fd}`));
      } catch {
        // Closed meanwhile.
      }
    }
  }
  return held;
}

/** Fields of /proc/PID/stat after the command name: [0] state, [1] parent, [19] start time. */
function stat(pid: number): string[] | undefined {
  const text = read(`/proc/${pid}/stat`);
  return text?.slice(text.lastIndexOf(')') + 2).split(' ');
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
