import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import {
  cudaLibraryIn,
  identify,
  innerPid,
  liveness,
  ownPidNamespace,
  parseStat,
  presence,
  processFacts,
} from './process';

const onLinux = describe.skipIf(process.platform !== 'linux');

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill('SIGKILL');
  child = undefined;
});

function startChild(): number {
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('no pid');
  return child.pid;
}

onLinux('facts about a running process', () => {
  it('knows this process', () => {
    const facts = processFacts(process.pid);
    expect(facts).toMatchObject({ pid: process.pid, executable: process.execPath, innerPid: expect.any(Number) });
    expect(facts?.pidNamespace).toBe(ownPidNamespace());
    expect(facts?.openFiles).toBeGreaterThan(2);
    expect(facts?.cuda).toBe('none');
  });

  it('says gone once a process is killed', async () => {
    const pid = startChild();
    const identity = identify(pid);
    if (identity === undefined) throw new Error('the child was not found');
    expect(liveness(identity)).toBe('alive');
    const ended = child === undefined ? Promise.resolve() : once(child, 'exit');
    child?.kill('SIGKILL');
    await ended;
    expect(liveness(identity)).toBe('gone');
    expect(processFacts(pid)).toBeUndefined();
  });

  it('says whether anybody has a pid', async () => {
    const pid = startChild();
    expect(presence(pid)).toBe('alive');
    const ended = child === undefined ? Promise.resolve() : once(child, 'exit');
    child?.kill('SIGKILL');
    await ended;
    expect(presence(pid)).toBe('gone');
    // Larger than any pid that Linux gives.
    expect(presence(2 ** 22 + 1)).toBe('gone');
  });

  it('does not take a later process with the same pid for the old one', () => {
    const identity = identify(process.pid);
    if (identity === undefined) throw new Error('this process was not found');
    expect(liveness({ ...identity, startTicks: identity.startTicks - 1 })).toBe('gone');
  });
});

describe('parsing /proc', () => {
  it('finds the fields after a name with spaces and brackets', () => {
    const stat = `7 (a b) c) S ${Array.from({ length: 18 }, (_, i) => i).join(' ')} 4242 1 2`;
    expect(parseStat(stat)).toEqual({ state: 'S', startTicks: 4242 });
    expect(parseStat('')).toBeUndefined();
  });

  it('tells the driver from the simulator', () => {
    expect(cudaLibraryIn('7f r-xp 0 /usr/lib/x86_64-linux-gnu/libcuda.so.580.159.04\n')).toBe('driver');
    expect(cudaLibraryIn('7f r-xp 0 /home/me/build/native/libcuda-sim.so\n')).toBe('simulator');
    expect(cudaLibraryIn('7f r-xp 0 /usr/lib/libcudart.so.12\n')).toBe('none');
  });

  it('takes the innermost pid of nested namespaces', () => {
    expect(innerPid('Name:\tx\nNSpid:\t4711\t23\t1\n')).toBe(1);
    expect(innerPid('Name:\tx\n')).toBeUndefined();
  });
});
