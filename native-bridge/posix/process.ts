/**
 * Facts about a process, ours or any other, from /proc. On systems without /proc, and where the kernel does not let
 * this user look, the answer is undefined: unknown, which is not no.
 *
 * A pid alone names nobody for long, because pids are used again. A process is named by its pid and its start time.
 */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/PID/stat: clock ticks between boot and its start. */
  readonly startTicks: number;
}

/** Which CUDA driver a process has loaded. */
export type CudaLibrary = 'driver' | 'simulator' | 'none';

export interface ProcessFacts extends ProcessIdentity {
  /** First 15 bytes of the program's name, as the process set it: `python3`, `electron`. */
  readonly name: string;
  /** Path of the program; undefined when the kernel does not tell this user. */
  readonly executable: string | undefined;
  /** Inode of its pid namespace: two processes that differ here count pids differently. */
  readonly pidNamespace: number | undefined;
  /** Open file descriptors. */
  readonly openFiles: number | undefined;
  readonly cuda: CudaLibrary | undefined;
  /** Its pid in its own, innermost pid namespace; equals `pid` outside containers. */
  readonly innerPid: number | undefined;
}

export type Liveness = 'alive' | 'gone' | 'unknown';

const hasProc = process.platform === 'linux';

/**
 * Who has this pid now.
 * @returns undefined when nobody has it, when it is a zombie (dead, and only not yet waited for), when it is another
 *   user's that /proc hides, and without /proc; `presence` tells these apart
 */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = read(`/proc/${pid}/stat`);
  const parsed = stat === undefined ? undefined : parseStat(stat);
  if (parsed === undefined || parsed.state === 'Z' || parsed.state === 'X') return undefined;
  return { pid, startTicks: parsed.startTicks };
}

/** Whether that very process is still there; a later one with the same pid does not count. */
export function liveness({ pid, startTicks }: ProcessIdentity): Liveness {
  const now = identify(pid);
  if (now === undefined) return presence(pid);
  return now.startTicks === startTicks ? 'alive' : 'gone';
}

/**
 * Whether any process has this pid, as this one counts them. Where /proc hides the processes of other users (hidepid),
 * a signal still tells that somebody is there.
 */
export function presence(pid: number): Liveness {
  if (!hasProc) return 'unknown';
  if (identify(pid) !== undefined) return 'alive';
  // There and dead: a zombie.
  if (read(`/proc/${pid}/stat`) !== undefined) return 'gone';
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH' ? 'gone' : 'unknown';
  }
}

/** Everything known about the process that has this pid now; undefined when there is none, or without /proc. */
export function processFacts(pid: number): ProcessFacts | undefined {
  const identity = identify(pid);
  if (identity === undefined) return undefined;
  return {
    ...identity,
    name: read(`/proc/${pid}/comm`)?.trimEnd() ?? '',
    executable: link(`/proc/${pid}/exe`)?.replace(/ \(deleted\)$/, ''),
    pidNamespace: namespaceInode(link(`/proc/${pid}/ns/pid`)),
    openFiles: count(`/proc/${pid}/fd`),
    cuda: cudaLibrary(pid),
    innerPid: innerPid(read(`/proc/${pid}/status`)),
  };
}

/** Inode of our own pid namespace; undefined without /proc. */
export function ownPidNamespace(): number | undefined {
  return namespaceInode(link('/proc/self/ns/pid'));
}

/** State letter and start time out of /proc/PID/stat. The name in it may hold spaces and brackets: `1 (a) b) S …`. */
export function parseStat(stat: string): { readonly state: string; readonly startTicks: number } | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [state, startTicks] = [fields[0], Number(fields[19])];
  return state === undefined || !Number.isFinite(startTicks) ? undefined : { state, startTicks };
}

/** Which CUDA library is among the mapped files of /proc/PID/maps. */
export function cudaLibraryIn(maps: string): CudaLibrary {
  if (/\/libcuda-sim\.so/.test(maps)) return 'simulator';
  return /\/libcuda\.so/.test(maps) ? 'driver' : 'none';
}

/** Last number of the line NSpid of /proc/PID/status. */
export function innerPid(status: string | undefined): number | undefined {
  const numbers = /^NSpid:\s*(.+)$/m.exec(status ?? '')?.[1]?.split(/\s+/);
  return numbers === undefined ? undefined : Number(numbers[numbers.length - 1]);
}

function cudaLibrary(pid: number): CudaLibrary | undefined {
  const maps = read(`/proc/${pid}/maps`);
  return maps === undefined ? undefined : cudaLibraryIn(maps);
}

/** `pid:[4026531836]` → 4026531836 */
function namespaceInode(target: string | undefined): number | undefined {
  const inode = /\[(\d+)\]/.exec(target ?? '')?.[1];
  return inode === undefined ? undefined : Number(inode);
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function link(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function count(folder: string): number | undefined {
  try {
    return readdirSync(folder).length;
  } catch {
    return undefined;
  }
}
