import { type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { formatCount } from '#contract/units';
import { act } from '../../../lib/act';
import { hexOffset } from '../../../lib/bytes-format';
import { copyText } from '../../../lib/clipboard';
import { useSettings } from '../../../lib/settings-store';
import { LinkButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { ContextMenu, type MenuItems } from '../../../ui/Menu';
import type { MemorySession } from '../model/memory-session';
import { openView } from '../model/open-view';
import { useJumps } from '../model/use-jumps';
import { TextChanges } from '../parts/text-changes';
import { cssColor } from './colors';
import { type ArrayPage, type PathKey, parentOf, rowOfByte, shownValue, type TreeRow } from './rows';
import type { Decoded } from './use-decoded';
import { usePlace } from './use-structure';

/** Elements that one answer holds of an array. */
const PAGE_ELEMENTS = 256;
/** Rows drawn beyond what is in sight. */
const BEYOND = 6;

export interface StructureTableProps {
  readonly session: MemorySession;
  readonly rows: readonly TreeRow[];
  readonly decoded: Decoded;
  readonly stale: boolean;
}

/** The tree of values. Arrow keys move, open and close; Enter shows the bytes. */
export function StructureTable({ session, rows, decoded, stale }: StructureTableProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [place, setPlace] = usePlace(session);
  const [sight, setSight] = useState({ top: 0, height: 0 });
  const density = useSettings((settings) => settings.density);
  const [rowHeight, setRowHeight] = useState(26);

  // biome-ignore lint/correctness/useExhaustiveDependencies: density changes what is measured
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const measure = () => {
      setRowHeight(Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-h')) || 26);
      setSight((before) => ({ ...before, height: element.clientHeight }));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, [density]);

  const found = rows.findIndex(({ key }) => key === place.row);
  const at = Math.max(0, found);
  const first = Math.max(0, Math.floor(sight.top / rowHeight) - BEYOND);
  const end = Math.min(rows.length, Math.ceil((sight.top + sight.height) / rowHeight) + BEYOND);

  const [changes] = useState(() => new TextChanges());
  changes.begin(decoded.version, [decoded.format, decoded.offset, decoded.order]);

  // The row of the keys stays in sight.
  const shownRow = useRef(at);
  useEffect(() => {
    const element = root.current;
    if (element === null || shownRow.current === at) return;
    shownRow.current = at;
    const top = at * rowHeight;
    const head = 28;
    if (top < element.scrollTop) element.scrollTop = top;
    else if (top + rowHeight + head > element.scrollTop + element.clientHeight)
      element.scrollTop = top + rowHeight + head - element.clientHeight;
  }, [at, rowHeight]);

  // Where a place was jumped to, the value there gets the cursor: the innermost that is shown.
  useJumps(session, 'structure tree', (offset) => {
    const key = rowOfByte(rows, offset);
    if (key !== undefined) setPlace((before) => ({ ...before, row: key }));
  });

  const select = (index: number) => {
    const row = rows[Math.min(rows.length - 1, Math.max(0, index))];
    if (row === undefined) return;
    setPlace((before) => ({ ...before, row: row.key }));
    // Its bytes are what is copied, bookmarked and shown elsewhere.
    const { offset, bytes, state } = row.node;
    if (row.page === undefined && state !== 'outside' && offset < session.size) {
      const last = Math.min(session.size, offset + Math.max(1, bytes ?? 1)) - 1;
      session.setCursor({ cursor: offset, anchor: last }, 'pointer');
    }
  };
  const copy = (text: string) => void act('Copy', () => copyText(text), `${text} is copied`);
  const toggle = (row: TreeRow, open = !row.expanded) => {
    if (!row.expandable || open === row.expanded) return;
    setPlace((before) => ({ ...before, row: row.key, toggled: new Map(before.toggled).set(row.key, open) }));
  };
  const showBytes = ({ node }: TreeRow) => {
    if (node.state === 'outside' || node.offset >= session.size) return;
    openView('bytes');
    session.goTo(node.offset, Math.max(1, node.bytes ?? 1));
  };
  const turn = (key: PathKey, from: number) =>
    setPlace((before) => ({ ...before, from: new Map(before.from).set(key.replace('#', ''), Math.max(0, from)) }));

  const press = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row === undefined || root.current?.contains(document.activeElement) !== true) return;
    const isCopy = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'c';
    if (isCopy && hasValue(row)) {
      copy(shownValue(row.node));
      event.preventDefault();
      return;
    }
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const page = Math.max(1, Math.floor(sight.height / rowHeight) - 2);
    switch (event.key) {
      case 'ArrowDown':
        select(at + 1);
        break;
      case 'ArrowUp':
        select(at - 1);
        break;
      case 'PageDown':
        select(at + page);
        break;
      case 'PageUp':
        select(at - page);
        break;
      case 'Home':
        select(0);
        break;
      case 'End':
        select(rows.length - 1);
        break;
      case 'ArrowRight':
        if (row.page !== undefined) turn(row.key, row.page.from + PAGE_ELEMENTS);
        else if (row.expanded) select(at + 1);
        else toggle(row, true);
        break;
      case 'ArrowLeft':
        if (row.page !== undefined) turn(row.key, row.page.from - PAGE_ELEMENTS);
        else if (row.expanded) toggle(row, false);
        else select(parentOf(rows, at) ?? at);
        break;
      case 'Enter':
        if (row.page === undefined) showBytes(row);
        break;
      default:
        return;
    }
    event.preventDefault();
  };

  const menuOf = (row: TreeRow): MenuItems => [
    {
      label: 'Copy the value',
      keys: 'Ctrl C',
      disabled: !hasValue(row),
      onSelect: () => copy(shownValue(row.node)),
    },
    {
      label: 'Copy name and value',
      disabled: !hasValue(row),
      onSelect: () => copy(`${row.node.name} = ${shownValue(row.node)}`),
    },
    { label: 'Copy the offset', keys: 'Alt C', onSelect: () => copy(hexOffset(row.node.offset)) },
    'line',
    { label: 'Show the bytes', keys: 'Enter', onSelect: () => showBytes(row) },
    {
      label: 'Begin the format here',
      disabled: row.node.offset >= session.size,
      onSelect: () => setPlace((before) => ({ ...before, offset: row.node.offset })),
    },
  ];
  const current = rows[at];
  const hasNotes = rows.some(({ node }) => node.note !== undefined || node.error !== undefined);
  return (
    <ContextMenu
      label="Actions for this value"
      items={current === undefined || current.page !== undefined ? [] : menuOf(current)}
      area={
        <div
          ref={root}
          className={cx('stree', stale && 'is-stale', !hasNotes && 'without-notes')}
          data-area="memory"
          data-entry
          role="treegrid"
          tabIndex={0}
          aria-label="Values of the structure"
          aria-rowcount={rows.length + 1}
          aria-activedescendant={at >= first && at < end ? `${id}-${at}` : undefined}
          onKeyDown={press}
          onFocus={({ target, currentTarget }) => {
            // A row that was pressed goes when it is scrolled away, and would take the focus along.
            if (target !== currentTarget && target.role === 'row') currentTarget.focus({ preventScroll: true });
          }}
          onScroll={(event) => {
            const top = event.currentTarget.scrollTop;
            setSight((before) => ({ ...before, top }));
          }}
        >
          <div className="srow shead" role="row" aria-rowindex={1}>
            {['Name', 'Value', 'Type', 'Offset', 'Note'].map((name) => (
              <span key={name} role="columnheader">
                {name}
              </span>
            ))}
          </div>
          <div className="srows" role="rowgroup" style={{ height: rows.length * rowHeight }}>
            {rows.slice(first, end).map((row, i) => {
              const index = first + i;
              return (
                <Row
                  key={row.key}
                  row={row}
                  id={`${id}-${index}`}
                  index={index}
                  top={index * rowHeight}
                  on={index === at}
                  changed={row.page === undefined && !stale && changes.isChanged(row.key, shownValue(row.node))}
                  onSelect={() => select(index)}
                  onToggle={() => toggle(row)}
                  onBytes={() => showBytes(row)}
                  onTurn={(from) => turn(row.key, from)}
                />
              );
            })}
          </div>
        </div>
      }
    />
  );
}

/** Whether there is something to copy: of structs and what was not read there is not. */
const hasValue = ({ node, page }: TreeRow): boolean =>
  page === undefined && node.state === undefined && node.value !== null;

interface RowProps {
  readonly row: TreeRow;
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly on: boolean;
  readonly changed: boolean;
  readonly onSelect: () => void;
  readonly onToggle: () => void;
  readonly onBytes: () => void;
  readonly onTurn: (from: number) => void;
}

function Row({ row, id, index, top, on, changed, onSelect, onToggle, onBytes, onTurn }: RowProps) {
  const { node, level, page } = row;
  const common = {
    id,
    'aria-rowindex': index + 2,
    'aria-level': level,
    'aria-selected': on,
    style: { transform: `translateY(${top}px)`, '--level': level - 1 } as React.CSSProperties,
    onPointerDown: onSelect,
  };
  if (page !== undefined) {
    return (
      <div {...common} role="row" className={cx('srow spage', on && 'on')}>
        <span role="gridcell" className="sname">
          <PageTurner page={page} onTurn={onTurn} />
        </span>
      </div>
    );
  }
  const isWrong = node.error !== undefined;
  return (
    <div
      {...common}
      role="row"
      tabIndex={-1}
      className={cx('srow', on && 'on', node.state, isWrong && 'wrong')}
      aria-expanded={row.expandable ? row.expanded : undefined}
      onDoubleClick={onBytes}
    >
      <span role="gridcell" className="sname cut" title={node.name}>
        {row.expandable ? (
          <button
            type="button"
            className="stwist"
            tabIndex={-1}
            aria-label={row.expanded ? `Close ${node.name}` : `Open ${node.name}`}
            onClick={onToggle}
          >
            <Icon name={row.expanded ? 'down' : 'right'} size={12} />
          </button>
        ) : (
          <span className="stwist" />
        )}
        <i className="scolor" style={node.color === undefined ? undefined : { background: cssColor(node.color) }} />
        {node.label ?? node.name}
      </span>
      <span role="gridcell" className={cx('svalue mono cut', changed && 'c1')} title={shownValue(node)}>
        {changed && <span className="sr">changed: </span>}
        {shownValue(node)}
      </span>
      <span role="gridcell" className="mono cut dim" title={node.type}>
        {node.type}
      </span>
      <span role="gridcell" className="mono num soffset">
        <LinkButton tabIndex={-1} onClick={onBytes} disabled={node.state === 'outside'} title="Show the bytes">
          {hexOffset(node.offset)}
          {node.bits === undefined ? '' : ` b${node.bits.start}:${node.bits.width}`}
        </LinkButton>
      </span>
      <span role="gridcell" className={cx('cut', isWrong ? 'error' : 'dim')} title={node.error ?? node.note}>
        {node.error ?? node.note ?? ''}
      </span>
    </div>
  );
}

function PageTurner({ page, onTurn }: { page: ArrayPage; onTurn: (from: number) => void }) {
  const end = page.from + page.shown;
  return (
    <>
      <span className="dim num">
        {formatCount(page.from)} to {formatCount(end - 1)} of {formatCount(page.count)}
      </span>
      <LinkButton tabIndex={-1} disabled={page.from === 0} onClick={() => onTurn(page.from - PAGE_ELEMENTS)}>
        Before
      </LinkButton>
      <LinkButton tabIndex={-1} disabled={end >= page.count} onClick={() => onTurn(end)}>
        After
      </LinkButton>
      <LinkButton
        tabIndex={-1}
        disabled={end >= page.count}
        onClick={() => onTurn(Math.max(0, page.count - PAGE_ELEMENTS))}
      >
        Last
      </LinkButton>
    </>
  );
}
