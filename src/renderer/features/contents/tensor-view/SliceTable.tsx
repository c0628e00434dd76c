import {
  type CSSProperties,
  type KeyboardEvent,
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { decodeValue, formatValue } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { fitRange, magnitude } from '#contract/tensor/image';
import { cellIndex, cellPlace, tableSize, windowRanges } from '#contract/tensor/slice';
import { formatCount } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { useSettings } from '../../../lib/settings-store';
import { cx } from '../../../ui/cx';
import type { MemorySession } from '../model/memory-session';
import { openView } from '../model/open-view';
import { useLiveRanges } from '../model/use-live-ranges';
import { useSignal } from '../model/use-signal';
import { ReadNote } from '../parts/ReadNote';
import { TableScrollbar } from '../parts/TableScrollbar';
import { TextChanges } from '../parts/text-changes';
import { typeValue } from '../parts/ValueField';
import { fitted, valueChars } from '../values-view/columns';
import type { ViewProps } from '../views';
import { heatStyle } from './heat-style';
import { useHeat, useTensor } from './use-tensor';

/** Cells that lie so far apart at most are read at once, in bytes. */
const GAP = 16 * 1024;
/** Characters that every column has room for. */
const LEAST_CHARS = 6;

interface Space {
  readonly width: number;
  readonly height: number;
  readonly char: number;
  readonly rowHeight: number;
}

/** The slice as a table of any size: only the cells in sight are read and drawn. */
export function SliceTable({ session }: ViewProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const [choice, setChoice] = useTensor(session);
  const [heat, setHeat] = useHeat(session);
  const { layout, slice, cell } = choice;
  const { dtype } = layout;
  const size = tableSize(layout.shape, slice);
  const order = useSignal(session.onStatus, () => session.order);
  const stale = useSignal(session.onStatus, () => session.ended);
  const space = useSpace(root);
  const [corner, setCorner] = useState({ row: 0, column: 0 });

  const headChars = Math.max(4, formatCount(Math.max(0, size.rows - 1)).length + 1);
  const headWidth = headChars * space.char + 12;
  // As wide as the longest value seen so far: most of a type are far shorter than its longest.
  const [seenChars, setSeenChars] = useState<{ readonly layout: unknown; readonly chars: number }>();
  const longest = seenChars?.layout === layout ? seenChars.chars : LEAST_CHARS;
  const cellChars = Math.min(valueChars(dtype), longest + 1.5);
  const cellWidth = Math.max(formatCount(Math.max(0, size.columns - 1)).length + 1.5, cellChars) * space.char;
  const rows = Math.max(1, Math.floor(space.height / space.rowHeight) - 1);
  const columns = Math.max(1, Math.floor((space.width - headWidth) / cellWidth));
  const row = Math.max(0, Math.min(corner.row, size.rows - rows));
  const column = Math.max(0, Math.min(corner.column, size.columns - columns));
  const shownRows = Math.min(rows, size.rows - row);
  // A part of a column at the right edge says that there are more.
  const shownColumns = Math.min(columns + 1, size.columns - column);

  const ranges = useMemo(
    () =>
      space.height === 0
        ? []
        : windowRanges(layout, slice, { row, column, rows: shownRows, columns: shownColumns }, GAP),
    [layout, slice, row, column, shownRows, shownColumns, space.height],
  );
  const live = useLiveRanges(session, 'table', ranges);

  const editing = useSignal(session.onEdits, () => session.editing);
  useSignal(session.onEdits, () => session.edits.version);
  const value = (r: number, c: number) => {
    const { byte, lane } = cellPlace(layout, slice, r, c);
    const found = live.find(byte, dtypes[dtype].bytes);
    return found && decodeValue(found.bytes, found.at, dtype, order, lane);
  };
  /** The text of a cell with what was typed and not written yet; undefined where nothing was. */
  const typed = (r: number, c: number): string | undefined => {
    const { edits } = session;
    if (edits.count === 0) return undefined;
    const { byte, lane } = cellPlace(layout, slice, r, c);
    const size = dtypes[dtype].bytes;
    const found = live.find(byte, size);
    const bytes = found === undefined ? new Uint8Array(size) : found.bytes.slice(found.at, found.at + size);
    let any = 0;
    for (let i = 0; i < size; i++) {
      const edit = edits.at(byte + i);
      if (edit === undefined) continue;
      bytes[i] = edit;
      any++;
    }
    // Of an element that was not read all bytes have to be typed ones.
    if (any === 0 || (found === undefined && any < size)) return undefined;
    return fitted(formatValue(decodeValue(bytes, 0, dtype, order, lane), dtype), dtype);
  };
  const values = Array.from({ length: shownRows }, (_, r) =>
    Array.from({ length: shownColumns }, (__, c) => value(row + r, column + c)),
  );

  const texts = values.map((line) =>
    line.map((one) => (one === undefined ? '··' : fitted(formatValue(one, dtype), dtype))),
  );
  const most = Math.max(0, ...texts.map((line) => Math.max(0, ...line.map((text) => text.length))));
  if (most > longest) setSeenChars({ layout, chars: most });

  // What the colours reach from while they follow what is in sight; kept for when they are set by hand.
  const seen = heat.on && heat.range === 'visible' ? seenRange(values) : undefined;
  useEffect(() => {
    if (seen === undefined) return;
    setHeat((before) =>
      before.low === seen.low && before.high === seen.high ? before : { ...before, low: seen.low, high: seen.high },
    );
  }, [seen, setHeat]);
  const range = seen ?? heat;

  const [changes] = useState(() => new TextChanges());
  changes.begin(live.version, [layout, slice, order]);

  const put = (to: { row: number; column: number }) => {
    const next = {
      row: Math.min(size.rows - 1, Math.max(0, to.row)),
      column: Math.min(size.columns - 1, Math.max(0, to.column)),
    };
    if (next.row < 0 || next.column < 0) return;
    setChoice((before) => ({ ...before, cell: next }));
    const { byte } = cellPlace(layout, slice, next.row, next.column);
    session.setCursor({ cursor: byte, anchor: byte + dtypes[dtype].bytes - 1 }, 'pointer');
    setCorner((before) => ({
      row: next.row < before.row ? next.row : Math.max(before.row, next.row - rows + 1),
      column: next.column < before.column ? next.column : Math.max(before.column, next.column - columns + 1),
    }));
  };
  // The cell may be set from outside, by a jump or by the plot: then it comes into sight.
  const last = useRef(cell);
  useEffect(() => {
    if (last.current === cell) return;
    last.current = cell;
    setCorner((before) => ({
      row: cell.row < before.row || cell.row >= before.row + rows ? Math.max(0, cell.row - 1) : before.row,
      column:
        cell.column < before.column || cell.column >= before.column + columns
          ? Math.max(0, cell.column - 1)
          : before.column,
    }));
  }, [cell, rows, columns]);

  const scroll = (by: { row?: number; column?: number }) =>
    setCorner((before) => ({
      row: Math.max(0, Math.min(before.row + (by.row ?? 0), size.rows - rows)),
      column: Math.max(0, Math.min(before.column + (by.column ?? 0), size.columns - columns)),
    }));
  useWheel(root, (event) => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    if (sideways !== 0) scroll({ column: Math.sign(sideways) });
    // Of a line, and of all that is no higher than the pane, there is nothing below.
    else if (size.rows <= rows) scroll({ column: Math.sign(event.deltaY) * Math.max(1, Math.min(3, columns)) });
    else scroll({ row: Math.sign(event.deltaY) * 3 });
  });

  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return;
    if (editing && editKey(session, event)) {
      event.preventDefault();
      return;
    }
    const to = moved(event, cell, size, rows, columns);
    if (event.key === 'Enter') showBytes(cell.row, cell.column);
    else if (to !== undefined) put(to);
    else return;
    event.preventDefault();
  };
  const showBytes = (r: number, c: number) => {
    const { byte } = cellPlace(layout, slice, r, c);
    openView('bytes');
    session.goTo(byte, dtypes[dtype].bytes);
  };

  const sizes = { '--head': `${headWidth}px`, '--cell': `${cellWidth}px` } as CSSProperties;
  const active = `tensor${id}-cell`;
  const isInSight =
    cell.row >= row && cell.row < row + shownRows && cell.column >= column && cell.column < column + shownColumns;
  return (
    <div className="ttable" data-area="memory" style={sizes}>
      <div
        ref={root}
        id={`tensor${id}`}
        className={cx('tgrid', stale && 'is-stale')}
        role="grid"
        tabIndex={0}
        aria-label="Values of the slice"
        aria-readonly={!editing}
        aria-rowcount={size.rows < 2 ** 31 - 2 ? size.rows + 1 : -1}
        aria-colcount={size.columns < 2 ** 31 - 2 ? size.columns + 1 : -1}
        aria-activedescendant={isInSight ? active : undefined}
        onKeyDown={press}
      >
        <div className="trow thead" role="row" aria-rowindex={1}>
          <span className="tindex" role="columnheader" aria-colindex={1}>
            <span className="sr">Row</span>
          </span>
          {Array.from({ length: shownColumns }, (_, c) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the number is the column
            <span key={column + c} className="tcell" role="columnheader" aria-colindex={column + c + 2}>
              {formatCount(column + c)}
            </span>
          ))}
        </div>
        {values.map((line, r) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows are used again while the table scrolls
          <div key={r} className="trow" role="row" aria-rowindex={row + r + 2}>
            <span className="tindex" role="rowheader" aria-colindex={1}>
              {formatCount(row + r)}
            </span>
            {line.map((one, c) => {
              const text = texts[r]?.[c] ?? '';
              const waiting = typed(row + r, column + c);
              const isCell = row + r === cell.row && column + c === cell.column;
              const number = one === undefined ? undefined : magnitude(one);
              const isNumber = number !== undefined && Number.isFinite(number);
              const isChanged = one !== undefined && changes.isChanged(`${row + r} ${column + c}`, text);
              return (
                <span
                  // biome-ignore lint/suspicious/noArrayIndexKey: cells are used again while the table scrolls
                  key={c}
                  id={isCell ? active : undefined}
                  role="gridcell"
                  aria-colindex={column + c + 2}
                  aria-selected={isCell}
                  className={cx(
                    'tcell',
                    one === undefined && 'u',
                    number === 0 && 'z',
                    number !== undefined && !isNumber && 'nan',
                    isChanged && 'c1',
                    waiting !== undefined && 'e',
                    isCell && 'cur',
                  )}
                  style={
                    heat.on && isNumber && waiting === undefined ? heatStyle(number, range, heat.colormap) : undefined
                  }
                  title={`[${cellIndex(slice, row + r, column + c).join(', ')}] at ${hexOffset(
                    cellPlace(layout, slice, row + r, column + c).byte,
                  )}`}
                  onPointerDown={() => put({ row: row + r, column: column + c })}
                  onDoubleClick={() => (editing ? typeValue() : showBytes(row + r, column + c))}
                >
                  {waiting ?? text}
                </span>
              );
            })}
          </div>
        ))}
        <span className="tprobe" aria-hidden="true" />
      </div>
      <TableScrollbar
        label="Rows in sight"
        orientation="vertical"
        controls={`tensor${id}`}
        first={row}
        shown={rows}
        total={size.rows}
        onMove={(to) => setCorner((before) => ({ ...before, row: to }))}
      />
      <TableScrollbar
        label="Columns in sight"
        orientation="horizontal"
        controls={`tensor${id}`}
        first={column}
        shown={columns}
        total={size.columns}
        onMove={(to) => setCorner((before) => ({ ...before, column: to }))}
      />
      <ReadNote live={live} />
    </div>
  );
}

function seenRange(values: readonly (readonly Parameters<typeof magnitude>[0][] | readonly unknown[])[]) {
  const numbers: number[] = [];
  for (const line of values) {
    for (const one of line) if (one !== undefined) numbers.push(magnitude(one as Parameters<typeof magnitude>[0]));
  }
  return fitRange(numbers, 'extremes');
}

/** Keys of the edit mode: a character begins a value in its field, Enter the one that is there. */
function editKey(session: MemorySession, event: KeyboardEvent): boolean {
  if (event.ctrlKey) {
    const key = event.key.toLowerCase();
    if (key === 'z') event.shiftKey ? session.redo() : session.undo();
    else if (key === 'y') session.redo();
    else return false;
    return true;
  }
  if (event.key === 'Escape') session.setEditing(false);
  else if (event.key === 'Enter') typeValue();
  else if (/^[0-9a-z.+-]$/i.test(event.key)) typeValue(event.key);
  else return false;
  return true;
}

/** Where a key takes the cursor. */
function moved(
  event: KeyboardEvent,
  { row, column }: { readonly row: number; readonly column: number },
  size: { readonly rows: number; readonly columns: number },
  page: number,
  pageColumns: number,
): { row: number; column: number } | undefined {
  const far = event.ctrlKey;
  switch (event.key) {
    case 'ArrowUp':
      return { row: far ? 0 : row - 1, column };
    case 'ArrowDown':
      return { row: far ? size.rows - 1 : row + 1, column };
    case 'ArrowLeft':
      return { row, column: far ? 0 : column - 1 };
    case 'ArrowRight':
      return { row, column: far ? size.columns - 1 : column + 1 };
    case 'PageUp':
      return size.rows === 1 ? { row, column: column - pageColumns } : { row: row - page, column };
    case 'PageDown':
      return size.rows === 1 ? { row, column: column + pageColumns } : { row: row + page, column };
    case 'Home':
      return far ? { row: 0, column: 0 } : { row, column: 0 };
    case 'End':
      return far ? { row: size.rows - 1, column: size.columns - 1 } : { row, column: size.columns - 1 };
    case '[':
      return { row, column: column - pageColumns };
    case ']':
      return { row, column: column + pageColumns };
    default:
      return undefined;
  }
}

function useSpace(root: { readonly current: HTMLElement | null }): Space {
  const density = useSettings((settings) => settings.density);
  const [space, setSpace] = useState<Space>({ width: 0, height: 0, char: 7, rowHeight: 20 });
  // biome-ignore lint/correctness/useExhaustiveDependencies: density changes what is measured
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const measure = () =>
      setSpace((before) => {
        const next = {
          width: element.clientWidth - Number.parseFloat(getComputedStyle(element).paddingLeft),
          height: element.clientHeight,
          char: (element.querySelector('.tprobe')?.getBoundingClientRect().width ?? 70) / 10,
          rowHeight: Number.parseFloat(getComputedStyle(element).getPropertyValue('--byte-row-h')) || 20,
        };
        return JSON.stringify(next) === JSON.stringify(before) ? before : next;
      });
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    void document.fonts.ready.then(measure);
    return () => resized.disconnect();
  }, [root, density]);
  return space;
}

/** The wheel scrolls the table and nothing else. */
function useWheel(root: { readonly current: HTMLElement | null }, turn: (event: WheelEvent) => void): void {
  const latest = useRef(turn);
  latest.current = turn;
  useEffect(() => {
    const element = root.current;
    if (element === null) return;
    const wheel = (event: WheelEvent) => {
      if (event.ctrlKey) return;
      event.preventDefault();
      latest.current(event);
    };
    element.addEventListener('wheel', wheel, { passive: false });
    return () => element.removeEventListener('wheel', wheel);
  }, [root]);
}
