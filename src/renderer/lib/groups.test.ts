import { describe, expect, it } from 'vitest';
import { exists, type Group, groupsOf, liveExport, orphaned } from './groups';
import type { Ledger } from './ledger';
import { childState, groupState, peerState } from './states';
import { targetOf } from './target';
import { allocation, event, eventImport, exported, ledgerOf, mapping, peer, shared } from './testing/records';
import { sharedBytes, totalsOf } from './totals';

const group = (ledger: Ledger, id: string): Group => {
  const found = groupsOf(ledger).of.get(id);
  if (found === undefined) throw new Error(`no group of ${id}`);
  return found;
};

describe('groups', () => {
  it('put each mapping under the memory that it maps', () => {
    const ledger = shared();
    const activations = group(ledger, 'p2.a1');
    expect(activations.children.map(({ record }) => record.id)).toEqual(['p3.m1', 'p1.m1']);
    expect(activations.references).toBe(3);
    expect(group(ledger, 'p3.m1')).toBe(activations);
    expect(group(ledger, 'p3.i1').id).toBe('p2.e1');
  });

  it('make a group of what comes from a process outside of this app', () => {
    const foreign = group(shared(), 'p1.m2');
    expect(foreign).toMatchObject({
      kind: 'memory',
      id: 'foreign.p1.m2',
      label: 'kv_cache.k',
      ownerId: 'p4',
      bytes: 2 ** 36,
      owner: 'live',
      device: 1,
    });
    expect(groupState(foreign).word).toBe('Live, shared');
  });

  it('are the same object until an object changes', () => {
    const ledger = shared();
    expect(groupsOf({ ...ledger, seq: 9, calls: [] })).toBe(groupsOf(ledger));
    expect(groupsOf({ ...ledger, mappings: new Map() })).not.toBe(groupsOf(ledger));
  });

  it('count references of open children only, and end with the last of them', () => {
    const ledger = ledgerOf({
      allocations: [allocation({ id: 'p2.a1', peerId: 'p2', state: 'freed', endedAt: 50 })],
      exports: [exported({ id: 'p2.x1', peerId: 'p2', objectId: 'p2.a1', state: 'freed' })],
      mappings: [
        mapping({ id: 'p3.m1', peerId: 'p3', exportId: 'p2.x1', state: 'closed', references: 0, closedAt: 80 }),
      ],
    });
    const freed = group(ledger, 'p2.a1');
    expect(freed).toMatchObject({ references: 0, endedAt: 80 });
    expect(exists(freed)).toBe(false);
    expect(liveExport(freed)).toBeUndefined();
  });
});

describe('states in words', () => {
  const memory = (state: 'live' | 'freed' | 'gone', open: boolean, withExport = true) =>
    groupState(
      group(
        ledgerOf({
          allocations: [allocation({ id: 'a', peerId: 'p2', state })],
          exports: withExport ? [exported({ id: 'x', peerId: 'p2', objectId: 'a', state })] : [],
          mappings: open ? [mapping({ id: 'm', peerId: 'p3', exportId: 'x' })] : [],
        }),
        'a',
      ),
    ).word;

  it.each([
    ['live', false, false, 'Not exported'],
    ['live', false, true, 'Exported'],
    ['live', true, true, 'Live, shared'],
    ['freed', true, true, 'Freed, mapped'],
    ['freed', false, true, 'Freed'],
    ['gone', true, true, 'Exporter gone'],
    ['gone', false, true, 'Gone'],
  ] as const)('memory that is %s, open %s, exported %s is “%s”', (state, open, withExport, word) => {
    expect(memory(state, open, withExport)).toBe(word);
  });

  it('an event is ready as soon as one of those who asked saw it ready', () => {
    const of = (
      own: 'ready' | 'not-ready' | null,
      other: 'ready' | 'not-ready' | null,
      state: 'live' | 'gone' = 'live',
    ) =>
      groupState(
        group(
          ledgerOf({
            events: [event({ id: 'e', peerId: 'p2', status: own, state })],
            exports: [exported({ id: 'x', peerId: 'p2', objectId: 'e', kind: 'event' })],
            eventImports: [eventImport({ id: 'i', peerId: 'p3', exportId: 'x', status: other })],
          }),
          'e',
        ),
      ).word;
    expect(of(null, null)).toBe('Not recorded');
    expect(of('not-ready', null)).toBe('Not ready');
    expect(of('not-ready', 'ready')).toBe('Ready');
    expect(of('not-ready', null, 'gone')).toBe('Never ready');
    expect(of('ready', null, 'gone')).toBe('Exporter gone');
  });

  it('children and processes', () => {
    const waiting = eventImport({ id: 'i', peerId: 'p3', waiting: { since: 0, timeoutMs: 1 } });
    expect(childState({ type: 'eventImport', record: waiting }).word).toBe('Waiting');
    expect(childState({ type: 'mapping', record: mapping({ id: 'm', peerId: 'p3', state: 'closed' }) }).word).toBe(
      'Closed',
    );
    expect(peerState(peer({ id: 'p2', state: 'lost', ending: 'SIGKILL' })).word).toBe('killed');
    expect(peerState(peer({ id: 'p2', state: 'lost', ending: 'exit code 1' })).word).toBe('lost');
    expect(peerState(peer({ id: 'p4', role: 'outside' })).word).toBe('outside');
  });
});

describe('totals', () => {
  it('count each piece of memory once, however often it is mapped', () => {
    expect(totalsOf(groupsOf(shared()).list)).toEqual({
      allocations: 3,
      physicals: 0,
      bytes: 4 * 2 ** 20 + 16 * 2 ** 20 + 2 ** 36,
      mappings: 3,
      physicalImports: 0,
      orphans: 0,
      orphanBytes: 0,
    });
  });

  it('count what several processes imported from one foreign handle once', () => {
    const ledger = ledgerOf({
      mappings: [
        mapping({ id: 'p3.m1', peerId: 'p3', handleId: 'h1', openedAt: 5 }),
        mapping({ id: 'p1.m1', peerId: 'p1', handleId: 'h1', openedAt: 4 }),
        mapping({ id: 'p1.m2', peerId: 'p1', handleId: 'h2' }),
      ],
    });
    const { list, of } = groupsOf(ledger);
    expect(list.map(({ id }) => id)).toEqual(['foreign.h1', 'foreign.h2']);
    expect(of.get('p3.m1')?.children.map(({ record }) => record.id)).toEqual(['p1.m1', 'p3.m1']);
    expect(totalsOf(list)).toMatchObject({ allocations: 2, bytes: 2 * 4096, mappings: 3 });
  });

  it('count what its owner left and others hold', () => {
    const ledger = shared();
    const gone = {
      ...ledger,
      allocations: new Map([
        ...ledger.allocations,
        [
          'p2.a1',
          { ...(ledger.allocations.get('p2.a1') ?? allocation({ id: 'p2.a1', peerId: 'p2' })), state: 'gone' as const },
        ],
      ]),
      events: new Map([['p2.e1', event({ id: 'p2.e1', peerId: 'p2', state: 'gone' })]]),
    };
    expect(orphaned(group(gone, 'p2.a1'))).toBe(true);
    expect(totalsOf(groupsOf(gone).list)).toMatchObject({ allocations: 3, orphans: 2, orphanBytes: 4 * 2 ** 20 });
  });

  it('leave out what has ended, and count as shared only what others can have', () => {
    const ledger = shared();
    expect(sharedBytes(groupsOf(ledger).list, 0)).toBe(4 * 2 ** 20);
    expect(sharedBytes(groupsOf(ledger).list, 1)).toBe(2 ** 36);
  });
});

describe('the bytes behind a selection', () => {
  const ledger = shared();
  it('are read from an own allocation', () => {
    expect(targetOf(ledger, 'p1.a1', 'p1')).toMatchObject({ kind: 'readable', id: 'p1.a1' });
  });
  it('are read through an own mapping, also for the memory and for mappings of others', () => {
    for (const id of ['p2.a1', 'p3.m1', 'p1.m1'])
      expect(targetOf(ledger, id, 'p1')).toMatchObject({ kind: 'readable', id: 'p1.m1', address: '0x7f41a8000000' });
  });
  it('are of the type that was said of the view, else of that of its owner', () => {
    expect(targetOf(ledger, 'p2.a1', 'p1')).toMatchObject({ dtype: ledger.allocations.get('p2.a1')?.dtype });
    const mine = ledger.mappings.get('p1.m1');
    if (mine === undefined) throw new Error('the ledger has no such mapping');
    const data = { dtype: 'bf16' as const, shape: [2, 8] };
    const told = { ...ledger, mappings: new Map([...ledger.mappings, ['p1.m1', { ...mine, data }]]) };
    expect(targetOf(told, 'p2.a1', 'p1')).toMatchObject({ id: 'p1.m1', dtype: 'bf16', data });
  });
  it('are elsewhere when this process has not opened them', () => {
    expect(targetOf(ledger, 'p2.a1', 'p9')).toMatchObject({ kind: 'elsewhere', openable: { id: 'p2.x1' } });
    expect(targetOf(ledger, 'p1.a1', 'p9')).toMatchObject({ kind: 'elsewhere', openable: undefined });
  });
  it('are none for an event and for nothing', () => {
    expect(targetOf(ledger, 'p2.e1', 'p1').kind).toBe('none');
    expect(targetOf(ledger, undefined, 'p1').kind).toBe('none');
    expect(targetOf(ledger, 'unknown', 'p1').kind).toBe('none');
  });
});
