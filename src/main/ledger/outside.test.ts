import { beforeEach, describe, expect, it } from 'vitest';
import type { ProcessFacts, ProcessIdentity } from '#native/posix/process';
import { Ledger } from './ledger';
import { OutsideExporters } from './outside';

/** A handle as CuPy made it on an H200: pid 589, 4096 bytes. */
const handle = Uint8Array.from(
  Buffer.from(
    'd0d89f2a000000004d02000000000000001000000000000000020000000000000600000000ff000038000000000000004900d0c1ac00005c0000000000000000',
    'hex',
  ),
);

const python: ProcessFacts = {
  pid: 589,
  startTicks: 1000,
  name: 'python3',
  executable: '/usr/bin/python3',
  pidNamespace: 1,
  openFiles: 10,
  cuda: 'driver',
  innerPid: 589,
};

let facts: ProcessFacts | undefined;
let alive: boolean;
let ledger: Ledger;
let outside: OutsideExporters;
let asked: number;

const host = (checked: boolean) => ({
  request: () => {
    asked += 1;
    return Promise.resolve({ ok: true as const, value: { kind: 'memory', checked, note: '', fields: [] } });
  },
});

const mapping = (id: string, references = 1) =>
  ledger.apply(
    'p2',
    [
      {
        table: 'mappings',
        put: {
          id,
          peerId: 'p2',
          mechanism: 'legacy',
          exportId: null,
          exporterPeerId: null,
          label: '',
          device: 0,
          address: '0x7f00',
          bytes: 4096,
          offset: 0,
          allocationBytes: 4096,
          flags: 1,
          references,
          state: references > 0 ? 'open' : 'closed',
          exporter: 'unknown',
          openedAt: 0,
          handle,
        },
      },
    ],
    [],
  );

beforeEach(() => {
  facts = python;
  alive = true;
  asked = 0;
  ledger = new Ledger({ deliver: () => {} });
  ledger.addPeer({ id: 'p2', role: 'consumer', name: 'Consumer 1', pid: 2, device: 0, state: 'alive', startedAt: 0 });
  outside = new OutsideExporters(ledger, {
    facts: (pid) => (pid === 589 ? facts : undefined),
    isAlive: (_identity: ProcessIdentity) => alive,
  });
  mapping('p2.m1');
});

const exporter = () => ledger.snapshot().mappings.find(({ id }) => id === 'p2.m1');

describe('OutsideExporters', () => {
  it('names the process that made a handle, and sees it end', async () => {
    await outside.identify('mappings', 'p2.m1', handle, host(true));
    expect(exporter()).toMatchObject({ exporter: 'alive', exporterPeerId: 'o1' });
    expect(ledger.peer('o1')).toMatchObject({ role: 'outside', name: 'python3', pid: 589, state: 'alive' });
    outside.look();
    expect(exporter()).toMatchObject({ exporter: 'alive' });
    alive = false;
    outside.look();
    expect(exporter()).toMatchObject({ exporter: 'gone', state: 'open' });
    expect(ledger.peer('o1')).toMatchObject({ state: 'exited' });
  });

  it.each([
    ['the layout was not checked', false, python],
    ['nobody has that pid', true, undefined],
    ['that process has no CUDA driver', true, { ...python, cuda: 'none' as const }],
    ['its libraries cannot be seen', true, { ...python, cuda: undefined }],
    ['it counts pids differently', true, { ...python, innerPid: 12 }],
  ])('leaves the exporter unknown when %s', async (_why, checked, found) => {
    facts = found;
    await outside.identify('mappings', 'p2.m1', handle, host(checked));
    expect(exporter()).toMatchObject({ exporter: 'unknown', exporterPeerId: null });
    expect(ledger.peers()).toHaveLength(1);
  });

  it('does not ask for a handle that looks like none', async () => {
    await outside.identify('mappings', 'p2.m1', new Uint8Array(64), host(true));
    expect(asked).toBe(0);
  });

  it('has one peer for one process, and another when the pid is used again', async () => {
    await outside.identify('mappings', 'p2.m1', handle, host(true));
    mapping('p2.m2');
    await outside.identify('mappings', 'p2.m2', handle, host(true));
    expect(ledger.peers().map(({ id }) => id)).toEqual(['p2', 'o1']);
    mapping('p2.m3');
    facts = { ...python, startTicks: 2000 };
    await outside.identify('mappings', 'p2.m3', handle, host(true));
    expect(ledger.peers().map(({ id }) => id)).toEqual(['p2', 'o1', 'o2']);
  });

  it('knows a process of this app by its own peer', async () => {
    ledger.addPeer({
      id: 'p3',
      role: 'producer',
      name: 'Producer 1',
      pid: 589,
      device: 0,
      state: 'alive',
      startedAt: 0,
    });
    await outside.identify('mappings', 'p2.m1', handle, host(true));
    expect(exporter()).toMatchObject({ exporterPeerId: 'p3' });
  });

  it('forgets a process of which nothing is mapped any more', async () => {
    await outside.identify('mappings', 'p2.m1', handle, host(true));
    ledger.apply('p2', [{ table: 'mappings', remove: 'p2.m1' }], []);
    outside.look();
    expect(ledger.peer('o1')).toBeUndefined();
  });
});
