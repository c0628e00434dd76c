import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostChange } from '#contract/host-protocol';
import type { Peer } from '#contract/records';
import type { Result } from '#contract/result';
import { Ledger } from '../ledger/ledger';
import { OutsideExporters } from '../ledger/outside';
import type { WindowRecord } from '../windows/registry';
import type { Services } from './services';
import { sharingHandlers } from './sharing';

const handle = new Uint8Array(64).fill(7);
const device = 0;

let ledger: Ledger;
/** What the host was asked, in order. */
let asked: string[];
/** What the driver answers to an open. */
let opens: Result<unknown>;

const peer = (id: string, role: Peer['role'], name: string): Peer => ({
  id,
  role,
  name,
  pid: 1,
  device,
  state: 'alive',
  startedAt: 0,
});

const mapping = (): HostChange => ({
  table: 'mappings',
  put: {
    id: 'p2.m1',
    peerId: 'p2',
    mechanism: 'legacy',
    exportId: null,
    exporterPeerId: null,
    label: '',
    device,
    address: '0x7e00',
    bytes: 4096,
    offset: 0,
    allocationBytes: 4096,
    flags: 1,
    references: 1,
    state: 'open',
    exporter: 'unknown',
    openedAt: 0,
    handle,
  },
});

const setExport = (state: 'live' | 'freed') =>
  ledger.apply(
    'p1',
    [
      {
        table: 'allocations',
        put: {
          id: 'p1.a1',
          peerId: 'p1',
          label: 'weights',
          memory: 'device',
          dtype: 'u8',
          device,
          bytes: 4096,
          address: '0x7f00',
          blockBytes: null,
          state,
          createdAt: 0,
        },
      },
      {
        table: 'exports',
        put: {
          id: 'p1.x1',
          peerId: 'p1',
          kind: 'memory',
          mechanism: 'legacy',
          objectId: 'p1.a1',
          state,
          createdAt: 0,
          handle,
        },
      },
    ],
    [],
  );

beforeEach(() => {
  ledger = new Ledger({ deliver: () => {} });
  ledger.addPeer(peer('p1', 'producer', 'Producer 1'));
  ledger.addPeer(peer('p2', 'consumer', 'Consumer 1'));
  asked = [];
  opens = { ok: true, value: { id: 'p2.m1', address: '0x7e00', bytes: 4096, references: 1, state: 'open' } };
  setExport('live');
});
afterEach(() => ledger.stop());

function open(args: { exportId: string } | { handle: Uint8Array<ArrayBuffer> }): Promise<unknown> {
  const host = {
    request: (name: string) => {
      asked.push(name);
      return Promise.resolve(name === 'imports.open' ? opens : { ok: true, value: { references: 0, state: 'closed' } });
    },
  };
  const services = { ledger, supervisor: { host: () => host }, outside: new OutsideExporters(ledger) };
  const caller = { peerId: () => 'p2', name: 'Consumer 1', role: 'consumer' };
  const handlers = sharingHandlers(services as unknown as Services);
  return Promise.resolve(handlers['imports.open']({ ...args, device }, caller as unknown as WindowRecord));
}

describe('opening a handle', () => {
  it('of live memory is just that', async () => {
    expect(await open({ exportId: 'p1.x1' })).toMatchObject({ id: 'p2.m1' });
    expect(asked).toEqual(['imports.open']);
  });

  it.each([
    ['its export', { exportId: 'p1.x1' }],
    ['its bytes', { handle }],
  ] as const)('of freed memory, by %s, is never taken for that memory', async (_what, args) => {
    setExport('freed');
    await expect(open(args)).rejects.toMatchObject({
      error: { code: 'closed', message: expect.stringMatching(/^weights was freed\. .* the memory of Producer 1 now/) },
    });
    expect(asked).toEqual(['imports.open', 'imports.close']);
  });

  it('of freed memory is one more reference for who has it open', async () => {
    ledger.apply('p2', [mapping()], []);
    setExport('freed');
    expect(await open({ handle })).toMatchObject({ id: 'p2.m1' });
    expect(asked).toEqual(['imports.open']);
  });

  it('of freed memory that the driver refuses says what the driver said', async () => {
    setExport('freed');
    opens = { ok: false, error: { code: 'driver-error', message: 'invalid argument' } };
    await expect(open({ handle })).rejects.toMatchObject({ error: { code: 'driver-error' } });
    expect(asked).toEqual(['imports.open']);
  });
});
