/**
 * The files of interprocess events. On Linux the driver keeps the events of a process in tables that others map:
 * /dev/shm/cuda.shm.UID.PID.N, the pid in lower-case hex. It removes them with their context; a process that is killed
 * leaves them for good (seen with 580.159.04, see docs/driver-facts.md). The simulator makes no such files.
 */
import { lstatSync, readdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { identify, liveness, type ProcessIdentity } from './process';

export const EVENT_TABLE_FOLDER = '/dev/shm';

/** How the names of a process's tables begin; what follows is a number. Undefined where users have no number. */
export function eventTablePrefix(pid: number): string | undefined {
  const uid = process.getuid?.();
  return uid === undefined ? undefined : `cuda.shm.${uid}.${pid.toString(16)}.`;
}

/** Paths of the tables of a process of this user; none where there is no such folder. */
export function eventTablesOf(pid: number, folder: string): string[] {
  const prefix = eventTablePrefix(pid);
  if (prefix === undefined) return [];
  return namesIn(folder)
    .filter((name) => name.startsWith(prefix) && /^[0-9a-f]+$/.test(name.slice(prefix.length)))
    .map((name) => join(folder, name))
    .filter(isOwnFile);
}

/** Removes the tables of a process that no longer needs them. */
export function removeEventTables(pid: number, folder: string): void {
  for (const path of eventTablesOf(pid, folder)) {
    try {
      unlinkSync(path);
    } catch {
      // Removed meanwhile, or not ours to remove.
    }
  }
}

/**
 * Removes what a dead process left. When another process has its pid by now, the tables of that name may belong to it:
 * they stay.
 * @returns false when the process is not known to be dead: nothing was done
 */
export function removeEventTablesOfDead(process: ProcessIdentity, folder: string): boolean {
  if (liveness(process) !== 'gone') return false;
  if (identify(process.pid) === undefined) removeEventTables(process.pid, folder);
  return true;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function isOwnFile(path: string): boolean {
  try {
    const found = lstatSync(path);
    return found.isFile() && found.uid === process.getuid?.();
  } catch {
    return false;
  }
}
