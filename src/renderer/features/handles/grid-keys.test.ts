import { describe, expect, it } from 'vitest';
import { groupsOf } from '../../lib/groups';
import { shared } from '../../lib/testing/records';
import { parseFilter } from './filter';
import { columnAfterKey, rowAfterKey } from './grid-keys';
import { buildRows } from './rows';

const ledger = shared();
const { rows } = buildRows({
  groups: groupsOf(ledger).list,
  peers: ledger.peers,
  filter: parseFilter(''),
  sort: [{ column: 'label', descending: false }],
  now: 0,
});
const to = (key: string, at: number) => rowAfterKey(key, rows, at, 5);

describe('keys in the rows', () => {
  it('move by one, by a page and to the ends, and stay inside', () => {
    expect([to('ArrowDown', -1), to('ArrowDown', 0), to('ArrowDown', 7), to('ArrowUp', 3)]).toEqual([0, 1, 7, 2]);
    expect([to('PageDown', 0), to('PageDown', 6), to('PageUp', 6), to('PageUp', 2)]).toEqual([5, 7, 1, 0]);
    expect([to('Home', 5), to('End', 0)]).toEqual([0, 7]);
  });
  it('lead from the first row into the header', () => {
    expect([to('ArrowUp', 0), to('ArrowUp', -1)]).toEqual(['header', 'header']);
  });
  it('lead between a memory and its processes', () => {
    expect([to('ArrowLeft', 2), to('ArrowRight', 0)]).toEqual([0, 1]);
    expect([to('ArrowLeft', 0), to('ArrowRight', 2), to('ArrowRight', 7), to('x', 0)]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('keys in the header', () => {
  it('move between columns and down into the rows', () => {
    const to = (key: string, at: number) => columnAfterKey(key, 8, at);
    expect([
      to('ArrowRight', 7),
      to('ArrowLeft', 0),
      to('ArrowRight', 2),
      to('Home', 4),
      to('End', 4),
      to('ArrowDown', 3),
      to('a', 3),
    ]).toEqual([7, 0, 3, 0, 7, 'rows', undefined]);
  });
});
