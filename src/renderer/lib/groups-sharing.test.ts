import { describe, expect, it } from 'vitest';
import { countedBytes, exists, type Group, groupsOf } from './groups';
import type { Ledger } from './ledger';
import { childState, groupState } from './states';
import { allocation, exported, ledgerOf, mapping, peer, physical, pool } from './testing/records';
import { sharedBytes, totalsOf } from './totals';

const MIB = 2 ** 20;
const GRANULE = 2 * MIB;
const peers = [peer({ id: 'p1', role: 'inspector' }), peer({ id: 'p2' }), peer({ id: 'p3', role: 'consumer' })];

const group = (ledger: Ledger, id: string): Group => {
  const found = groupsOf(ledger).of.get(id);
  if (found === undefined) throw new Error(`no group of ${id}`);
  return found;
};
const word = (ledger: Ledger, id: string): string => groupState(group(ledger, id)).word;
const bytes = (ledger: Ledger): number => totalsOf(groupsOf(ledger).list).bytes;

describe('a pool', () => {
  const shared = (changes: { state?: 'live' | 'destroyed' | 'gone'; freed?: boolean; open?: boolean } = {}) =>
    ledgerOf({
      peers,
      pools: [
        pool({ id: 'p2.q1', peerId: 'p2', label: 'tensors', state: changes.state ?? 'live', endedAt: 50 }),
        pool({
          id: 'p3.q1',
          peerId: 'p3',
          imported: true,
          exportId: 'p2.x1',
          state: changes.open === false ? 'destroyed' : 'live',
          endedAt: 60,
        }),
      ],
      exports: [
        exported({ id: 'p2.x1', peerId: 'p2', objectId: 'p2.q1', kind: 'pool', mechanism: 'pool' }),
        exported({ id: 'p2.x2', peerId: 'p2', objectId: 'p2.a1', mechanism: 'pool', poolExportId: 'p2.x1' }),
      ],
      allocations: [
        allocation({
          id: 'p2.a1',
          peerId: 'p2',
          memory: 'pool',
          poolId: 'p2.q1',
          bytes: 4 * MIB,
          state: changes.freed ? 'freed' : 'live',
          endedAt: 40,
        }),
      ],
      mappings: [
        mapping({
          id: 'p3.m1',
          peerId: 'p3',
          mechanism: 'pool',
          poolId: 'p3.q1',
          exportId: 'p2.x2',
          state: changes.open === false ? 'closed' : 'open',
          closedAt: 55,
        }),
      ],
    });

  it('has its imports as children, and its memory by itself', () => {
    const ledger = shared();
    const tensors = group(ledger, 'p2.q1');
    expect(tensors).toMatchObject({ kind: 'pool', label: 'tensors', references: 1 });
    expect(tensors.children.map(({ record }) => record.id)).toEqual(['p3.q1']);
    expect(group(ledger, 'p3.q1')).toBe(tensors);
    expect(tensors.kind === 'pool' && tensors.allocations.map(({ id }) => id)).toEqual(['p2.a1']);
    expect(word(ledger, 'p2.q1')).toBe('Live, shared');
  });

  it('counts nothing beside what is allocated in it', () => {
    expect(bytes(shared())).toBe(4 * MIB);
    expect(sharedBytes(groupsOf(shared()).list, 0)).toBe(4 * MIB);
  });

  it('is still there when it was destroyed and memory of it is open elsewhere', () => {
    const held = shared({ state: 'destroyed', freed: true });
    expect(word(held, 'p2.q1')).toBe('Destroyed, open');
    expect(exists(group(held, 'p2.q1'))).toBe(true);
    expect(bytes(held)).toBe(4 * MIB);
    const over = shared({ state: 'destroyed', freed: true, open: false });
    expect(word(over, 'p2.q1')).toBe('Destroyed');
    expect(group(over, 'p2.q1').endedAt).toBe(60);
    expect(childState(group(over, 'p2.q1').children[0] as never).word).toBe('Closed');
    expect(bytes(over)).toBe(0);
  });

  it('says when its exporter is gone', () => {
    expect(word(shared({ state: 'gone' }), 'p2.q1')).toBe('Exporter gone');
  });

  it('of another program is a group of what is known here', () => {
    const ledger = ledgerOf({
      peers,
      pools: [pool({ id: 'p1.q1', peerId: 'p1', imported: true, exporter: 'unknown' })],
    });
    expect(group(ledger, 'p1.q1')).toMatchObject({
      kind: 'pool',
      id: 'foreign.p1.q1',
      owner: 'unknown',
      pool: undefined,
    });
    expect(word(ledger, 'p1.q1')).toBe('Unknown');
  });
});

describe('physical memory', () => {
  const chunk = (physicalId: string, piece: number) => ({ offset: piece * GRANULE, bytes: GRANULE, physicalId });

  it('that was made with its range is no row of its own', () => {
    const ledger = ledgerOf({
      peers,
      allocations: [
        allocation({
          id: 'p1.a1',
          peerId: 'p1',
          label: 'v',
          memory: 'virtual',
          bytes: GRANULE,
          chunks: [chunk('p1.f1', 0)],
        }),
      ],
      physicals: [physical({ id: 'p1.f1', peerId: 'p1', label: 'v' })],
    });
    expect(groupsOf(ledger).list.map(({ id }) => id)).toEqual(['p1.a1']);
    expect(group(ledger, 'p1.f1')).toBe(group(ledger, 'p1.a1'));
    expect(bytes(ledger)).toBe(GRANULE);
  });

  it('that is mapped twice is a row with two places, and counts once', () => {
    const ledger = ledgerOf({
      peers,
      allocations: [
        allocation({
          id: 'p1.a1',
          peerId: 'p1',
          label: 'range',
          memory: 'virtual',
          bytes: 3 * GRANULE,
          chunks: [chunk('p1.f1', 0), chunk('p1.f1', 2)],
        }),
      ],
      physicals: [physical({ id: 'p1.f1', peerId: 'p1', label: 'piece' })],
    });
    const piece = group(ledger, 'p1.f1');
    expect(piece).toMatchObject({ kind: 'physical', references: 0 });
    expect(piece.kind === 'physical' && piece.places.map(({ offset }) => offset)).toEqual([0, 2 * GRANULE]);
    expect(countedBytes(group(ledger, 'p1.a1'))).toBe(0);
    expect(bytes(ledger)).toBe(GRANULE);
    expect(word(ledger, 'p1.f1')).toBe('Mapped');
  });

  it('is not what a range without memory has', () => {
    const ledger = ledgerOf({
      peers,
      allocations: [allocation({ id: 'p1.a1', peerId: 'p1', memory: 'virtual', bytes: 9 * GRANULE, chunks: [] })],
      physicals: [physical({ id: 'p1.f1', peerId: 'p1' })],
    });
    expect(word(ledger, 'p1.a1')).toBe('No memory yet');
    expect(word(ledger, 'p1.f1')).toBe('Not mapped');
    expect(bytes(ledger)).toBe(GRANULE);
  });

  it('that was released is there as long as it is mapped', () => {
    const mapped = (chunks: ReturnType<typeof chunk>[]) =>
      ledgerOf({
        peers,
        allocations: [allocation({ id: 'p1.a1', peerId: 'p1', memory: 'virtual', bytes: 2 * GRANULE, chunks })],
        physicals: [physical({ id: 'p1.f1', peerId: 'p1', state: 'released', endedAt: 7 })],
      });
    expect(word(mapped([chunk('p1.f1', 0)]), 'p1.f1')).toBe('Released, mapped');
    expect(bytes(mapped([chunk('p1.f1', 0)]))).toBe(GRANULE);
    expect(group(mapped([]), 'p1.f1').endedAt).toBe(7);
    expect(bytes(mapped([]))).toBe(0);
  });

  const imported = (changes: { released?: boolean; closed?: boolean } = {}) =>
    ledgerOf({
      peers,
      physicals: [
        physical({
          id: 'p2.f1',
          peerId: 'p2',
          label: 'piece',
          state: changes.released ? 'released' : 'live',
          endedAt: 30,
        }),
        physical({ id: 'p3.f1', peerId: 'p3', imported: true, shareable: 'none', exportId: 'p2.x1' }),
      ],
      exports: [
        exported({
          id: 'p2.x1',
          peerId: 'p2',
          objectId: 'p2.f1',
          kind: 'physical',
          mechanism: 'virtual',
          state: changes.closed ? 'closed' : 'live',
        }),
      ],
      allocations: [
        allocation({
          id: 'p3.a1',
          peerId: 'p3',
          label: 'view',
          memory: 'virtual',
          bytes: GRANULE,
          chunks: [chunk('p3.f1', 0)],
        }),
      ],
    });

  it('has its imports as children, and the places of those too', () => {
    const ledger = imported();
    const piece = group(ledger, 'p2.f1');
    expect(group(ledger, 'p3.f1')).toBe(piece);
    expect(piece.references).toBe(1);
    expect(piece.kind === 'physical' && piece.places.map(({ rangeId }) => rangeId)).toEqual(['p3.a1']);
    // The range of the importer has the same memory.
    expect(bytes(ledger)).toBe(GRANULE);
    expect(word(imported({ released: true }), 'p2.f1')).toBe('Released, open');
    expect(bytes(imported({ released: true }))).toBe(GRANULE);
  });

  it('says when its descriptors were closed', () => {
    const ledger = ledgerOf({
      peers,
      physicals: [physical({ id: 'p2.f1', peerId: 'p2' })],
      exports: [
        exported({ id: 'x', peerId: 'p2', objectId: 'p2.f1', kind: 'physical', mechanism: 'virtual', state: 'closed' }),
      ],
    });
    expect(word(ledger, 'p2.f1')).toBe('Descriptors closed');
  });

  it('that came with a mapping stands in the row of the mapping', () => {
    const ledger = ledgerOf({
      peers,
      allocations: [
        allocation({
          id: 'p2.a1',
          peerId: 'p2',
          label: 'v',
          memory: 'virtual',
          bytes: GRANULE,
          chunks: [chunk('p2.f1', 0)],
        }),
      ],
      physicals: [
        physical({ id: 'p2.f1', peerId: 'p2', label: 'v' }),
        physical({ id: 'p3.f1', peerId: 'p3', imported: true, exportId: 'p2.x1' }),
      ],
      exports: [exported({ id: 'p2.x1', peerId: 'p2', objectId: 'p2.a1', mechanism: 'virtual' })],
      mappings: [
        mapping({ id: 'p3.m1', peerId: 'p3', mechanism: 'virtual', exportId: 'p2.x1', chunks: [chunk('p3.f1', 0)] }),
      ],
    });
    expect(groupsOf(ledger).list.map(({ id }) => id)).toEqual(['p2.a1']);
    expect(group(ledger, 'p2.a1').children.map(({ record }) => record.id)).toEqual(['p3.m1']);
    expect(group(ledger, 'p3.f1').id).toBe('p2.a1');
    expect(bytes(ledger)).toBe(GRANULE);
  });

  it('of a freed range counts as long as somebody has it open', () => {
    const ledger = ledgerOf({
      peers,
      allocations: [
        allocation({
          id: 'p2.a1',
          peerId: 'p2',
          memory: 'virtual',
          bytes: GRANULE,
          chunks: [],
          state: 'freed',
          endedAt: 9,
        }),
      ],
      exports: [exported({ id: 'p2.x1', peerId: 'p2', objectId: 'p2.a1', mechanism: 'virtual', state: 'freed' })],
      mappings: [
        mapping({ id: 'p3.m1', peerId: 'p3', mechanism: 'virtual', exportId: 'p2.x1', allocationBytes: GRANULE }),
      ],
    });
    expect(word(ledger, 'p2.a1')).toBe('Freed, mapped');
    expect(bytes(ledger)).toBe(GRANULE);
  });
});
