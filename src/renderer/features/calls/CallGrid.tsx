import { type KeyboardEvent, type MouseEvent, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { act } from '../../lib/act';
import { copyText } from '../../lib/clipboard';
import { useRowHeights } from '../../lib/density';
import { groupsOf } from '../../lib/groups';
import { ledgerNow } from '../../lib/ledger-store';
import { rowsOfLines, useRowWindow } from '../../lib/row-window';
import { selectObject } from '../../lib/selection-store';
import type { PeerRole } from '../../ui/RoleGlyph';
import { CallRowView } from './CallRowView';
import { type CallRow, linesOf } from './call-rows';

export interface CallGridProps {
  readonly rows: readonly CallRow[];
  readonly peers: ReadonlyMap<string, { readonly name: string; readonly role: PeerRole }>;
  readonly narrow: boolean;
  readonly newestFirst: boolean;
  /** Stays at the newest call. */
  readonly following: boolean;
  readonly onFollow: (following: boolean) => void;
  readonly hidden: boolean;
}

/** A scroll position this near to the newest call is at it, in pixels. */
const NEAR = 4;

const peerIdOf = (row: CallRow): string =>
  row.type === 'call' ? row.call.peerId : row.type === 'running' ? row.peer.id : row.ending.peerId;
const domId = (key: string): string => `call-${key.replace(' ', '-')}`;

/** The log: virtual rows of one or two lines, one tab stop, selecting a call selects its object. */
export function CallGrid({ rows, peers, narrow, newestFirst, following, onFollow, hidden }: CallGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const height = useRowHeights().call;
  const [activeKey, setActiveKey] = useState<string | undefined>(undefined);
  const at = activeKey === undefined ? -1 : rows.findIndex(({ key }) => key === activeKey);
  const places = useMemo(() => rowsOfLines(rows.map(linesOf), height), [rows, height]);
  const { rows: inSight, page, show } = useRowWindow(scroller, places);
  // Also when it appears or its height changes: what was at the edge is not any more.
  // biome-ignore lint/correctness/useExhaustiveDependencies: hidden and page say when
  useLayoutEffect(() => {
    if (following && places.count > 0) show(newestFirst ? 0 : places.count - 1);
  }, [following, newestFirst, places, show, hidden, page]);

  const choose = (row: CallRow | undefined) => {
    if (row === undefined) return;
    setActiveKey(row.key);
    const id = row.type === 'call' ? row.call.objectId : undefined;
    if (id !== undefined && groupsOf(ledgerNow()).of.has(id)) selectObject(id);
  };
  const press = (event: KeyboardEvent) => {
    if (event.ctrlKey && event.key.toLowerCase() === 'c' && at >= 0) {
      event.preventDefault();
      copyRow(rows[at]);
      return;
    }
    if (event.ctrlKey || event.altKey || rows.length === 0) return;
    const from = at < 0 ? (newestFirst ? -1 : rows.length) : at;
    const to = {
      ArrowDown: from + 1,
      ArrowUp: from - 1,
      PageDown: from + page,
      PageUp: from - page,
      Home: 0,
      End: rows.length - 1,
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const index = Math.min(Math.max(to, 0), rows.length - 1);
    choose(rows[index]);
    show(index);
  };
  return (
    <div
      ref={scroller}
      className={hidden ? 'sr' : 'grid'}
      role="grid"
      aria-label="Driver calls"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={
        activeKey !== undefined && inSight.some(({ index }) => index === at) ? domId(activeKey) : undefined
      }
      tabIndex={hidden ? -1 : 0}
      onKeyDown={press}
      onScroll={(event) => {
        // Folded, it has no height: nobody has scrolled it.
        if (hidden) return;
        const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
        const newest = newestFirst ? scrollTop <= NEAR : scrollHeight - scrollTop - clientHeight <= NEAR;
        if (newest !== following) onFollow(newest);
      }}
      onClick={(event: MouseEvent) => {
        const key = (event.target as Element).closest<HTMLElement>('[data-row]')?.dataset.row;
        if (key !== undefined) choose(rows.find((row) => row.key === key));
      }}
    >
      <div className="sr" role="rowgroup">
        <div role="row" aria-rowindex={1}>
          {['Time', 'Process', 'Function', 'Arguments', 'Result', 'Duration'].map((title) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
        </div>
      </div>
      <div className="grid-body" role="rowgroup" style={{ height: places.height }}>
        {inSight.map(({ index, slot, top }) => {
          const row = rows[index];
          if (row === undefined) return null;
          const peer = peers.get(peerIdOf(row));
          return (
            <CallRowView
              key={slot}
              row={row}
              domId={domId(row.key)}
              number={index + 2}
              top={top}
              active={index === at}
              peerName={peer?.name ?? peerIdOf(row)}
              peerRole={peer?.role ?? 'outside'}
              narrow={narrow}
            />
          );
        })}
      </div>
    </div>
  );
}

/** A row as it is shown, its cells parted by tabs, the result with its full name. */
function copyRow(row: CallRow | undefined): void {
  const element = row === undefined ? null : document.getElementById(domId(row.key));
  if (row === undefined || element === null) return;
  const cells = [...element.children].map((cell) => cell.textContent?.trim() ?? '');
  if (row.type === 'call') cells[4] = row.call.resultName;
  void act('Copy the call', () => copyText(cells.join('\t')), 'The call is copied');
}
