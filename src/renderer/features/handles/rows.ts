/** The rows of the handle table: groups in the chosen order, each followed by the processes that have it open. Pure. */
import { formatSize } from '#contract/units';
import { type Child, type Group, KEEP_ENDED_MS } from '../../lib/groups';
import { groupWord, kindWord } from '../../lib/kinds';
import type { Table } from '../../lib/ledger';
import { childState, groupState } from '../../lib/states';
import type { ColumnId, SortKey } from './columns';
import type { Filter, Searchable } from './filter';

export type Row =
  | { readonly type: 'group'; readonly id: string; readonly group: Group }
  | {
      readonly type: 'child';
      readonly id: string;
      readonly group: Group;
      readonly child: Child;
      readonly last: boolean;
    };

export interface RowsInput {
  readonly groups: readonly Group[];
  readonly peers: Table<'peers'>;
  readonly filter: Filter;
  readonly sort: readonly SortKey[];
  /** Rows that ended longer ago than KEEP_ENDED_MS are left out. */
  readonly now: number;
  /** Stays in spite of having ended: the selected one. */
  readonly keep?: string;
}

export interface Rows {
  readonly rows: readonly Row[];
  /** Rows there would be without the filter. */
  readonly total: number;
}

export function buildRows({ groups, peers, filter, sort, now, keep }: RowsInput): Rows {
  const { test } = filter;
  const sorted = sortGroups(groups, peers, sort);
  const rows: Row[] = [];
  let total = 0;
  for (const group of sorted) {
    if (group.endedAt !== undefined && now - group.endedAt > KEEP_ENDED_MS && group.id !== keep) continue;
    const children = group.children.filter(
      ({ record }) => record.state === 'open' || record.id === keep || now - (record.closedAt ?? 0) <= KEEP_ENDED_MS,
    );
    total += 1 + children.length;
    // A group that matches shows all of its processes; otherwise those that match, under their group.
    const whole = test === undefined || test(searchableGroup(group, peers));
    const shown = whole ? children : children.filter((child) => test(searchableChild(child, group, peers)));
    if (!whole && shown.length === 0) continue;
    rows.push({ type: 'group', id: group.id, group });
    shown.forEach((child, index) => {
      rows.push({ type: 'child', id: child.record.id, group, child, last: index === shown.length - 1 });
    });
  }
  return { rows, total };
}

function ownerText(peers: Table<'peers'>, peerId: string | undefined): string {
  const peer = peerId === undefined ? undefined : peers.get(peerId);
  return peer === undefined ? '' : `${peer.name} ${peer.pid ?? ''}`.toLowerCase();
}

function searchableGroup(group: Group, peers: Table<'peers'>): Searchable {
  const state = groupState(group).word.toLowerCase();
  const size = 'bytes' in group ? formatSize(group.bytes) : '';
  const memory =
    group.kind === 'memory'
      ? `${kindWord(group) ?? ''} ${group.allocation?.address ?? ''} ${group.allocation?.dtype ?? ''}`
      : groupWord(group);
  return {
    text: `${group.label} ${size} ${memory} ${state}`.toLowerCase(),
    owner: ownerText(peers, group.ownerId),
    kind: group.kind === 'memory' ? 'buffer' : group.kind,
    state,
    gpu: group.device,
  };
}

const childKind: Readonly<Record<Child['type'], string>> = {
  mapping: 'mapping',
  eventImport: 'import',
  poolImport: 'pool import',
  physicalImport: 'physical import',
};

function searchableChild(child: Child, group: Group, peers: Table<'peers'>): Searchable {
  const state = childState(child).word.toLowerCase();
  const mapping = child.type === 'mapping' ? ` ${child.record.address} ${child.record.mechanism}` : '';
  return {
    text: `${childKind[child.type]}${mapping} ${state}`,
    owner: ownerText(peers, child.record.peerId),
    kind: childKind[child.type],
    state,
    gpu: group.device,
  };
}

const naturalKeys = new Map<string, string>();
const MOST_KEYS = 50_000;

/** Numbers inside words in the order of their values: `buffer 2` before `buffer 10`. Kept, as labels hardly change. */
export function naturalKey(text: string): string {
  const known = naturalKeys.get(text);
  if (known !== undefined) return known;
  const key = text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(15, '0'));
  if (naturalKeys.size >= MOST_KEYS) naturalKeys.clear();
  naturalKeys.set(text, key);
  return key;
}

type Key = string | number;

const keyOf: Readonly<Record<ColumnId, (group: Group, peers: Table<'peers'>) => Key>> = {
  label: (group) => naturalKey(group.label),
  process: (group, peers) => naturalKey(ownerText(peers, group.ownerId)),
  gpu: (group) => group.device,
  size: (group) => ('bytes' in group ? group.bytes : -1),
  address: (group) => (group.kind === 'memory' ? (group.allocation?.address ?? '').padStart(18, ' ') : ''),
  refs: (group) => group.references,
  state: (group) => groupState(group).word,
  // The younger the smaller: age counts up, creation counts down.
  age: (group) => -group.createdAt,
};

/** Groups by these keys; equal ones by age, oldest first, so that nothing jumps. */
export function sortGroups(
  groups: readonly Group[],
  peers: Table<'peers'>,
  sort: readonly SortKey[],
): readonly Group[] {
  const keyed = groups.map((group) => ({ group, keys: sort.map(({ column }) => keyOf[column](group, peers)) }));
  keyed.sort((a, b) => {
    for (let at = 0; at < sort.length; at++) {
      const [left, right] = [a.keys[at] as Key, b.keys[at] as Key];
      if (left !== right) return left < right === !sort[at]?.descending ? -1 : 1;
    }
    return a.group.createdAt - b.group.createdAt || (a.group.id < b.group.id ? -1 : 1);
  });
  return keyed.map(({ group }) => group);
}
