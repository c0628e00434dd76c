import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Supervisor } from '../hosts/supervisor';
import { Ledger } from '../ledger/ledger';
import { FakeTransport } from '../testing/fake-transport';
import type { WindowOptions, Windows } from '../windows/windows';
import { DemoWindows } from './demo-windows';

let opened: WindowOptions[];
let titles: string[];
let processes: FakeTransport[];
let ledger: Ledger;
let demos: DemoWindows;

beforeEach(() => {
  opened = [];
  titles = [];
  processes = [];
  ledger = new Ledger({ deliver: () => {} });
  const thread = new FakeTransport('thread');
  const supervisor = new Supervisor({
    ledger,
    startThread: () => thread,
    startProcess: () => {
      const transport = new FakeTransport();
      processes.push(transport);
      return transport;
    },
    driver: 'simulator',
    simulatorPath: '/sim.so',
  });
  supervisor.startInspector();
  thread.isReady();
  const windows: Pick<Windows, 'open' | 'setTitle' | 'focus' | 'closeUnasked'> = {
    open: (options) => opened.push(options),
    setTitle: (_id, title) => void titles.push(title),
    focus() {},
    closeUnasked() {},
  };
  demos = new DemoWindows(windows as Windows, supervisor, ledger);
});
afterEach(() => ledger.stop());

const settle = () => new Promise((resolve) => setImmediate(resolve));

async function open(pid: number) {
  const opening = demos.open('producer', 0);
  await settle();
  processes.at(-1)?.isReady('simulator', pid);
  return opening;
}

describe('DemoWindows', () => {
  it('numbers the windows and names the process in the title', async () => {
    expect(await open(41210)).toEqual({ peerId: 'p2', pid: 41210 });
    await open(41211);
    expect(opened.map(({ name }) => name)).toEqual(['Producer 1', 'Producer 2']);
    expect(titles).toEqual(['Producer 1 – pid 41210', 'Producer 2 – pid 41211']);
  });

  it('keeps the window when the process never answers, and starts another on request', async () => {
    const opening = demos.open('consumer', 0);
    await settle();
    processes[0]?.ends({ state: 'lost', words: 'SIGSEGV' });
    await expect(opening).rejects.toMatchObject({ error: { code: 'host-lost' } });
    expect(opened).toHaveLength(1);
    const restarting = demos.restart('p2');
    await settle();
    processes[1]?.isReady('simulator', 77);
    expect(await restarting).toEqual({ peerId: 'p3', pid: 77 });
    expect(opened[0]?.peerId()).toBe('p3');
  });

  it('starts one process, however often a restart is asked for', async () => {
    await open(1);
    processes[0]?.ends({ state: 'lost', words: 'SIGKILL' });
    const restarts = [demos.restart('p2'), demos.restart('p2')];
    await settle();
    processes[1]?.isReady('simulator', 2);
    expect(await Promise.all(restarts)).toEqual([
      { peerId: 'p3', pid: 2 },
      { peerId: 'p3', pid: 2 },
    ]);
    expect(processes).toHaveLength(2);
  });

  it('leaves no process behind when the window is closed during a restart', async () => {
    await open(1);
    processes[0]?.ends({ state: 'lost', words: 'SIGKILL' });
    const restarting = demos.restart('p2');
    opened[0]?.onClosed();
    await expect(restarting).rejects.toMatchObject({ error: { code: 'host-lost' } });
    expect(ledger.peer('p3')).toMatchObject({ state: 'exited' });
  });

  it('does not restart what runs, nor what has no window', async () => {
    await open(1);
    expect(() => demos.restart('p2')).toThrow(
      expect.objectContaining({ error: expect.objectContaining({ code: 'not-allowed' }) }),
    );
    expect(() => demos.restart('p9')).toThrow(
      expect.objectContaining({ error: expect.objectContaining({ code: 'not-found' }) }),
    );
  });

  it('has the process release everything and end when the window is closed', async () => {
    await open(1);
    opened[0]?.onClosed();
    expect(processes[0]?.told.at(-1)).toEqual({ kind: 'shutdown' });
    expect(ledger.peer('p2')).toMatchObject({ state: 'exited', ending: 'closed' });
  });
});
