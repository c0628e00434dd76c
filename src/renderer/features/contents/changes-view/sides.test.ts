import { describe, expect, it } from 'vitest';
import type { ContentSnapshot } from '#contract/calls/contents';
import { allocation, exported, ledgerOf, mapping, peer, shared } from '../../../lib/testing/records';
import { firstPair, pair, type Side, sidesOf } from './sides';

const snapshot = (change: Partial<ContentSnapshot> & Pick<ContentSnapshot, 'id'>): ContentSnapshot => ({
  name: change.id,
  objectId: 'p1.m1',
  label: 'activations',
  offset: 0,
  bytes: 4096,
  takenAt: 0,
  where: 'memory',
  ...change,
});

const side = (change: Partial<Side>): Side => ({
  id: 'p1.a1',
  objectId: change.id ?? 'p1.a1',
  name: '',
  detail: '',
  kind: 'memory',
  root: 'p1.a1',
  base: 0,
  bytes: 100,
  readable: true,
  ...change,
});

describe('what can be compared', () => {
  it('memory of every process, own first, and snapshots, newest first', () => {
    const sides = sidesOf(shared(), [snapshot({ id: 'p1.s1' }), snapshot({ id: 'p1.s2' })], 'p1');
    expect(sides.map(({ id }) => id)).toEqual(['p1.a1', 'p1.m1', 'p1.m2', 'p2.a1', 'p3.m1', 'p1.s2', 'p1.s1']);
    expect(sides.map(({ readable }) => readable)).toEqual([true, true, true, false, false, true, true]);
    expect(sides.find(({ id }) => id === 'p3.m1')?.name).toBe('activations, as Consumer 1 has it');
  });

  it('a mapping, its exporter’s buffer and a snapshot of it are the same memory', () => {
    const sides = sidesOf(shared(), [snapshot({ id: 'p1.s1', offset: 64 })], 'p1');
    expect(sides.filter(({ root }) => root === 'p2.a1').map(({ id }) => id)).toEqual([
      'p1.m1',
      'p2.a1',
      'p3.m1',
      'p1.s1',
    ]);
    expect(sides.find(({ id }) => id === 'p1.s1')?.base).toBe(64);
  });

  it('what is over is not among them', () => {
    const ledger = ledgerOf({
      peers: [peer({ id: 'p1' })],
      allocations: [allocation({ id: 'p1.a1', peerId: 'p1', state: 'freed' })],
      exports: [exported({ id: 'p1.x1', peerId: 'p1', objectId: 'p1.a1' })],
      mappings: [mapping({ id: 'p1.m1', peerId: 'p1', exportId: 'p1.x1', state: 'closed' })],
    });
    expect(sidesOf(ledger, [], 'p1')).toEqual([]);
  });
});

describe('which bytes belong together', () => {
  it('the same places of the same memory', () => {
    expect(pair(side({}), side({ base: 30, bytes: 20 }))).toEqual({ aOffset: 30, bOffset: 0, length: 20 });
    expect(pair(side({ base: 10, bytes: 40 }), side({ base: 30, bytes: 40 }))).toEqual({
      aOffset: 20,
      bOffset: 0,
      length: 20,
    });
    expect(pair(side({ base: 0, bytes: 10 }), side({ base: 30, bytes: 40 }))).toBeUndefined();
  });

  it('of other memory, both from the first byte on', () => {
    expect(pair(side({ base: 10 }), side({ root: 'p1.a2', bytes: 40 }))).toEqual({
      aOffset: 0,
      bOffset: 0,
      length: 40,
    });
  });

  it('at first the newest snapshot with the memory, else another view of it', () => {
    const live = side({});
    const other = side({ id: 'p1.a2', root: 'p1.a2' });
    const view = side({ id: 'p2.m1' });
    const old = side({ id: 'p1.s1', kind: 'snapshot' });
    expect(firstPair([live, other, view, old], 'p1.a1')).toEqual({ a: 'p1.s1', b: 'p1.a1' });
    expect(firstPair([live, other, view], 'p1.a1')).toEqual({ a: 'p2.m1', b: 'p1.a1' });
    expect(firstPair([live, other], 'p1.a1')).toEqual({ a: 'p1.a2', b: 'p1.a1' });
    expect(firstPair([live], 'p1.a1')).toEqual({ a: undefined, b: 'p1.a1' });
  });
});
