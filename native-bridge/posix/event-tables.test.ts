import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventTablesOf, removeEventTables, removeEventTablesOfDead } from './event-tables';
import { identify, type ProcessIdentity } from './process';

const PID = 0x16ef;
const uid = process.getuid?.();

let folder: string;
let child: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event-tables-'));
});
afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const make = (...names: string[]) => {
  for (const name of names) writeFileSync(join(folder, name), '');
};
const left = () => readdirSync(folder).sort();

async function startChild(): Promise<ProcessIdentity> {
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error('the child was not found');
  return identity;
}

describe.skipIf(process.platform !== 'linux')('tables of events', () => {
  it('are those of this user with exactly this pid', () => {
    const others = [
      `cuda.shm.${uid}.16ef`,
      `cuda.shm.${uid}.16ef.`,
      `cuda.shm.${uid}.16ef.1.new`,
      `cuda.shm.${uid}.16EF.1`,
      `cuda.shm.${uid}.16ef0.1`,
      `cuda.shm.${uid}.5871.1`,
      `cuda.shm.${Number(uid) + 1}.16ef.1`,
      `xcuda.shm.${uid}.16ef.1`,
      `torch_${PID}_1_0`,
    ];
    make(`cuda.shm.${uid}.16ef.1`, `cuda.shm.${uid}.16ef.2`, ...others);
    mkdirSync(join(folder, `cuda.shm.${uid}.16ef.3`));
    symlinkSync(join(folder, others[0] as string), join(folder, `cuda.shm.${uid}.16ef.4`));
    expect(eventTablesOf(PID, folder).sort()).toEqual([
      join(folder, `cuda.shm.${uid}.16ef.1`),
      join(folder, `cuda.shm.${uid}.16ef.2`),
    ]);
    removeEventTables(PID, folder);
    expect(left()).toEqual([...others, `cuda.shm.${uid}.16ef.3`, `cuda.shm.${uid}.16ef.4`].sort());
  });

  it('are none where there is no folder for them', () => {
    expect(eventTablesOf(PID, join(folder, 'missing'))).toEqual([]);
    expect(() => removeEventTables(PID, join(folder, 'missing'))).not.toThrow();
  });

  it('go when their process is dead, and not before', async () => {
    const identity = await startChild();
    const name = `cuda.shm.${uid}.${identity.pid.toString(16)}.1`;
    make(name);
    expect(removeEventTablesOfDead(identity, folder)).toBe(false);
    expect(left()).toEqual([name]);
    child?.kill('SIGKILL');
    await once(child as ChildProcess, 'exit');
    expect(removeEventTablesOfDead(identity, folder)).toBe(true);
    expect(left()).toEqual([]);
  });

  it('stay when another process has the pid by now', async () => {
    const identity = await startChild();
    const name = `cuda.shm.${uid}.${identity.pid.toString(16)}.1`;
    make(name);
    expect(removeEventTablesOfDead({ ...identity, startTicks: identity.startTicks - 1 }, folder)).toBe(true);
    expect(left()).toEqual([name]);
  });
});
