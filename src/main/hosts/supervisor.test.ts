import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Ledger } from '../ledger/ledger';
import { FakeTransport } from '../testing/fake-transport';
import { processEnding } from './ending';
import { Supervisor } from './supervisor';

let thread: FakeTransport;
let processes: FakeTransport[];
let ledger: Ledger;
let supervisor: Supervisor;

beforeEach(() => {
  vi.useFakeTimers();
  thread = new FakeTransport('thread');
  processes = [];
  ledger = new Ledger({ deliver: () => {} });
  supervisor = new Supervisor({
    ledger,
    startThread: () => thread,
    startProcess: () => {
      const transport = new FakeTransport('process');
      processes.push(transport);
      return transport;
    },
    driver: 'auto',
    simulatorPath: '/sim.so',
  });
  supervisor.startInspector();
});
afterEach(() => {
  ledger.stop();
  vi.useRealTimers();
});

/** The process that was started last. */
const newest = (): FakeTransport => {
  const transport = processes.at(-1);
  if (transport === undefined) throw new Error('no process was started');
  return transport;
};

const started = async (role: 'producer' | 'consumer' = 'producer') => {
  const demo = await supervisor.startDemo(role, 'Producer 1', 0);
  newest().isReady('simulator', 5000);
  return { peerId: demo.peerId, pid: await demo.pid };
};

describe('starting', () => {
  it('has the Inspector in this process, starting until its driver answers', async () => {
    expect(ledger.peer('p1')).toMatchObject({ role: 'inspector', state: 'starting', pid: process.pid });
    thread.isReady();
    expect(ledger.peer('p1')).toMatchObject({ state: 'alive' });
    expect(await supervisor.driver()).toMatchObject({ kind: 'simulator' });
  });

  it("gives demo processes the Inspector's kind of driver", async () => {
    thread.isReady('real');
    await supervisor.startDemo('producer', 'Producer 1', 0);
    expect(newest().told[0]).toMatchObject({ kind: 'init', driver: 'real', role: 'producer', peerId: 'p2' });
  });

  it('keeps the Inspector without a driver, and starts no demo then', async () => {
    thread.says({ kind: 'failed', error: { code: 'no-driver', message: 'none' } });
    expect(ledger.peer('p1')).toMatchObject({ state: 'alive' });
    await expect(supervisor.startDemo('producer', 'Producer 1', 0)).rejects.toMatchObject({
      error: { code: 'no-driver' },
    });
    expect(processes).toHaveLength(0);
  });

  it('says why a demo process found no driver', async () => {
    thread.isReady();
    const demo = await supervisor.startDemo('producer', 'Producer 1', 0);
    newest().says({ kind: 'failed', error: { code: 'no-driver', message: 'out of devices' } });
    await expect(demo.pid).rejects.toMatchObject({ error: { code: 'no-driver' } });
    expect(ledger.peer(demo.peerId)).toMatchObject({ state: 'lost', ending: 'out of devices' });
  });
});

describe('ending', () => {
  beforeEach(() => thread.isReady());

  it('says how a killed process ended, and restarts it as another peer', async () => {
    const { peerId } = await started();
    await supervisor.kill(peerId);
    expect(ledger.peer(peerId)).toMatchObject({ state: 'lost', ending: 'SIGKILL' });
    expect(supervisor.host(peerId)).toBeUndefined();

    const again = await supervisor.restartDemo(peerId);
    newest().isReady();
    expect(await again.pid).toBe(4711);
    expect(ledger.peer(peerId)).toMatchObject({ replacedBy: again.peerId });
    expect(ledger.peer(again.peerId)).toMatchObject({ name: 'Producer 1', state: 'alive' });
  });

  it('gives up a process that SIGKILL does not end, so that another can take its place', async () => {
    const { peerId } = await started();
    newest().onKill = 'nothing';
    const killed = supervisor.kill(peerId);
    await vi.advanceTimersByTimeAsync(1_500);
    await killed;
    expect(ledger.peer(peerId)).toMatchObject({ state: 'lost', ending: 'does not return from a driver call' });
    expect(supervisor.host(peerId)).toBeUndefined();
  });

  it('says closed when a window was closed', async () => {
    const { peerId } = await started();
    await supervisor.close(peerId);
    expect(ledger.peer(peerId)).toMatchObject({ state: 'exited', ending: 'closed' });
  });

  it('ends everything, also what does not listen', async () => {
    await started();
    newest().obeys = false;
    await started();
    const done = supervisor.shutdown();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await done).toBe(true);
    expect(ledger.peers().map(({ state }) => state)).toEqual(['exited', 'exited', 'exited']);
  });

  it('says when a thread is stuck in a driver call', async () => {
    thread.obeys = false;
    thread.onKill = 'nothing';
    const done = supervisor.shutdown();
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await done).toBe(false);
  });
});

describe('a lost context', () => {
  beforeEach(() => thread.isReady());

  it('replaces the Inspector by a process', async () => {
    await vi.advanceTimersByTimeAsync(6_000);
    const error = {
      code: 'driver-error' as const,
      message: 'lost',
      cuda: { result: 700, name: 'CUDA_ERROR_ILLEGAL_ADDRESS', text: '' },
    };
    thread.says({ kind: 'context-lost', error });
    await vi.advanceTimersByTimeAsync(10);
    expect(ledger.peer('p1')).toMatchObject({
      state: 'lost',
      ending: 'context lost, CUDA_ERROR_ILLEGAL_ADDRESS',
      replacedBy: 'p2',
    });
    newest().isReady('simulator', 6000);
    expect(supervisor.inspectorPeerId).toBe('p2');
    expect(ledger.peer('p2')).toMatchObject({ role: 'inspector', state: 'alive', pid: 6000 });
  });

  it('does so even when the thread cannot be ended', async () => {
    await vi.advanceTimersByTimeAsync(6_000);
    thread.onKill = 'nothing';
    thread.says({ kind: 'context-lost', error: { code: 'driver-error', message: 'lost' } });
    await vi.advanceTimersByTimeAsync(2_000);
    expect(supervisor.inspectorPeerId).toBe('p2');
  });

  it('ends a demo process, whose window then offers a restart', async () => {
    const { peerId } = await started();
    newest().says({ kind: 'context-lost', error: { code: 'driver-error', message: 'lost' } });
    await vi.advanceTimersByTimeAsync(10);
    expect(ledger.peer(peerId)).toMatchObject({ state: 'lost', ending: 'context lost, lost' });
  });

  it('does not replace an Inspector again and again that dies at once', async () => {
    thread.ends({ state: 'lost', words: 'exit code 1' });
    await vi.advanceTimersByTimeAsync(10);
    expect(processes).toHaveLength(0);
    await expect(supervisor.driver()).rejects.toMatchObject({ error: { code: 'host-lost' } });
  });
});

describe('looking again', () => {
  it('has a new process take over', async () => {
    thread.isReady();
    const looking = supervisor.replaceInspector();
    await vi.advanceTimersByTimeAsync(10);
    newest().isReady('real');
    expect(await looking).toMatchObject({ kind: 'real' });
    expect(ledger.peer('p1')).toMatchObject({ state: 'exited', ending: 'replaced', replacedBy: 'p2' });
  });

  it('starts one process, however often it is asked meanwhile', async () => {
    thread.isReady();
    const looking = [supervisor.replaceInspector(), supervisor.replaceInspector()];
    await vi.advanceTimersByTimeAsync(10);
    newest().isReady('real');
    await Promise.all(looking);
    expect(processes).toHaveLength(1);
  });
});

describe('processEnding', () => {
  it('tells signals from exit codes', () => {
    expect(processEnding(9, true)).toEqual({ state: 'lost', words: 'SIGKILL' });
    expect(processEnding(11, true)).toEqual({ state: 'lost', words: 'SIGSEGV' });
    expect(processEnding(9, false)).toEqual({ state: 'lost', words: 'exit code 9' });
    expect(processEnding(0, false)).toEqual({ state: 'exited', words: 'exit code 0' });
  });
});
