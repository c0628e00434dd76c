import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import type { Peer } from '#contract/records';
import { act } from '../../lib/act';
import { useSelfId } from '../../lib/app-store';
import { copyText } from '../../lib/clipboard';
import { useRowHeights } from '../../lib/density';
import type { Table } from '../../lib/ledger';
import { ledgerNow } from '../../lib/ledger-store';
import { objectMenu } from '../../lib/object-menu';
import { equalRows, useRowWindow } from '../../lib/row-window';
import { selectObject, useSelectedObject } from '../../lib/selection-store';
import { setTable } from '../../lib/settings-store';
import { ContextMenu } from '../../ui/Menu';
import {
  type Column,
  columnIds,
  moveColumn,
  shownColumns,
  sortAfterClick,
  type TableSettings,
  tracks,
} from './columns';
import { columnAfterKey, rowAfterKey } from './grid-keys';
import { HandleRow } from './HandleRow';
import { HeaderCell } from './HeaderCell';
import type { Row } from './rows';

export interface HandleGridProps {
  readonly rows: readonly Row[];
  readonly peers: Table<'peers'>;
  readonly table: TableSettings;
  readonly narrow: boolean;
  /** Keeps the table for screen readers while the first-run screen stands in its place. */
  readonly unseen: boolean;
}

/** Height of the header in pixels: it lies over the first rows when the list is scrolled. */
const HEADER_HEIGHT = 28;

/** One press of Shift with an arrow in the header, in pixels. */
const WIDTH_STEP = 8;

const domId = (id: string): string => `row-${id}`;

const saveTable = (table: TableSettings, keep = true) => setTable('handles', table, { keep });

/** The process of a row: the owner of memory or an event, or who has it open. */
function peerOf(row: Row, peers: Table<'peers'>): Peer | undefined {
  const id = row.type === 'group' ? row.group.ownerId : row.child.record.peerId;
  return id === undefined ? undefined : peers.get(id);
}

/** The handle table: virtual rows, one tab stop, arrows select. */
export function HandleGrid({ rows, peers, table, narrow, unseen }: HandleGridProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const selected = useSelectedObject();
  const selfId = useSelfId();
  const rowHeight = useRowHeights().row;
  const [headerAt, setHeaderAt] = useState<number | undefined>(undefined);
  const shown = useMemo(() => shownColumns(table, narrow), [table, narrow]);
  const at = useMemo(() => rows.findIndex((row) => row.id === selected), [rows, selected]);
  const selectedRow = rows[at];

  const places = useMemo(() => equalRows(rows.length, rowHeight), [rows.length, rowHeight]);
  const { rows: inSight, page, room, show } = useRowWindow(scroller, places, HEADER_HEIGHT);

  // What was selected elsewhere is scrolled to once: its row may come after the selection, and the list must not jump
  // whenever the ledger moves other rows. Before the list has a height nothing can be shown.
  const shownFor = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (shownFor.current === selected && selected !== undefined) return;
    shownFor.current = undefined;
    if (at < 0 || room === 0 || unseen) return;
    shownFor.current = selected;
    show(at);
  }, [selected, at, room, unseen, show]);

  const moveTo = useCallback(
    (index: number) => {
      const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
      if (row === undefined) return;
      setHeaderAt(undefined);
      selectObject(row.id);
      show(rows.indexOf(row));
    },
    [rows, show],
  );

  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (headerAt !== undefined) pressInHeader(event, headerAt);
    else pressInRows(event);
  };

  const pressInRows = (event: KeyboardEvent) => {
    if (event.ctrlKey && event.key.toLowerCase() === 'c') {
      event.preventDefault();
      copyRow();
      return;
    }
    if (event.ctrlKey || event.altKey) return;
    const to = rowAfterKey(event.key, rows, at, page);
    if (to === undefined) return;
    event.preventDefault();
    if (to === 'header') setHeaderAt(0);
    else moveTo(to);
  };

  const pressInHeader = (event: KeyboardEvent, column: number) => {
    const shownColumn = shown[column];
    if (shownColumn !== undefined && changeColumn(event, shownColumn)) return;
    if (shownColumn !== undefined && (event.key === 'Enter' || event.key === ' ')) {
      event.preventDefault();
      saveTable({ ...table, sort: sortAfterClick(table.sort, shownColumn.id, event.shiftKey) });
      return;
    }
    const to = columnAfterKey(event.key, shown.length, column);
    if (to === undefined) return;
    event.preventDefault();
    if (to === 'rows') moveTo(Math.max(at, 0));
    else setHeaderAt(to);
  };

  /** Alt with an arrow moves the column, Shift with an arrow resizes it. Answers whether it did. */
  const changeColumn = (event: KeyboardEvent, column: Column): boolean => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || event.altKey === event.shiftKey) return false;
    event.preventDefault();
    if (event.altKey) {
      const order = moveColumn(table.order, column.id, step);
      saveTable({ ...table, order });
      setHeaderAt(shownColumns({ ...table, order }, narrow).findIndex(({ id }) => id === column.id));
    } else {
      const before = document.getElementById(`handles-h-${column.id}`)?.offsetWidth ?? column.min;
      saveTable({
        ...table,
        widths: { ...table.widths, [column.id]: Math.max(column.min, before + step * WIDTH_STEP) },
      });
    }
    return true;
  };

  /** The selected row as it is shown, its cells parted by tabs. */
  const copyRow = () => {
    const element = selectedRow === undefined ? null : document.getElementById(domId(selectedRow.id));
    if (element === null) return;
    const cells = [...element.children].map((cell) => cell.textContent?.trim() ?? '');
    void act('Copy the row', () => copyText(cells.join('\t')), 'The row is copied');
  };

  const rowOf = (event: MouseEvent): string | undefined =>
    (event.target as Element).closest<HTMLElement>('[data-row]')?.dataset.row;

  // Rows change with the ledger, so the menu is as new as they are.
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows stand for the ledger that was read for them
  const menu = useMemo(() => objectMenu(ledgerNow(), selected, selfId), [selected, selfId, rows]);
  const activeId =
    headerAt !== undefined
      ? `handles-h-${shown[headerAt]?.id}`
      : inSight.some(({ index }) => index === at) && selectedRow !== undefined
        ? domId(selectedRow.id)
        : undefined;

  return (
    <ContextMenu
      label="Actions for this row"
      items={menu}
      area={
        <div
          ref={scroller}
          className={unseen ? 'sr' : 'grid'}
          role="grid"
          aria-label="Handles"
          aria-rowcount={rows.length + 1}
          aria-colcount={columnIds.length}
          aria-activedescendant={activeId}
          tabIndex={unseen ? -1 : 0}
          style={{ '--cols': tracks(shown, table) } as CSSProperties}
          onKeyDown={press}
          onBlur={() => setHeaderAt(undefined)}
          onClick={(event) => {
            const id = rowOf(event);
            if (id !== undefined) selectObject(id);
          }}
          onContextMenu={(event) => {
            const id = rowOf(event);
            if (id === undefined) event.preventDefault();
            else selectObject(id);
          }}
        >
          <div className="th-w" role="rowgroup">
            <div className="tr th" role="row" aria-rowindex={1}>
              {shown.map((column, index) => (
                <HeaderCell
                  key={column.id}
                  column={column}
                  table={table}
                  active={headerAt === index}
                  onChange={saveTable}
                />
              ))}
            </div>
          </div>
          <div className="grid-body" role="rowgroup" style={{ height: places.height }}>
            {inSight.map(({ index, slot, top }) => {
              const row = rows[index];
              return (
                row !== undefined && (
                  <HandleRow
                    key={slot}
                    row={row}
                    domId={domId(row.id)}
                    number={index + 2}
                    top={top}
                    columns={shown}
                    peer={peerOf(row, peers)}
                    selected={index === at}
                    kin={row.type === 'child' && row.group.id === selected}
                    active={headerAt === undefined && index === at}
                    first={index === 0}
                  />
                )
              );
            })}
          </div>
        </div>
      }
    />
  );
}
