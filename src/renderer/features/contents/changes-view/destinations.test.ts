import { describe, expect, it } from 'vitest';
import type { ContentSnapshot } from '#contract/calls/contents';
import { allocation, ledgerOf, mapping, peer, shared } from '../../../lib/testing/records';
import { destinationsOf } from './destinations';
import { type Side, sidesOf } from './sides';

const snapshot = (objectId: string, offset: number): ContentSnapshot => ({
  id: 'p1.s1',
  name: 'before',
  objectId,
  label: '',
  offset,
  bytes: 64,
  takenAt: 0,
  where: 'memory',
});

/** Ways from a place of some sides, by their ids, seen from a memory. */
function from(ownId: string | undefined, ledger: ReturnType<typeof shared>, ids: readonly string[], of = 'p1.m1') {
  const sides = sidesOf(ledger, [snapshot(of, 16)], 'p1');
  const places = ids.map((id) => ({ side: sides.find((side) => side.id === id) as Side, offset: 8 }));
  return destinationsOf(ledger, places, ownId, 'p1');
}

describe('where a difference can be seen', () => {
  it('in other memory of this window, not in the one on screen', () => {
    const ledger = shared();
    expect(from('p1.m1', ledger, ['p1.m1', 'p1.a1'])).toEqual([
      expect.objectContaining({ kind: 'memory', id: 'p1.a1', offset: 8 }),
    ]);
    expect(from('p1.a1', ledger, ['p1.m1', 'p1.a1'])).toEqual([
      expect.objectContaining({ kind: 'memory', id: 'p1.m1', offset: 8 }),
    ]);
  });

  it("an exporter's buffer, a consumer's mapping and a snapshot are seen through the mapping here, once", () => {
    const ledger = shared();
    expect(from('p1.a1', ledger, ['p2.a1', 'p3.m1'])).toEqual([
      expect.objectContaining({ kind: 'memory', id: 'p1.m1', offset: 8 }),
    ]);
    expect(from('p1.a1', ledger, ['p1.s1', 'p1.a1'])).toEqual([
      expect.objectContaining({ kind: 'memory', id: 'p1.m1', offset: 24 }),
    ]);
    expect(from('p1.m1', ledger, ['p2.a1', 'p3.m1'])).toEqual([]);
  });

  it('memory that is exported is to be opened; its own window shows what is not', () => {
    const ledger = shared();
    const closed = new Map(ledger.mappings);
    closed.delete('p1.m1');
    expect(from('p1.a1', { ...ledger, mappings: closed }, ['p2.a1'])).toEqual([
      expect.objectContaining({ kind: 'open', offset: 8, step: expect.objectContaining({ exportId: 'p2.x1' }) }),
    ]);
    expect(from('p1.a1', { ...ledger, mappings: closed, exports: new Map() }, ['p2.a1'])).toEqual([
      { kind: 'step', step: expect.objectContaining({ kind: 'window', peerId: 'p2' }) },
    ]);
  });

  it('of memory that is gone there is none; a view that does not reach so far has no such place', () => {
    const ledger = ledgerOf({
      peers: [peer({ id: 'p1' }), peer({ id: 'p2' })],
      allocations: [allocation({ id: 'p1.a1', peerId: 'p1' })],
      mappings: [mapping({ id: 'p1.m1', peerId: 'p1', handleId: 'h1', offset: 512, bytes: 64 })],
    });
    expect(from('p1.a1', ledger, ['p1.s1'], 'p1.a9')).toEqual([]);
    const before: Side = { ...(sidesOf(ledger, [], 'p1').find(({ id }) => id === 'p1.m1') as Side), base: 0 };
    expect(destinationsOf(ledger, [{ side: before, offset: 8 }], 'p1.a1', 'p1')).toEqual([]);
  });
});
