import { memo, type ReactNode } from 'react';
import type { Peer } from '#contract/records';
import { formatBytes, formatSize } from '#contract/units';
import { useNow } from '../../lib/clock';
import { formatTimer } from '../../lib/format';
import type { Child, Group } from '../../lib/groups';
import { groupIcon, groupWord, kindWord, mechanismWord } from '../../lib/kinds';
import { childState, groupState, type State } from '../../lib/states';
import { cx } from '../../ui/cx';
import { Icon } from '../../ui/Icon';
import { RoleGlyph } from '../../ui/RoleGlyph';
import { StateMark } from '../../ui/StateMark';
import type { Column, ColumnId } from './columns';
import type { Row } from './rows';

export interface HandleRowProps {
  readonly row: Row;
  readonly peer: Peer | undefined;
  readonly domId: string;
  /** Row number as a screen reader counts, the header being 1. */
  readonly number: number;
  readonly top: number;
  readonly columns: readonly Column[];
  readonly selected: boolean;
  /** The selected row is its group. */
  readonly kin: boolean;
  /** Keyboard position. */
  readonly active: boolean;
  readonly first: boolean;
}

/** One row: a piece of memory or an event, or one process that has it open, on its twig. */
export const HandleRow = memo(function HandleRow({
  row,
  peer,
  domId,
  number,
  top,
  columns,
  selected,
  kin,
  active,
  first,
}: HandleRowProps) {
  const closed = row.type === 'child' ? row.child.record.state === 'closed' : row.group.endedAt !== undefined;
  return (
    <div
      id={domId}
      role="row"
      aria-rowindex={number}
      aria-selected={selected}
      data-row={row.id}
      className={cx(
        'tr',
        row.type === 'group' && !first && 'group',
        selected && 'on',
        kin && 'kin',
        active && 'active',
        closed && 'closed',
      )}
      style={{ transform: `translateY(${top}px)` }}
    >
      {columns.map(({ id, right }) => (
        <div key={id} role="gridcell" className={cx(right && 'r', cellClass[id])}>
          {row.type === 'group' ? groupCell[id](row.group, peer) : childCell[id](row, peer)}
        </div>
      ))}
    </div>
  );
});

const cellClass: Readonly<Record<ColumnId, string>> = {
  label: 'c-label',
  process: '',
  gpu: 'soft num',
  size: 'num',
  address: '',
  refs: 'num',
  state: 'c-state',
  age: 'num dim',
};

type ChildRow = Extract<Row, { type: 'child' }>;

const groupCell: Readonly<Record<ColumnId, (group: Group, peer: Peer | undefined) => ReactNode>> = {
  label: (group) => (
    <span className="label">
      <Icon name={groupIcon(group)} />
      <b title={group.label}>{group.label}</b>
      {group.kind === 'memory' && group.allocation !== undefined && (
        <span className="dtype">{group.allocation.dtype}</span>
      )}
      {wordOf(group) !== undefined && <span className="kind">{wordOf(group)}</span>}
    </span>
  ),
  process: (_group, peer) => <Process peer={peer} />,
  gpu: (group) => group.device,
  size: (group) => 'bytes' in group && <span title={formatBytes(group.bytes)}>{formatSize(group.bytes)}</span>,
  address: (group) => group.kind === 'memory' && <GroupAddress group={group} />,
  refs: (group) => group.references,
  state: (group) => <StateCell state={groupState(group)} />,
  age: (group) => <Age since={group.createdAt} until={group.endedAt} />,
};

const childCell: Readonly<Record<ColumnId, (row: ChildRow, peer: Peer | undefined) => ReactNode>> = {
  label: ({ child, group, last }) => (
    <span className={cx('twig', last && 'last')}>
      {child.type === 'mapping' ? 'mapping' : 'import'}
      {child.type === 'mapping' && child.record.mechanism !== 'legacy' && (
        <span className="kind">{mechanismWord[child.record.mechanism]}</span>
      )}
      <span className="sr"> of {group.label}</span>
    </span>
  ),
  process: (_row, peer) => <Process peer={peer} />,
  gpu: ({ child }) => child.record.device,
  size: ({ child }) => {
    const bytes = 'bytes' in child.record ? child.record.bytes : sizeOfImport(child);
    return (
      bytes !== undefined && (
        <span className="same" title={`${formatBytes(bytes)}. The same memory: not counted again`}>
          = {formatSize(bytes)}
        </span>
      )
    );
  },
  address: ({ child }) => child.type === 'mapping' && <span className="mono soft">{child.record.address}</span>,
  refs: ({ child }) => (child.type === 'mapping' ? child.record.references : child.record.state === 'open' ? 1 : 0),
  state: ({ child }) => <StateCell state={childState(child)} />,
  age: ({ child }) => <Age since={child.record.openedAt} until={child.record.closedAt} />,
};

/** What kind of thing it is, where that is more than usual: memory of cuMemAlloc and events say nothing. */
const wordOf = (group: Group): string | undefined =>
  group.kind === 'memory' ? kindWord(group) : group.kind === 'event' ? undefined : groupWord(group);

const sizeOfImport = (child: Child): number | undefined =>
  child.type === 'physicalImport' ? child.record.physical.bytes : undefined;

function GroupAddress({ group }: { group: Extract<Group, { kind: 'memory' }> }) {
  if (group.allocation === undefined) return <span className="dim">not known here</span>;
  if (group.owner !== 'live') return <span className="dim">{group.owner}</span>;
  return <span className="mono">{group.allocation.address}</span>;
}

function Process({ peer }: { peer: Peer | undefined }) {
  if (peer === undefined) return <span className="dim">not known here</span>;
  return (
    <span className="own">
      <RoleGlyph role={peer.role} />
      <span className="cut">
        {peer.name} {peer.pid !== null && <span className="pid num">{peer.pid}</span>}
      </span>
    </span>
  );
}

const StateCell = ({ state }: { state: State }) => (
  <StateMark mark={state.mark} tone={state.tone}>
    {state.word}
  </StateMark>
);

/** Counts up every second while it lives, and stands still afterwards. */
function Age({ since, until }: { since: number; until: number | undefined }) {
  const now = useNow();
  return formatTimer((until ?? now) - since);
}
