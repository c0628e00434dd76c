import { describe, expect, it } from 'vitest';
import { groupsOf, KEEP_ENDED_MS } from '../../lib/groups';
import type { Ledger } from '../../lib/ledger';
import { allocation, ledgerOf, mapping, shared } from '../../lib/testing/records';
import { readTableSettings, type SortKey, sortAfterClick } from './columns';
import { parseFilter } from './filter';
import { buildRows, naturalKey } from './rows';

const rowsOf = (
  ledger: Ledger,
  text = '',
  sort: readonly SortKey[] = [{ column: 'label', descending: false }],
  now = 0,
  keep?: string,
) => buildRows({ groups: groupsOf(ledger).list, peers: ledger.peers, filter: parseFilter(text), sort, now, keep });
const idsOf = (...args: Parameters<typeof rowsOf>) => rowsOf(...args).rows.map(({ id }) => id);

describe('rows of the handle table', () => {
  it('are groups in order, each followed by its processes', () => {
    expect(idsOf(shared())).toEqual(['p2.a1', 'p3.m1', 'p1.m1', 'p2.e1', 'p3.i1', 'foreign.p1.m2', 'p1.m2', 'p1.a1']);
    expect(rowsOf(shared()).total).toBe(8);
  });

  it('mark the last process of a group, for its twig', () => {
    expect(rowsOf(shared()).rows.flatMap((row) => (row.type === 'child' ? [[row.id, row.last]] : []))).toEqual([
      ['p3.m1', false],
      ['p1.m1', true],
      ['p3.i1', true],
      ['p1.m2', true],
    ]);
  });

  it.each([
    ['size', true, ['foreign.p1.m2', 'p1.a1', 'p2.a1', 'p2.e1']],
    ['size', false, ['p2.e1', 'p2.a1', 'p1.a1', 'foreign.p1.m2']],
    ['process', false, ['p1.a1', 'p2.a1', 'p2.e1', 'foreign.p1.m2']],
    ['refs', true, ['p2.a1', 'p2.e1', 'foreign.p1.m2', 'p1.a1']],
    ['age', false, ['p1.a1', 'foreign.p1.m2', 'p2.e1', 'p2.a1']],
    ['gpu', true, ['foreign.p1.m2', 'p2.a1', 'p2.e1', 'p1.a1']],
  ] as const)('sort by %s, descending %s', (column, descending, expected) => {
    const { rows } = rowsOf(shared(), '', [{ column, descending }]);
    expect(rows.filter(({ type }) => type === 'group').map(({ id }) => id)).toEqual(expected);
  });

  it('sort by a second key where the first is equal', () => {
    const ledger = ledgerOf({
      allocations: ['b', 'a', 'c'].map((id, index) =>
        allocation({ id, peerId: 'p1', bytes: index === 2 ? 1 : 2, label: id }),
      ),
    });
    expect(
      idsOf(ledger, '', [
        { column: 'size', descending: true },
        { column: 'label', descending: false },
      ]),
    ).toEqual(['a', 'b', 'c']);
  });

  it('sort numbers inside labels by their value', () => {
    expect(['buffer 10', 'Buffer 2', 'buffer 1'].sort((a, b) => (naturalKey(a) < naturalKey(b) ? -1 : 1))).toEqual([
      'buffer 1',
      'Buffer 2',
      'buffer 10',
    ]);
  });

  it('leave ten seconds after they ended, but not while selected', () => {
    const ledger = ledgerOf({
      allocations: [
        allocation({ id: 'a', peerId: 'p1', state: 'freed', endedAt: 1000 }),
        allocation({ id: 'b', peerId: 'p1' }),
      ],
    });
    expect(idsOf(ledger, '', undefined, 1000 + KEEP_ENDED_MS)).toEqual(['a', 'b']);
    expect(idsOf(ledger, '', undefined, 1001 + KEEP_ENDED_MS)).toEqual(['b']);
    expect(idsOf(ledger, '', undefined, 1001 + KEEP_ENDED_MS, 'a')).toEqual(['a', 'b']);
  });

  it('drop closed mappings of living memory after ten seconds', () => {
    const closed = mapping({
      id: 'm',
      peerId: 'p3',
      exporterPeerId: 'p2',
      state: 'closed',
      closedAt: 1000,
      references: 0,
    });
    const open = mapping({ id: 'n', peerId: 'p3', exporterPeerId: 'p2' });
    expect(idsOf(ledgerOf({ mappings: [closed, open] }), '', undefined, 2000)).toContain('m');
    expect(idsOf(ledgerOf({ mappings: [closed, open] }), '', undefined, 60_000)).toEqual(['foreign.n', 'n']);
  });
});

describe('the filter', () => {
  it.each([
    ['', 8],
    ['activ', 5],
    ['ACTIVATIONS ready', 2],
    ['owner:"Consumer 1"', 4],
    ['owner:41187', 5],
    ['kind:event', 2],
    ['kind:mapping', 5],
    ['kind:buffers', 6],
    ['gpu:1', 2],
    ['state:ready', 2],
    ['state:"not exported"', 1],
    ['0x7f41a8', 2],
    ['16.0', 1],
    ['python3', 2],
    ['owner:41999', 0],
  ])('“%s” leaves %i rows', (text, rows) => {
    expect(rowsOf(shared(), text).rows).toHaveLength(rows);
    expect(rowsOf(shared(), text).total).toBe(8);
  });

  it('shows the memory above a process that matches', () => {
    expect(idsOf(shared(), 'owner:"Consumer 1"')).toEqual(['p2.a1', 'p3.m1', 'p2.e1', 'p3.i1']);
  });

  it('underlines what it does not understand, and does not filter by it', () => {
    const filter = parseFilter('activ foo:bar gpu:x kind:thing');
    expect(filter.parts.filter(({ problem }) => problem !== undefined).map(({ text }) => text)).toEqual([
      'foo:bar',
      'gpu:x',
      'kind:thing',
    ]);
    expect(filter.parts.map(({ text }) => text).join('')).toBe('activ foo:bar gpu:x kind:thing');
    expect(rowsOf(shared(), 'foo:bar').rows).toHaveLength(8);
  });

  it('waits for a term that is not finished', () => {
    for (const text of ['owner:', 'kind:', '"', ' ']) expect(parseFilter(text)).toMatchObject({ test: undefined });
    expect(parseFilter('owner:').parts).toEqual([{ at: 0, text: 'owner:', problem: undefined }]);
  });
});

describe('columns', () => {
  it('survive settings that do not fit', () => {
    for (const broken of [
      undefined,
      null,
      7,
      { widths: { label: 'wide' } },
      { order: ['nothing'] },
      { sort: 'label' },
    ]) {
      expect(readTableSettings(broken).order).toHaveLength(8);
      expect(readTableSettings(broken).sort).toEqual([{ column: 'label', descending: false }]);
    }
    expect(readTableSettings({ order: ['age', 'label'] }).order.slice(0, 3)).toEqual(['age', 'label', 'process']);
  });

  it('sort on a click, turn round on the next, add a key with Shift', () => {
    const one = sortAfterClick([], 'size', false);
    expect(one).toEqual([{ column: 'size', descending: false }]);
    expect(sortAfterClick(one, 'size', false)).toEqual([{ column: 'size', descending: true }]);
    expect(sortAfterClick(one, 'age', true)).toEqual([...one, { column: 'age', descending: false }]);
    expect(sortAfterClick([...one, { column: 'age', descending: false }], 'age', true)[1]).toEqual({
      column: 'age',
      descending: true,
    });
    expect(sortAfterClick([...one, { column: 'age', descending: false }], 'label', false)).toEqual([
      { column: 'label', descending: false },
    ]);
  });
});
