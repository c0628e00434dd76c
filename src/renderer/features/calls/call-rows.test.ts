import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../lib/groups';
import { call, event, eventImport, exported, ledgerOf, peer, shared } from '../../lib/testing/records';
import { buildCallRows, type CallRow, type Ending, linesOf, wordsOf } from './call-rows';
import { leftText } from './endings';

const peers = new Map(
  [peer({ id: 'p1', name: 'Inspector' }), peer({ id: 'p2', name: 'Producer 1' })].map((each) => [each.id, each]),
);
const names = new Map([...peers.values()].map(({ id, name }) => [id, name]));
const rowsOf = (calls: Parameters<typeof call>[0][], change: Partial<Parameters<typeof buildCallRows>[0]> = {}) =>
  buildCallRows({
    calls: calls.map(call),
    endings: [],
    peers,
    names,
    filter: { words: [], failedOnly: false },
    newestFirst: false,
    ...change,
  });
const texts = (rows: readonly CallRow[]) =>
  rows.map((row) => (row.type === 'call' ? `${row.call.name} × ${row.call.count}` : row.type));

const failed = { result: 201, resultName: 'CUDA_ERROR_INVALID_CONTEXT', hint: 'open it in another process' };
const ending: Ending = {
  peerId: 'p2',
  name: 'Producer 1',
  role: 'producer',
  at: 2.5,
  how: 'SIGKILL',
  left: '',
  lost: true,
};

describe('the call log', () => {
  it('folds equal calls of one process, also with others between, and sums their counts', () => {
    const rows = rowsOf([
      { seq: 1, name: 'read', count: 2 },
      { seq: 2, name: 'write', peerId: 'p2' },
      { seq: 3, name: 'read', count: 3, us: 9 },
      { seq: 4, name: 'write', peerId: 'p2', args: 'other' },
      { seq: 5, name: 'read' },
      { seq: 6, name: 'free' },
      { seq: 7, name: 'read' },
    ]);
    expect(texts(rows)).toEqual(['read × 6', 'write × 1', 'write × 1', 'free × 1', 'read × 1']);
    expect(rows[0]).toMatchObject({ key: '1', call: { seq: 1, us: 1 } });
  });

  it('does not fold what answered differently', () => {
    expect(rowsOf([{ seq: 1 }, { seq: 2, ...failed }, { seq: 3 }])).toHaveLength(3);
  });

  it('puts the end of a process between the calls, and what runs at the end', () => {
    const hanging = new Map(peers).set(
      'p1',
      peer({ id: 'p1', name: 'Inspector', hanging: { call: 'cuMemcpyDtoH_v2', since: 9 } }),
    );
    const rows = rowsOf([{ seq: 1 }, { seq: 2, name: 'b' }, { seq: 3, name: 'c' }], {
      endings: [ending],
      peers: hanging,
    });
    expect(texts(rows)).toEqual(['cuMemAlloc_v2 × 1', 'b × 1', 'ending', 'c × 1', 'running']);
    const reversed = rowsOf([{ seq: 1 }, { seq: 2, name: 'b' }, { seq: 3, name: 'c' }], {
      endings: [ending],
      peers: hanging,
      newestFirst: true,
    });
    expect(texts(reversed)).toEqual(texts(rows).reverse());
  });

  it.each([
    ['alloc', ['1', '4']],
    ['producer ALLOC', ['4']],
    ['not_ready', ['3']],
    ['201', ['2']],
    ['invalid_context', ['2']],
    ['activations', ['2']],
    ['nothing', []],
  ])('filters by function, process, argument and result: “%s”', (text, keys) => {
    const calls = [
      { seq: 1 },
      { seq: 2, name: 'cuIpcOpenMemHandle_v2', args: 'activations, flags 1', ...failed },
      { seq: 3, name: 'cuEventQuery', result: 600, resultName: 'CUDA_ERROR_NOT_READY' },
      { seq: 4, peerId: 'p2' },
    ];
    expect(rowsOf(calls, { filter: { words: wordsOf(text), failedOnly: false } }).map(({ key }) => key)).toEqual(keys);
  });

  it('shows failures only when asked; waiting is none', () => {
    const rows = rowsOf([{ seq: 1 }, { seq: 2, ...failed }, { seq: 3, result: 600 }], {
      filter: { words: [], failedOnly: true },
      endings: [ending],
    });
    expect(rows.map(({ key }) => key)).toEqual(['2']);
    expect(rows.map(linesOf)).toEqual([2]);
  });
});

describe('what a process leaves behind, in words', () => {
  it('names buffers and events that others still hold', () => {
    const groups = groupsOf(shared()).list;
    expect(leftText('p2', groups)).toBe('1 of its buffers and 1 event are still held elsewhere.');
    expect(leftText('p1', groups)).toBe('');
    const only = ledgerOf({
      events: [event({ id: 'e', peerId: 'p2' })],
      exports: [exported({ id: 'x', peerId: 'p2', objectId: 'e', kind: 'event' })],
      eventImports: [eventImport({ id: 'i', peerId: 'p3', exportId: 'x' })],
    });
    expect(leftText('p2', groupsOf(only).list)).toBe('1 event is still held elsewhere.');
  });
});
