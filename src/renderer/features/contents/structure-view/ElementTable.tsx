import { type CSSProperties, type KeyboardEvent, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { StructureNode } from '#contract/structure/decode';
import { formatCount } from '#contract/units';
import { act } from '../../../lib/act';
import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import { copyText } from '../../../lib/clipboard';
import { useSettings } from '../../../lib/settings-store';
import { cx } from '../../../ui/cx';
import { ContextMenu, type MenuItems } from '../../../ui/Menu';
import type { MemorySession } from '../model/memory-session';
import { openView } from '../model/open-view';
import { useJumps } from '../model/use-jumps';
import { useKept } from '../model/use-kept';
import { TableScrollbar } from '../parts/TableScrollbar';
import { TextChanges } from '../parts/text-changes';
import { cssColor } from './colors';
import { type ArrayAt, type Column, cellOf, columnsOf, elementOfByte } from './elements';
import { shownValue } from './rows';
import type { Decoded, TableWish } from './use-decoded';

/** Elements that are asked for before and behind those in sight, so that a small scroll shows something at once. */
const BEYOND = 16;
const MOST_ELEMENTS = 256;
/** Characters of a column, at least and at most. */
const LEAST_CHARS = 4;
const MOST_CHARS = 28;

export interface ElementTableProps {
  readonly session: MemorySession;
  readonly array: ArrayAt;
  readonly decoded: Decoded;
  readonly stale: boolean;
  /** The elements that are in sight now: they are read and followed. */
  readonly onWish: (wish: TableWish) => void;
}

/** An array of any length: an element in each row, its values as columns. Only the elements in sight are read. */
export function ElementTable({ session, array, decoded, stale, onWish }: ElementTableProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const space = useSpace(root);
  const { key } = array;
  const count = array.node.count ?? 0;
  const [place, setPlace] = useKept(session, `structure table ${key}`, () => ({ top: 0, row: 0, column: 0 }));
  const rows = Math.max(1, Math.floor(space.height / space.rowHeight) - 1);
  const top = Math.max(0, Math.min(place.top, count - rows));
  const shown = Math.min(rows, count - top);

  const from = Math.max(0, Math.floor((top - BEYOND) / BEYOND) * BEYOND);
  const elements = Math.min(MOST_ELEMENTS, rows + 3 * BEYOND);
  useEffect(() => onWish({ key, from, elements }), [onWish, key, from, elements]);

  const known = decoded.table?.key === key ? decoded.table.node : array.node;
  const first = known.from ?? 0;
  const elementAt = (index: number): StructureNode | undefined => known.children?.[index - first];
  const columns = columnsOf(known.children ?? []);
  const lines = Array.from({ length: Math.max(0, shown) }, (_, i) => {
    const element = elementAt(top + i);
    return { index: top + i, element, cells: columns.map((column) => element && cellOf(element, column)) };
  });
  const widths = useWidths(key, columns, lines);

  const [changes] = useState(() => new TextChanges());
  // What the tree knows of the elements says less of each: no change is to be seen between the two.
  const isOwn = known !== array.node;
  changes.begin(decoded.version, [decoded.format, decoded.offset, decoded.order, key, isOwn]);

  const row = Math.min(place.row, Math.max(0, count - 1));
  const column = Math.min(place.column, Math.max(0, columns.length - 1));
  const nodeAt = (r: number, c: number): StructureNode | undefined => {
    const element = elementAt(r);
    const of = columns[c];
    return element && of && cellOf(element, of);
  };
  const put = (r: number, c: number) => {
    const next = Math.max(0, Math.min(count - 1, r));
    const at = Math.max(0, Math.min(columns.length - 1, c));
    setPlace((before) => ({
      row: next,
      column: at,
      top: next < before.top ? next : Math.max(before.top, next - rows + 1),
    }));
  };
  // The bytes of the cell are the selection; of one far away they are known a moment later.
  const cell = nodeAt(row, column);
  const [offset, bytes] = [cell?.offset, cell?.bytes];
  const touched = useRef(false);
  useEffect(() => {
    if (!touched.current || offset === undefined || offset >= session.size) return;
    session.setCursor(
      { cursor: offset, anchor: Math.min(session.size, offset + Math.max(1, bytes ?? 1)) - 1 },
      'pointer',
    );
  }, [session, offset, bytes]);
  const said = cell === undefined ? 'not read' : shownValue(cell);
  const name = columns[column]?.name ?? '';
  useEffect(() => {
    if (!touched.current) return;
    const timer = setTimeout(() => announce(`[${formatCount(row)}] ${name}: ${said}`), 250);
    return () => clearTimeout(timer);
  }, [row, name, said]);

  // Where a place was jumped to, the element there gets the cursor.
  useJumps(session, `structure table ${key}`, (to) => {
    const index = elementOfByte(known, to);
    if (index === undefined) return;
    touched.current = false;
    const isInSight = (begin: number) => index >= begin && index < begin + rows;
    setPlace((before) => ({ ...before, row: index, top: isInSight(before.top) ? before.top : Math.max(0, index - 1) }));
  });

  const showBytes = () => {
    if (cell === undefined || cell.state === 'outside') return;
    openView('bytes');
    session.goTo(cell.offset, Math.max(1, cell.bytes ?? 1));
  };
  const copy = (text: string) => void act('Copy', () => copyText(text), `${text} is copied`);
  const rowText = (): string => columns.map((_, c) => textOf(nodeAt(row, c))).join('\t');

  const press = (event: KeyboardEvent) => {
    const far = event.ctrlKey || event.metaKey;
    if (event.altKey) return;
    touched.current = true;
    if (far && !event.shiftKey && event.key.toLowerCase() === 'c') copy(textOf(cell));
    else if (event.key === 'Enter' && !far) showBytes();
    else {
      const to = moved(event.key, far, { row, column, rows, count, columns: columns.length });
      if (to === undefined) return;
      put(to.row, to.column);
    }
    event.preventDefault();
  };
  const scroll = (by: number) =>
    setPlace((before) => ({ ...before, top: Math.max(0, Math.min(count - rows, before.top + by)) }));

  // Sideways the cell of the cursor comes into sight, beside what stays.
  const active = `${id}-cell`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each move of the cursor
  useEffect(() => {
    if (touched.current) document.getElementById(active)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [row, column, active]);

  const items: MenuItems = [
    { label: 'Copy the value', keys: 'Ctrl C', onSelect: () => copy(textOf(cell)) },
    { label: 'Copy the row', onSelect: () => copy(rowText()) },
    { label: 'Copy the offset', keys: 'Alt C', onSelect: () => copy(hexOffset(cell?.offset ?? 0)) },
    'line',
    { label: 'Show the bytes', keys: 'Enter', onSelect: showBytes },
  ];
  const headChars = Math.max(5, formatCount(Math.max(0, count - 1)).length);
  const placeChars = Math.max(6, hexOffset(session.size - 1).length);
  const style = { '--index': headChars, '--place': placeChars } as CSSProperties;
  const isInSight = row >= top && row < top + shown;
  return (
    <div className="etable" data-area="memory" style={style}>
      <ContextMenu
        label="Actions for this value"
        items={cell === undefined ? [] : items}
        area={
          <div
            ref={root}
            id={id}
            className={cx('egrid', stale && 'is-stale')}
            data-entry
            role="grid"
            tabIndex={0}
            aria-label={`Elements of ${array.node.name}`}
            aria-rowcount={count < 2 ** 31 - 2 ? count + 1 : -1}
            aria-colcount={columns.length + 2}
            aria-activedescendant={isInSight ? active : undefined}
            onKeyDown={press}
            onWheel={(event) => {
              if (event.deltaY !== 0 && !event.shiftKey && !event.ctrlKey) scroll(Math.sign(event.deltaY) * 3);
            }}
          >
            <div className="erow ehead" role="row" aria-rowindex={1}>
              <span className="eindex" role="columnheader" aria-colindex={1}>
                Index
              </span>
              <span className="eplace" role="columnheader" aria-colindex={2}>
                Offset
              </span>
              {columns.map(({ key: of, name: title, type, color }, c) => (
                <span
                  key={of}
                  className="ecell cut"
                  role="columnheader"
                  aria-colindex={c + 3}
                  style={{ width: `${widths[c]}ch` }}
                  title={`${title}: ${type}`}
                >
                  {color !== undefined && <i className="scolor" style={{ background: cssColor(color) }} />}
                  {title}
                </span>
              ))}
            </div>
            {lines.map(({ index, element, cells }, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are used again while the table scrolls
              <div key={i} className={cx('erow', index === row && 'on')} role="row" aria-rowindex={index + 2}>
                <span className="eindex" role="rowheader" aria-colindex={1}>
                  {formatCount(index)}
                </span>
                <span className="eplace" role="rowheader" aria-colindex={2}>
                  {element === undefined ? '' : hexOffset(element.offset)}
                </span>
                {cells.map((node, c) => {
                  const isCell = index === row && c === column;
                  const text = textOf(node);
                  const isMissing = element === undefined || node?.state !== undefined;
                  return (
                    <span
                      key={columns[c]?.key}
                      id={isCell ? active : undefined}
                      role="gridcell"
                      aria-colindex={c + 3}
                      aria-selected={isCell}
                      className={cx(
                        'ecell cut',
                        isMissing && 'u',
                        node?.error !== undefined && 'wrong',
                        !stale && node !== undefined && changes.isChanged(`${index} ${columns[c]?.key}`, text) && 'c1',
                        isCell && 'cur',
                      )}
                      style={{ width: `${widths[c]}ch` }}
                      title={node?.error ?? text}
                      onPointerDown={() => {
                        touched.current = true;
                        put(index, c);
                      }}
                      onDoubleClick={showBytes}
                    >
                      {text}
                    </span>
                  );
                })}
              </div>
            ))}
          </div>
        }
      />
      <TableScrollbar
        label="Elements in sight"
        orientation="vertical"
        controls={id}
        first={top}
        shown={rows}
        total={count}
        onMove={(to) => setPlace((before) => ({ ...before, top: to }))}
      />
    </div>
  );
}

/** What a cell says. A struct that is not told in full, and a field that an element has not, say nothing. */
const textOf = (node: StructureNode | undefined): string => (node === undefined ? '' : shownValue(node));

interface Sight {
  readonly row: number;
  readonly column: number;
  /** Rows in sight. */
  readonly rows: number;
  readonly count: number;
  readonly columns: number;
}

/** Where a key takes the cursor. */
function moved(key: string, far: boolean, { row, column, rows, count, columns }: Sight) {
  switch (key) {
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: far ? count - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: far ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: far ? columns - 1 : column + 1 };
    case 'PageUp':
      return { row: row - rows, column };
    case 'PageDown':
      return { row: row + rows, column };
    case 'Home':
      return { row: far ? 0 : row, column: 0 };
    case 'End':
      return { row: far ? count - 1 : row, column: columns - 1 };
    default:
      return undefined;
  }
}

/** Characters of each column: as wide as what was seen in it so far, so that nothing jumps while it is followed. */
function useWidths(
  key: string,
  columns: readonly Column[],
  lines: readonly { readonly cells: readonly (StructureNode | undefined)[] }[],
): readonly number[] {
  const seen = useRef(new Map<string, number>());
  return columns.map((column, c) => {
    const name = `${key} ${column.key} ${column.name}`;
    const texts = lines.map(({ cells }) => textOf(cells[c]).length);
    // The mark of its colour stands before the name.
    const head = column.name.length + (column.color === undefined ? 0 : 2);
    const most = Math.max(seen.current.get(name) ?? LEAST_CHARS, head, ...texts);
    seen.current.set(name, Math.min(MOST_CHARS, most));
    return Math.min(MOST_CHARS, most) + 3;
  });
}

function useSpace(root: { readonly current: HTMLElement | null }): { height: number; rowHeight: number } {
  const density = useSettings((settings) => settings.density);
  const [space, setSpace] = useState({ height: 0, rowHeight: 26 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: density changes what is measured
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const measure = () => {
      const next = {
        height: element.clientHeight,
        rowHeight: Number.parseFloat(getComputedStyle(element).getPropertyValue('--row-h')) || 26,
      };
      setSpace((before) => (before.height === next.height && before.rowHeight === next.rowHeight ? before : next));
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, [density]);
  return space;
}
