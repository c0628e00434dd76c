import { describe, expect, it } from 'vitest';
import type { Allocation, Export, Mapping, Peer } from '#contract/records';
import { emptyLedger, type Ledger } from '../../lib/ledger';
import { targetOf } from '../../lib/target';
import { physical, pool } from '../../lib/testing/records';
import { explain } from './explain';

const peer = (id: string, role: Peer['role'], name: string, more: Partial<Peer> = {}): Peer => ({
  id,
  role,
  name,
  pid: 1,
  device: 0,
  state: 'alive',
  startedAt: 0,
  ...more,
});
const inspector = peer('p0', 'inspector', 'Inspector');
const producer = peer('p1', 'producer', 'Producer 1');
const consumer = peer('p2', 'consumer', 'Consumer 1');

const allocation = (more: Partial<Allocation> = {}): Allocation => ({
  id: 'p1.a1',
  peerId: 'p1',
  label: 'activations',
  memory: 'device',
  dtype: 'f32',
  device: 0,
  bytes: 4096,
  address: '0x7f0000000000',
  blockBytes: null,
  state: 'live',
  createdAt: 1,
  ...more,
});
const exported = (state: Export['state'] = 'live'): Export => ({
  id: 'p1.x1',
  peerId: 'p1',
  kind: 'memory',
  mechanism: 'legacy',
  objectId: 'p1.a1',
  state,
  createdAt: 2,
});
const mapping = (id: string, peerId: string, more: Partial<Mapping> = {}): Mapping => ({
  id,
  peerId,
  mechanism: 'legacy',
  exportId: 'p1.x1',
  exporterPeerId: 'p1',
  label: 'activations',
  device: 0,
  address: '0x7f1000000000',
  bytes: 4096,
  offset: 0,
  allocationBytes: 4096,
  flags: 1,
  references: 1,
  state: 'open',
  exporter: 'alive',
  openedAt: 3,
  ...more,
});

interface Parts {
  peers?: Peer[];
  allocations?: Allocation[];
  exports?: Export[];
  mappings?: Mapping[];
}
function ledgerOf(parts: Parts): Ledger {
  const table = <R extends { id: string }>(records: R[] = []) => new Map(records.map((record) => [record.id, record]));
  return {
    ...emptyLedger,
    peers: table(parts.peers ?? [inspector, producer, consumer]),
    allocations: table(parts.allocations),
    exports: table(parts.exports),
    mappings: table(parts.mappings),
  };
}
const explained = (parts: Parts, id = 'p1.a1') => {
  const ledger = ledgerOf(parts);
  return explain(ledger, id, targetOf(ledger, id, 'p0'), 'p0');
};

describe('why bytes cannot be read here', () => {
  it('nothing to explain when they can', () => {
    expect(
      explained({ allocations: [allocation()], exports: [exported()], mappings: [mapping('p0.m1', 'p0')] }),
    ).toBeUndefined();
    expect(explained({ allocations: [allocation({ id: 'p0.a1', peerId: 'p0' })] }, 'p0.a1')).toBeUndefined();
  });

  it('an export can be opened', () => {
    expect(explained({ allocations: [allocation()], exports: [exported()] })).toMatchObject({
      title: 'activations is not open in Inspector',
      next: { kind: 'open', exportId: 'p1.x1', device: 0 },
      over: false,
    });
  });

  it('what is not exported has to be exported first, in its own window', () => {
    expect(explained({ allocations: [allocation()] })).toMatchObject({
      title: 'activations is not exported',
      next: { kind: 'window', peerId: 'p1' },
    });
  });

  it('a mapping of another process leads to the same export', () => {
    const parts = { allocations: [allocation()], exports: [exported()], mappings: [mapping('p2.m1', 'p2')] };
    expect(explained(parts, 'p2.m1')).toMatchObject({ next: { kind: 'open', exportId: 'p1.x1' } });
  });

  it('closed here, it can be opened again while the export lives', () => {
    const closed = mapping('p0.m1', 'p0', { state: 'closed', closedAt: 9 });
    const live = { allocations: [allocation()], exports: [exported()], mappings: [closed] };
    expect(explained(live, 'p0.m1')).toMatchObject({ over: true, next: { kind: 'open' } });
    const gone = {
      peers: [inspector, { ...producer, state: 'lost' as const, ending: 'SIGKILL' }, consumer],
      allocations: [allocation({ state: 'gone', endedAt: 5 })],
      exports: [exported('gone')],
      mappings: [closed, mapping('p2.m1', 'p2', { exporter: 'gone' })],
    };
    expect(explained(gone, 'p0.m1')).toMatchObject({
      over: true,
      text: 'Others still hold it, but the driver knows no exporter for its handle since Producer 1 ended.',
      next: { kind: 'window', peerId: 'p2' },
    });
  });

  it('freed by its owner and held elsewhere: read it there', () => {
    const parts = {
      allocations: [allocation({ state: 'freed', endedAt: 5 })],
      exports: [exported('freed')],
      mappings: [mapping('p2.m1', 'p2', { exporter: 'freed' })],
    };
    expect(explained(parts)).toMatchObject({
      title: 'Producer 1 freed activations',
      next: { kind: 'window', peerId: 'p2' },
    });
  });

  it('freed and held by nobody: the bytes are gone', () => {
    expect(explained({ allocations: [allocation({ state: 'freed', endedAt: 5 })] })).toMatchObject({
      title: 'Producer 1 freed activations',
      over: true,
      next: undefined,
    });
  });

  it('a handle from outside has to be imported here as well', () => {
    const foreign = mapping('p2.m1', 'p2', { exportId: null, exporterPeerId: null, exporter: 'unknown' });
    expect(explained({ mappings: [foreign] }, 'p2.m1')).toMatchObject({ next: { kind: 'import' }, over: false });
    const closed = { ...foreign, state: 'closed' as const, closedAt: 9 };
    expect(explained({ mappings: [closed] }, 'p2.m1')).toMatchObject({ over: true });
  });

  it('the Inspector’s own process is lost', () => {
    const parts = {
      peers: [{ ...inspector, state: 'lost' as const, ending: 'CUDA_ERROR_ILLEGAL_ADDRESS' }, producer],
      allocations: [allocation({ id: 'p0.a1', peerId: 'p0', state: 'gone', endedAt: 4 })],
    };
    expect(explained(parts, 'p0.a1')?.title).toContain('own CUDA process ended');
  });

  it('pools and physical memory have no bytes, and say where to look', () => {
    const ledger: Ledger = {
      ...emptyLedger,
      pools: new Map([['p1.q1', pool({ id: 'p1.q1', peerId: 'p1', label: 'tensors' })]]),
      physicals: new Map([['p1.f1', physical({ id: 'p1.f1', peerId: 'p1', label: 'block' })]]),
    };
    const titleOf = (id: string) => explain(ledger, id, targetOf(ledger, id, 'p0'), 'p0')?.title;
    expect(titleOf('p1.q1')).toBe('tensors has no bytes of its own');
    expect(titleOf('p1.f1')).toBe('block has no address');
    expect(titleOf('p1.e1')).toBeUndefined();
  });
});
