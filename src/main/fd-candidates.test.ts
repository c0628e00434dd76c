import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { hostElsewhere, prepareChildHosts } from '#host/testing/child-host';
import { descriptorsOf, hasPtraceCapability, isCandidate, mayTake, type TakingFacts } from './fd-candidates';

prepareChildHosts();

const allowed: TakingFacts = {
  tried: undefined,
  sameUser: true,
  ptraceCapability: false,
  ptraceScope: 0,
  descendant: false,
  samePidNamespace: true,
};

describe('whether a descriptor may be taken', () => {
  it.each<[string, Partial<TakingFacts>, boolean | null, RegExp]>([
    ['it was tried', { tried: 'ok' }, true, /copy was taken/],
    ['it was tried in another pid namespace', { tried: 'ok', samePidNamespace: false }, true, /other numbers/],
    ['nothing to try, nothing against it', {}, true, /nothing was tried/],
    ['nothing to try, and /proc tells nothing', { sameUser: undefined }, null, /nothing was tried/],
    ['another user', { sameUser: false }, false, /another user, and this app has no CAP_SYS_PTRACE/],
    ['another user, with the capability', { sameUser: false, ptraceCapability: true }, true, /nothing was tried/],
    ['Yama 1, not started here', { ptraceScope: 1 }, false, /ptrace_scope is 1/],
    ['Yama 1, started here', { ptraceScope: 1, descendant: true }, true, /nothing was tried/],
    ['Yama 1, with the capability', { ptraceScope: 1, ptraceCapability: true }, true, /nothing was tried/],
    ['Yama 2', { ptraceScope: 2, descendant: true }, false, /ptrace_scope is 2/],
    ['Yama 3, even with the capability', { ptraceScope: 3, ptraceCapability: true }, false, /ptrace_scope is 3/],
    ['no Yama', { ptraceScope: undefined }, true, /nothing was tried/],
    ['refused for a reason', { tried: 'EPERM', ptraceScope: 1 }, false, /ptrace_scope is 1.*\(EPERM\)/],
    ['refused without a known reason', { tried: 'EPERM' }, false, /not dumpable.*\(EPERM\)/],
    ['another user, seen by nobody', { tried: 'EACCES', sameUser: false }, false, /another user.*\(EACCES\)/],
    ['an old kernel', { tried: 'ENOSYS' }, false, /Linux 5\.6/],
    ['closed meanwhile', { tried: 'EBADF' }, null, /closed meanwhile/],
    ['ended meanwhile', { tried: 'ESRCH' }, false, /has ended/],
  ])('%s', (_name, facts, expected, why) => {
    const answer = mayTake({ ...allowed, ...facts });
    expect(answer.allowed).toBe(expected);
    expect(answer.why).toMatch(why);
  });

  it('reads the capability out of /proc', () => {
    expect(hasPtraceCapability('CapEff:\t0000000000080000\n')).toBe(true);
    expect(hasPtraceCapability('CapPrm:\t0000000000080000\nCapEff:\t0000000000000000\n')).toBe(false);
    expect(hasPtraceCapability('')).toBe(false);
  });
});

describe('candidates', () => {
  it('are the files of the driver and of the simulator that stand for memory', () => {
    for (const file of ['/dev/nvidiactl', '/memfd:gpu-ipc-sim.pool (deleted)', '/memfd:gpu-ipc-sim.physical (deleted)'])
      expect(isCandidate(file), file).toBe(true);
    for (const file of ['/dev/nvidia0', '/dev/null', '/memfd:gpu-ipc-sim (deleted)', '/memfd:other', 'socket:[1]'])
      expect(isCandidate(file), file).toBe(false);
  });
});

describe.runIf(process.platform === 'linux')('of a process', () => {
  it('with shareable memory are found, and one is tried', async () => {
    const exporter = await hostElsewhere('p1');
    const { id } = await exporter.value('virtual.create', { device: 0, bytes: 4096 });
    const { fd } = await exporter.value('virtual.export', { id });
    const before = readdirSync('/proc/self/fd').length;
    const { allowed, candidates, name, why } = descriptorsOf(exporter.pid);
    expect(candidates.map((one) => one.fd)).toContain(fd);
    expect(allowed, why).toBe(true);
    expect(name).not.toBe('');
    expect(readdirSync('/proc/self/fd').length).toBe(before);
    await exporter.shutdown();
  });

  it('without any are none', async () => {
    const child = spawn('sleep', ['60'], { stdio: 'ignore' });
    await once(child, 'spawn');
    expect(descriptorsOf(child.pid ?? 0)).toMatchObject({ allowed: true, candidates: [] });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(() => descriptorsOf(child.pid ?? 0)).toThrow(/No process has the pid/);
  });
});
