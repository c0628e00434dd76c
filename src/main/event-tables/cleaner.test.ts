import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventTablePrefix } from '#native/posix/event-tables';
import { identify, type ProcessIdentity } from '#native/posix/process';
import { spawnShell, startCleaner } from './cleaner';

let folder: string;
const children: ChildProcess[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'event tables '));
});
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

async function startChild(): Promise<ProcessIdentity> {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  children.push(child);
  await once(child, 'spawn');
  return identify(child.pid as number) as ProcessIdentity;
}

async function kill({ pid }: ProcessIdentity): Promise<void> {
  const child = children.find((each) => each.pid === pid) as ChildProcess;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function makeTable({ pid }: ProcessIdentity, number = '1'): string {
  const name = `${eventTablePrefix(pid)}${number}`;
  writeFileSync(join(folder, name), '');
  return name;
}

const tables = () => readdirSync(folder).sort();
const isGone = ({ pid }: ChildProcess) =>
  vi.waitFor(() => expect(identify(pid as number)).toBeUndefined(), { timeout: 10_000, interval: 20 });

describe.skipIf(process.platform !== 'linux')('the cleaner', () => {
  it('removes the tables of dead processes when main is gone, waits for the dying, and ends', async () => {
    const [dead, dying, reused] = [await startChild(), await startChild(), await startChild()];
    const shell = spawnShell(folder);
    children.push(shell);
    const cleaner = startCleaner(folder, shell);
    for (const each of [dead, dying]) cleaner.add(each);
    // Another process has the pid by now.
    cleaner.add({ ...reused, startTicks: reused.startTicks - 1 });
    makeTable(dead);
    makeTable(dead, '2');
    const others = [makeTable(dead, '1.new'), makeTable(dead, '0.1'), makeTable(reused)];
    const last = makeTable(dying);
    await kill(dead);
    expect(tables()).toHaveLength(6);

    shell.stdin.destroy();
    await vi.waitFor(() => expect(tables()).toEqual([...others, last].sort()), { timeout: 5_000, interval: 20 });
    await kill(dying);
    await vi.waitFor(() => expect(tables()).toEqual(others.sort()), { timeout: 5_000, interval: 20 });
    await isGone(shell);
  });

  it('removes nothing when it is dismissed', async () => {
    const dead = await startChild();
    const shell = spawnShell(folder);
    children.push(shell);
    const cleaner = startCleaner(folder, shell);
    cleaner.add(dead);
    const name = makeTable(dead);
    await kill(dead);
    cleaner.dismiss();
    await isGone(shell);
    expect(tables()).toEqual([name]);
  });
});
