import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../lib/groups';
import { exported, ledgerOf, peer, physical, pool, shared } from '../../lib/testing/records';
import { holdingsOf } from './holdings';

describe('the line of a process', () => {
  const { list } = groupsOf(shared());
  it.each([
    [peer({ id: 'p1', role: 'inspector' }), '1 buffer · 2 mappings'],
    [peer({ id: 'p2' }), 'shares 2 · held by 2'],
    [peer({ id: 'p3', role: 'consumer' }), '1 mapping · 1 event'],
    [peer({ id: 'p4', role: 'outside' }), 'shares 1 · held by 1'],
    [peer({ id: 'p9' }), 'nothing open'],
    [peer({ id: 'p2', state: 'exited', ending: 'closed' }), '4.00 MiB still mapped'],
    [peer({ id: 'p9', state: 'exited', ending: 'closed' }), 'closed'],
  ])('%j', (process, line) => expect(holdingsOf(process, list)).toBe(line));
});

it('names pools and physical memory too, its own and imported ones', () => {
  const { list } = groupsOf(
    ledgerOf({
      pools: [
        pool({ id: 'p1.q1', peerId: 'p1' }),
        pool({ id: 'p2.q1', peerId: 'p2', imported: true, exportId: 'p1.x1' }),
      ],
      physicals: [physical({ id: 'p1.f1', peerId: 'p1' })],
      exports: [exported({ id: 'p1.x1', peerId: 'p1', objectId: 'p1.q1', kind: 'pool', mechanism: 'pool' })],
    }),
  );
  expect(holdingsOf(peer({ id: 'p1', role: 'inspector' }), list)).toBe('1 pool · 1 physical');
  expect(holdingsOf(peer({ id: 'p2', role: 'consumer' }), list)).toBe('1 pool');
});
