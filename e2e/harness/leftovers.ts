/** What an app leaves behind when it ends: processes, shared memory files, sockets. Linux; elsewhere nothing is seen. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const SHM = '/dev/shm';

export class Leftovers {
  readonly #before = new Set(list(SHM));
  readonly #processes = new Map<number, string>();

  /** Notes a process and all its descendants, by pid and start time (a pid alone may be used again). */
  remember(pid: number | undefined): void {
    if (pid === undefined) return;
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
    visit(pid);
  }

  /** Remembered processes that still run, and new files in /dev/shm that no living process holds. */
  list(): string[] {
    const alive = [...this.#processes]
      .filter(([pid, started]) => stat(pid)?.[19] === started && stat(pid)?.[0] !== 'Z')
      .map(([pid]) => `process ${pid}: ${read(`/proc/${pid}/cmdline`)?.replaceAll('\0', ' ').trim()}`);
    const files = list(SHM).filter((name) => !this.#before.has(name));
    const held = files.length > 0 ? heldFiles() : new Set<string>();
    return [...alive, ...files.map((name) => `${SHM}/${name}`).filter((path) => !held.has(path))];
  }
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
