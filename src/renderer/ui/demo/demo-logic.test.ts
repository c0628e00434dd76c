import { describe, expect, it } from 'vitest';
import type { Call, Mapping, Peer } from '#contract/records';
import { holdersOf, type LedgerLists, leftBehind, predecessors, waitersOf } from './holding';
import { stepStates } from './steps';
import { allReferences, ended, holding, list, newestCall, references, sentence } from './words';

const peer = (id: string, name: string, change: Partial<Peer> = {}): Peer => ({
  id,
  name,
  pid: 40000 + Number(id.slice(1)),
  role: 'consumer',
  device: 0,
  state: 'alive',
  startedAt: 1,
  ...change,
});
const mapping = (id: string, peerId: string, change: Partial<Mapping> = {}): Mapping => ({
  id,
  peerId,
  mechanism: 'legacy',
  exportId: 'p1.x1',
  exporterPeerId: 'p1',
  label: 'greeting',
  device: 0,
  address: '0x10',
  bytes: 16,
  offset: 0,
  allocationBytes: 16,
  flags: 1,
  references: 1,
  state: 'open',
  exporter: 'alive',
  openedAt: 1,
  ...change,
});
const lists = (change: Partial<LedgerLists> = {}): LedgerLists => ({
  peers: [peer('p1', 'Producer 1'), peer('p2', 'Consumer 1'), peer('p10', 'Consumer 9')],
  allocations: [
    {
      id: 'p1.a1',
      peerId: 'p1',
      label: 'greeting',
      memory: 'device',
      dtype: 'u8',
      device: 0,
      bytes: 16,
      address: '0x10',
      blockBytes: null,
      state: 'gone',
      createdAt: 1,
    },
  ],
  exports: [
    { id: 'p1.x1', peerId: 'p1', kind: 'memory', mechanism: 'legacy', objectId: 'p1.a1', state: 'gone', createdAt: 1 },
    { id: 'p1.x2', peerId: 'p1', kind: 'event', mechanism: 'legacy', objectId: 'p1.e1', state: 'live', createdAt: 1 },
  ],
  mappings: [],
  eventImports: [],
  ...change,
});

describe('holdersOf', () => {
  it('adds the references of each process, in the order of their ids', () => {
    const all = lists({
      mappings: [mapping('p10.m1', 'p10'), mapping('p2.m1', 'p2', { references: 2 }), mapping('p2.m2', 'p2')],
    });
    expect(holdersOf('p1.a1', all)).toEqual([
      { peerId: 'p2', name: 'Consumer 1', pid: 40002, references: 3 },
      { peerId: 'p10', name: 'Consumer 9', pid: 40010, references: 1 },
    ]);
  });

  it('leaves out closed mappings, other memory and ended processes', () => {
    const all = lists({
      peers: [peer('p2', 'Consumer 1', { state: 'lost' }), peer('p10', 'Consumer 9')],
      mappings: [
        mapping('p2.m1', 'p2'),
        mapping('p10.m1', 'p10', { state: 'closed' }),
        mapping('p10.m2', 'p10', { exportId: 'p3.x9' }),
      ],
    });
    expect(holdersOf('p1.a1', all)).toEqual([]);
  });
});

describe('waitersOf', () => {
  it('names processes that have the event open', () => {
    const row = {
      exportId: 'p1.x2',
      exporterPeerId: 'p1',
      label: '',
      device: 0,
      status: null,
      exporter: 'alive',
      openedAt: 1,
    } as const;
    const all = lists({
      eventImports: [
        { ...row, id: 'p2.i1', peerId: 'p2', state: 'open' },
        { ...row, id: 'p10.i1', peerId: 'p10', state: 'closed' },
      ],
    });
    expect(waitersOf('p1.e1', all)).toMatchObject([{ name: 'Consumer 1', references: 1 }]);
  });
});

describe('leftBehind', () => {
  it('says what others hold of an ended process, also after it was restarted, and of nobody else', () => {
    const peers = [
      peer('p1', 'Producer 1', { state: 'lost', replacedBy: 'p5' }),
      peer('p5', 'Producer 1'),
      peer('p2', 'Consumer 1'),
    ];
    const all = lists({ peers, mappings: [mapping('p2.m1', 'p2')] });
    expect(predecessors('p5', peers)).toEqual(['p1']);
    expect(leftBehind('p5', all)).toMatchObject([{ label: 'greeting', holders: [{ name: 'Consumer 1' }] }]);
    expect(leftBehind('p1', all)).toHaveLength(1);
    expect(leftBehind('p2', all)).toEqual([]);
    expect(leftBehind('p5', { ...all, mappings: [] })).toEqual([]);
  });

  it('survives a ring of replacements', () => {
    expect(predecessors('p1', [peer('p1', 'a', { replacedBy: 'p2' }), peer('p2', 'b', { replacedBy: 'p1' })])).toEqual([
      'p2',
      'p1',
    ]);
  });
});

describe('words', () => {
  it('lists', () => {
    expect(list([])).toBe('');
    expect(list(['a'])).toBe('a');
    expect(list(['a', 'b'])).toBe('a and b');
    expect(list(['a', 'b', 'c'])).toBe('a, b and c');
    expect(list(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });

  it('counts references', () => {
    expect([references(1), references(2)]).toEqual(['1 reference', '2 references']);
    expect([allReferences(1), allReferences(2), allReferences(3)]).toEqual([
      'the reference',
      'both references',
      'all 3 references',
    ]);
  });

  it('says who holds', () => {
    const holder = (name: string, count: number) => ({ peerId: name, name, pid: 1, references: count });
    expect(holding([])).toBe('nobody holds it');
    expect(holding([holder('Consumer 1', 2)])).toBe('Consumer 1 holds 2 references');
    expect(holding([holder('Consumer 1', 2), holder('Consumer 2', 1)])).toBe(
      'Consumer 1 and Consumer 2 hold 3 references',
    );
  });

  it('says how a process ended', () => {
    expect(ended({ state: 'lost', ending: 'SIGKILL' })).toBe('was killed (SIGKILL)');
    expect(ended({ state: 'lost', ending: 'SIGSEGV' })).toBe('crashed (SIGSEGV)');
    expect(ended({ state: 'lost', ending: 'exit code 1' })).toBe('ended with exit code 1');
    expect(ended({ state: 'lost' })).toBe('is gone');
    expect(ended({ state: 'exited', ending: 'closed' })).toBe('ended: closed');
  });

  it('begins sentences', () => {
    expect(sentence('nobody holds it')).toBe('Nobody holds it');
  });
});

describe('newestCall', () => {
  const call = (seq: number, change: Partial<Call> = {}): Call => ({
    seq,
    peerId: 'p2',
    at: seq,
    name: 'cuIpcOpenMemHandle_v2',
    args: '',
    result: 0,
    resultName: 'CUDA_SUCCESS',
    us: 28,
    count: 1,
    ...change,
  });
  it('is the last successful one of those functions, about that object, until then', () => {
    const calls = [
      call(1, { objectId: 'p2.m1' }),
      call(2, { name: 'cuMemFree_v2' }),
      call(3, { result: 1 }),
      call(4, { peerId: 'p3' }),
    ];
    const wanted = { peerId: 'p2', names: ['cuIpcOpenMemHandle_v2'] };
    expect(newestCall(calls, wanted)?.seq).toBe(1);
    expect(newestCall(calls, { ...wanted, names: [...wanted.names, 'cuMemFree_v2'] })?.seq).toBe(2);
    expect(newestCall(calls, { ...wanted, objectId: 'p2.m1' })?.seq).toBe(1);
    expect(newestCall(calls, { ...wanted, objectId: 'p2.m9' })).toBeUndefined();
    expect(newestCall(calls, { ...wanted, until: 0 })).toBeUndefined();
  });
});

describe('stepStates', () => {
  it('makes the first step that is not done the current one', () => {
    expect(stepStates([false, false])).toEqual(['now', 'todo']);
    expect(stepStates([true, false, true, false])).toEqual(['done', 'now', 'done', 'todo']);
    expect(stepStates([true, true])).toEqual(['done', 'done']);
  });
});
