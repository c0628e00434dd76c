import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { HostChange, HostTables } from '#contract/host-protocol';
import type { Peer } from '#contract/records';
import { Ledger } from './ledger';
import { KEPT_MS } from './retention';

let now = 0;
let ledger: Ledger;

beforeEach(() => {
  now = 1_000;
  ledger = new Ledger({ deliver: () => {}, now: () => now });
  for (const [id, role] of [
    ['p1', 'producer'],
    ['p2', 'consumer'],
  ] as const) {
    ledger.addPeer(peer(id, role));
  }
});
afterEach(() => ledger.stop());

const peer = (id: string, role: Peer['role']): Peer => ({
  id,
  role,
  name: id,
  pid: 1,
  device: 0,
  state: 'alive',
  startedAt: 0,
});

const origin = { exportId: null, exporterPeerId: null, createdAt: 0 };

const pool = (peerId: string, fields: Partial<HostTables['pools']> = {}): HostChange => ({
  table: 'pools',
  put: {
    id: `${peerId}.q1`,
    peerId,
    label: 'pool',
    device: 0,
    imported: false,
    shareable: true,
    maxBytes: null,
    state: 'live',
    usage: null,
    access: [],
    ...origin,
    ...fields,
  },
});

const physical = (peerId: string, fields: Partial<HostTables['physicals']> = {}): HostChange => ({
  table: 'physicals',
  put: {
    id: `${peerId}.f1`,
    peerId,
    label: 'physical',
    device: 0,
    bytes: 4096,
    requestedBytes: 1,
    imported: false,
    shareable: 'fd',
    state: 'live',
    ...origin,
    ...fields,
  },
});

const exported = (fields: Partial<HostTables['exports']>): HostChange => ({
  table: 'exports',
  put: {
    id: 'p1.x1',
    peerId: 'p1',
    kind: 'pool',
    mechanism: 'pool',
    objectId: 'p1.q1',
    state: 'live',
    descriptors: [{ fd: 5, bytes: null }],
    createdAt: 0,
    handle: null,
    ...fields,
  },
});

const mapping = (fields: Partial<HostTables['mappings']> = {}): HostChange => ({
  table: 'mappings',
  put: {
    id: 'p2.m1',
    peerId: 'p2',
    mechanism: 'virtual',
    exportId: 'p1.x1',
    exporterPeerId: null,
    label: 'mapping',
    device: 0,
    address: '0x7e00',
    bytes: 4096,
    offset: 0,
    allocationBytes: 4096,
    flags: 0,
    references: 1,
    state: 'open',
    exporter: 'unknown',
    openedAt: 0,
    handle: null,
    ...fields,
  },
});

const ofPhysical = { kind: 'physical', mechanism: 'virtual', objectId: 'p1.f1' } as const;

describe('an imported pool', () => {
  beforeEach(() => {
    ledger.apply('p1', [pool('p1'), exported({})], []);
    ledger.apply('p2', [pool('p2', { imported: true, exportId: 'p1.x1' })], []);
  });

  it('is of the export that its host names', () => {
    expect(ledger.record('pools', 'p2.q1')).toMatchObject({ exporterPeerId: 'p1', exporter: 'alive' });
    expect(ledger.hasOpen(ledger.record('exports', 'p1.x1') as never, 'p2')).toBe(true);
  });

  it('is not of an export that is not there', () => {
    ledger.apply('p2', [pool('p2', { id: 'p2.q2', imported: true, exportId: 'p1.x9' })], []);
    expect(ledger.record('pools', 'p2.q2')).toMatchObject({ exportId: null, exporter: 'unknown' });
  });

  it('still has its exporter when the descriptor is closed, and no more when the pool is destroyed', () => {
    ledger.apply('p1', [exported({ state: 'closed', descriptors: [] })], []);
    expect(ledger.record('exports', 'p1.x1')?.state).toBe('closed');
    expect(ledger.record('pools', 'p2.q1')?.exporter).toBe('alive');
    ledger.apply('p1', [pool('p1', { state: 'destroyed' })], []);
    expect(ledger.record('exports', 'p1.x1')?.state).toBe('freed');
    expect(ledger.record('pools', 'p2.q1')?.exporter).toBe('freed');
  });

  it('outlives its exporter, and ends with its own process', () => {
    ledger.endPeer('p1', 'lost', 'SIGKILL');
    expect(ledger.record('pools', 'p1.q1')?.state).toBe('gone');
    expect(ledger.record('pools', 'p2.q1')).toMatchObject({ state: 'live', exporter: 'gone' });
    ledger.endPeer('p2', 'exited', 'closed');
    expect(ledger.record('pools', 'p2.q1')?.state).toBe('gone');
  });

  it('keeps what it hangs on in the ledger', () => {
    ledger.apply('p1', [pool('p1', { state: 'destroyed', endedAt: now })], []);
    now += KEPT_MS + 1;
    ledger.sweep();
    expect(ledger.record('pools', 'p1.q1')?.state).toBe('destroyed');
    ledger.apply('p2', [pool('p2', { imported: true, exportId: 'p1.x1', state: 'destroyed', endedAt: now })], []);
    now += KEPT_MS + 1;
    ledger.sweep();
    for (const [table, id] of [
      ['pools', 'p2.q1'],
      ['exports', 'p1.x1'],
      ['pools', 'p1.q1'],
    ] as const) {
      expect(ledger.record(table, id), id).toBeUndefined();
    }
  });
});

describe('physical memory', () => {
  it('that was released stays as long as it is mapped', () => {
    const chunks = [{ offset: 0, bytes: 4096, physicalId: 'p2.f1' }];
    ledger.apply('p1', [physical('p1'), exported(ofPhysical)], []);
    ledger.apply(
      'p2',
      [physical('p2', { imported: true, exportId: 'p1.x1', shareable: 'none' }), mapping({ chunks })],
      [],
    );
    expect(ledger.record('physicals', 'p2.f1')).toMatchObject({ exporterPeerId: 'p1', exporter: 'alive' });
    expect(ledger.record('mappings', 'p2.m1')).toMatchObject({ exporterPeerId: 'p1', exporter: 'alive' });
    const released = physical('p2', { imported: true, exportId: 'p1.x1', state: 'released', endedAt: now });
    ledger.apply('p2', [released], []);
    ledger.apply('p1', [physical('p1', { state: 'released', endedAt: now })], []);
    for (const [table, id] of [
      ['physicals', 'p2.f1'],
      ['mappings', 'p2.m1'],
    ] as const) {
      expect(ledger.record(table, id)?.exporter, id).toBe('freed');
    }
    now += KEPT_MS + 1;
    ledger.sweep();
    expect(ledger.record('physicals', 'p2.f1')?.state).toBe('released');
    ledger.apply('p2', [mapping({ chunks: [], state: 'closed', references: 0, closedAt: now })], []);
    now += KEPT_MS + 1;
    ledger.sweep();
    expect(ledger.snapshot()).toMatchObject({ physicals: [], mappings: [], exports: [] });
  });

  it('counts among what a process holds', () => {
    ledger.apply('p1', [physical('p1'), pool('p1')], []);
    expect(ledger.holdings('p1')).toBe(2);
    ledger.apply('p1', [physical('p1', { state: 'released' })], []);
    expect(ledger.holdings('p1')).toBe(1);
  });
});

describe('two imports without handles', () => {
  it('are not taken for the same memory', () => {
    ledger.apply('p2', [mapping({ exportId: null }), mapping({ id: 'p2.m2', exportId: null })], []);
    expect(ledger.record('mappings', 'p2.m1')).toMatchObject({ exportId: null, handleId: undefined });
    expect(ledger.record('mappings', 'p2.m2')).toMatchObject({ exportId: null, handleId: undefined });
  });
});
