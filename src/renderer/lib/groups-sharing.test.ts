import { describe, expect, it } from 'vitest';
import type { Allocation, Export, LedgerSnapshot, Mapping, Physical } from '#contract/records';
import { countedBytes, exists, type Group, groupsOf } from './groups';
import type { Ledger } from './ledger';
import { childState, groupState } from './states';
import { allocation, exported, mapping, peer, physical, pool, ledgerOf as recordsOf } from './testing/records';
import { sharedBytes, totalsOf } from './totals';

const MIB = 2 ** 20;
const GRANULE = 2 * MIB;
const peers = [peer({ id: 'p1', role: 'inspector' }), peer({ id: 'p2' }), peer({ id: 'p3', role: 'consumer' })];

const ledgerOf = (tables: Partial<LedgerSnapshot>): Ledger => recordsOf({ peers, ...tables });

/** An id and the process in it: `p2.a1` is of `p2`. */
const own = (id: string) => ({ id, peerId: id.slice(0, id.indexOf('.')) });
const chunk = (physicalId: string, place: number) => ({ offset: place * GRANULE, bytes: GRANULE, physicalId });
const range = (id: string, change: Partial<Allocation> = {}) =>
  allocation({ memory: 'virtual', bytes: GRANULE, chunks: [], ...change, ...own(id) });
const piece = (id: string, change: Partial<Physical> = {}) => physical({ ...change, ...own(id) });
const importedPiece = (id: string, exportId: string) => piece(id, { imported: true, shareable: 'none', exportId });
const virtualExport = (id: string, objectId: string, change: Partial<Export> = {}) =>
  exported({ mechanism: 'virtual', ...change, ...own(id), objectId });
const virtualMapping = (id: string, exportId: string, change: Partial<Mapping> = {}) =>
  mapping({ mechanism: 'virtual', exportId, ...change, ...own(id) });

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
      pools: [
        pool({ ...own('p2.q1'), label: 'tensors', state: changes.state ?? 'live', endedAt: 50 }),
        pool({
          ...own('p3.q1'),
          imported: true,
          exportId: 'p2.x1',
          state: changes.open === false ? 'destroyed' : 'live',
          endedAt: 60,
        }),
      ],
      exports: [
        exported({ ...own('p2.x1'), objectId: 'p2.q1', kind: 'pool', mechanism: 'pool' }),
        exported({ ...own('p2.x2'), objectId: 'p2.a1', mechanism: 'pool', poolExportId: 'p2.x1' }),
      ],
      allocations: [
        allocation({
          ...own('p2.a1'),
          memory: 'pool',
          poolId: 'p2.q1',
          bytes: 4 * MIB,
          state: changes.freed ? 'freed' : 'live',
          endedAt: 40,
        }),
      ],
      mappings: [
        mapping({
          ...own('p3.m1'),
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
    const ledger = ledgerOf({ pools: [pool({ ...own('p1.q1'), imported: true, exporter: 'unknown' })] });
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
  it('that was made with its range is no row of its own', () => {
    const ledger = ledgerOf({
      allocations: [range('p1.a1', { label: 'v', chunks: [chunk('p1.f1', 0)] })],
      physicals: [piece('p1.f1', { label: 'v' })],
    });
    expect(groupsOf(ledger).list.map(({ id }) => id)).toEqual(['p1.a1']);
    expect(group(ledger, 'p1.f1')).toBe(group(ledger, 'p1.a1'));
    expect(bytes(ledger)).toBe(GRANULE);
  });

  it('that is mapped twice is a row with two places, and counts once', () => {
    const chunks = [chunk('p1.f1', 0), chunk('p1.f1', 2)];
    const ledger = ledgerOf({
      allocations: [range('p1.a1', { label: 'range', bytes: 3 * GRANULE, chunks })],
      physicals: [piece('p1.f1', { label: 'piece' })],
    });
    const twice = group(ledger, 'p1.f1');
    expect(twice).toMatchObject({ kind: 'physical', references: 0 });
    expect(twice.kind === 'physical' && twice.places.map(({ offset }) => offset)).toEqual([0, 2 * GRANULE]);
    expect(countedBytes(group(ledger, 'p1.a1'))).toBe(0);
    expect(bytes(ledger)).toBe(GRANULE);
    expect(word(ledger, 'p1.f1')).toBe('Mapped');
  });

  it('is not what a range without memory has', () => {
    const ledger = ledgerOf({
      allocations: [range('p1.a1', { bytes: 9 * GRANULE })],
      physicals: [piece('p1.f1')],
    });
    expect(word(ledger, 'p1.a1')).toBe('No memory yet');
    expect(word(ledger, 'p1.f1')).toBe('Not mapped');
    expect(bytes(ledger)).toBe(GRANULE);
  });

  it('that was released is there as long as it is mapped', () => {
    const withChunks = (chunks: ReturnType<typeof chunk>[]) =>
      ledgerOf({
        allocations: [range('p1.a1', { bytes: 2 * GRANULE, chunks })],
        physicals: [piece('p1.f1', { state: 'released', endedAt: 7 })],
      });
    const mapped = withChunks([chunk('p1.f1', 0)]);
    expect(word(mapped, 'p1.f1')).toBe('Released, mapped');
    expect(bytes(mapped)).toBe(GRANULE);
    const unmapped = withChunks([]);
    expect(group(unmapped, 'p1.f1').endedAt).toBe(7);
    expect(bytes(unmapped)).toBe(0);
  });

  it('has its imports as children, and the places of those too', () => {
    const imported = (state: 'live' | 'released') =>
      ledgerOf({
        physicals: [piece('p2.f1', { label: 'piece', state, endedAt: 30 }), importedPiece('p3.f1', 'p2.x1')],
        exports: [virtualExport('p2.x1', 'p2.f1', { kind: 'physical' })],
        allocations: [range('p3.a1', { label: 'view', chunks: [chunk('p3.f1', 0)] })],
      });
    const ledger = imported('live');
    const shared = group(ledger, 'p2.f1');
    expect(group(ledger, 'p3.f1')).toBe(shared);
    expect(shared.references).toBe(1);
    expect(shared.kind === 'physical' && shared.places.map(({ rangeId }) => rangeId)).toEqual(['p3.a1']);
    // The range of the importer has the same memory.
    expect(bytes(ledger)).toBe(GRANULE);
    expect(totalsOf(groupsOf(ledger).list)).toMatchObject({
      allocations: 1,
      physicals: 1,
      mappings: 0,
      physicalImports: 1,
    });
    expect(word(imported('released'), 'p2.f1')).toBe('Released, open');
    expect(bytes(imported('released'))).toBe(GRANULE);
  });

  it('says when its descriptors were closed', () => {
    const ledger = ledgerOf({
      physicals: [piece('p2.f1')],
      exports: [virtualExport('p2.x1', 'p2.f1', { kind: 'physical', state: 'closed' })],
    });
    expect(word(ledger, 'p2.f1')).toBe('Descriptors closed');
  });

  it('that came with a mapping stands in the row of the mapping', () => {
    const ledger = ledgerOf({
      allocations: [range('p2.a1', { label: 'v', chunks: [chunk('p2.f1', 0)] })],
      physicals: [piece('p2.f1', { label: 'v' }), importedPiece('p3.f1', 'p2.x1')],
      exports: [virtualExport('p2.x1', 'p2.a1')],
      mappings: [virtualMapping('p3.m1', 'p2.x1', { chunks: [chunk('p3.f1', 0)] })],
    });
    expect(groupsOf(ledger).list.map(({ id }) => id)).toEqual(['p2.a1']);
    expect(group(ledger, 'p2.a1').children.map(({ record }) => record.id)).toEqual(['p3.m1']);
    expect(group(ledger, 'p3.f1').id).toBe('p2.a1');
    expect(bytes(ledger)).toBe(GRANULE);
  });

  it('of a freed range counts as long as somebody has it open', () => {
    const ledger = ledgerOf({
      allocations: [range('p2.a1', { state: 'freed', endedAt: 9 })],
      exports: [virtualExport('p2.x1', 'p2.a1', { state: 'freed' })],
      mappings: [virtualMapping('p3.m1', 'p2.x1', { allocationBytes: GRANULE })],
    });
    expect(word(ledger, 'p2.a1')).toBe('Freed, mapped');
    expect(bytes(ledger)).toBe(GRANULE);
  });

  describe('of a freed range with pieces of its own', () => {
    const freed = (change: { first?: Partial<Physical>; second?: Partial<Mapping>; order?: string[] } = {}) =>
      ledgerOf({
        allocations: [range('p2.a1', { bytes: 2 * GRANULE, state: 'freed', endedAt: 9 })],
        physicals: [
          piece('p2.f1', { label: 'one', ...change.first }),
          piece('p2.f2', { label: 'two', state: 'released', endedAt: 9 }),
          ...['p1.f1', 'p1.f2', 'p3.f1', 'p3.f2'].map((id) => importedPiece(id, 'p2.x1')),
        ],
        exports: [virtualExport('p2.x1', 'p2.a1', { state: 'freed', physicalIds: change.order ?? ['p2.f1', 'p2.f2'] })],
        mappings: (['p1', 'p3'] as const).map((id) =>
          virtualMapping(`${id}.m1`, 'p2.x1', {
            allocationBytes: 2 * GRANULE,
            chunks: [chunk(`${id}.f1`, 0), chunk(`${id}.f2`, 1)],
            ...(id === 'p3' ? change.second : {}),
          }),
        ),
      });
    const rangeBytes = (ledger: Ledger) => countedBytes(group(ledger, 'p2.a1'));

    it('counts in the range only what is counted nowhere else', () => {
      expect(rangeBytes(freed())).toBe(GRANULE);
      expect(countedBytes(group(freed(), 'p2.f1'))).toBe(GRANULE);
      expect(bytes(freed())).toBe(2 * GRANULE);
      expect(sharedBytes(groupsOf(freed()).list, 0)).toBe(GRANULE);
    });

    it('counts all of it in the range when the pieces were released', () => {
      const released = freed({ first: { state: 'released', endedAt: 9 } });
      expect(rangeBytes(released)).toBe(2 * GRANULE);
      expect(bytes(released)).toBe(2 * GRANULE);
    });

    it('counts a piece that lay at two places once', () => {
      expect(bytes(freed({ first: { state: 'released', endedAt: 9 }, order: ['p2.f1', 'p2.f1'] }))).toBe(GRANULE);
    });

    it('does not count closed mappings', () => {
      const closed = ledgerOf({
        allocations: [range('p2.a1', { state: 'freed', endedAt: 9 })],
        exports: [virtualExport('p2.x1', 'p2.a1', { state: 'freed' })],
        mappings: [
          virtualMapping('p1.m1', 'p2.x1', { allocationBytes: GRANULE }),
          virtualMapping('p3.m1', 'p2.x1', { allocationBytes: 4 * GRANULE, state: 'closed', closedAt: 12 }),
        ],
      });
      expect(rangeBytes(closed)).toBe(GRANULE);
      expect(rangeBytes(freed({ second: { state: 'closed', chunks: [chunk('p3.f1', 0)] } }))).toBe(GRANULE);
    });
  });
});
