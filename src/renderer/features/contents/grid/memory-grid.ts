/**
 * A grid over the bytes of a session: rows that follow scrolling, bytes and cues; cursor and selection by mouse and
 * keys. Bytes and Values are made of it; they say what a row looks like and how far the cursor steps.
 */
import { announce } from '../../../lib/announce';
import { at, type ByteCursor, moveCursor } from '../../../lib/bytes-cursor';
import type { Bookmark } from '../model/bookmarks';
import { bookmarksOf } from '../model/bookmarks-of';
import type { MemorySession } from '../model/memory-session';
import { type GridRow, RowGrid } from './row-grid';

export interface GridElements {
  /** The element with role grid: has the focus and the keys. */
  readonly root: HTMLElement;
  readonly viewport: HTMLElement;
  readonly track: HTMLElement;
  readonly thumb: HTMLElement;
}

/** What lies under the pointer: the first byte of a cell, and which column it belongs to. */
export interface CellHit {
  readonly offset: number;
  readonly text: boolean;
}

/** Browsers keep these figures in 32 bits: beyond, the number of rows is said to be unknown. */
const MOST_ARIA_ROWS = 2 ** 31 - 2;
/** The value under the cursor is said when it rests this long. */
const SAY_MS = 250;
/** Rows per second and pixel while a selection is dragged beyond an edge. */
const DRAG_SCROLL = 1.2;

export abstract class MemoryGrid {
  protected readonly rows: RowGrid;
  /** Bytes of a row and of an element, as configured last. */
  protected rowBytes = 16;
  protected step = 1;
  private rowHeight = 20;
  private readonly abort = new AbortController();
  private readonly unsubscribe: readonly (() => void)[];
  private saying: ReturnType<typeof setTimeout> | undefined;
  private dragTimer: ReturnType<typeof setInterval> | undefined;
  private readonly cells = new WeakMap<EventTarget, () => CellHit | undefined>();

  constructor(
    protected readonly elements: GridElements,
    protected readonly session: MemorySession,
  ) {
    const { root, viewport, track, thumb } = elements;
    this.rows = new RowGrid({
      viewport,
      track,
      thumb,
      makeRow: () => this.makeRow(),
      onRows: (first, end) => this.shown(first, end),
      // A bar that opens below must not cover the cursor.
      onResize: () => {
        const row = this.cursorRow;
        if (this.rows.wasShown(row)) this.rows.reveal(row);
      },
    });
    const { signal } = this.abort;
    root.addEventListener('keydown', (event) => this.key(event), { signal });
    // Where nothing can be typed into, the event goes to the body although the grid has the focus.
    document.addEventListener(
      'paste',
      (event) => {
        const text = event.clipboardData?.getData('text/plain');
        if (!session.editing || text === undefined || document.activeElement !== root) return;
        event.preventDefault();
        this.paste(text);
      },
      { signal },
    );
    root.addEventListener('focus', () => this.rows.invalidate(), { signal });
    root.addEventListener('blur', () => this.rows.invalidate(), { signal });
    viewport.addEventListener('pointerdown', (event) => this.press(event), { signal });
    viewport.addEventListener('pointermove', (event) => session.setHover(this.hit(event.target)?.offset), { signal });
    viewport.addEventListener('pointerleave', () => session.setHover(undefined), { signal });
    viewport.addEventListener('dblclick', (event) => this.pickElement(event), { signal });
    this.unsubscribe = [
      session.onData.subscribe(() => this.rows.invalidate()),
      session.onHover.subscribe(() => this.rows.invalidate()),
      session.onEdits.subscribe(() => this.rows.invalidate()),
      session.onCursor.subscribe(() => this.cursorMoved()),
      bookmarksOf(session).onChange.subscribe(() => this.rows.invalidate()),
    ];
  }

  destroy(): void {
    this.abort.abort();
    for (const end of this.unsubscribe) end();
    clearTimeout(this.saying);
    clearInterval(this.dragTimer);
    this.session.setHover(undefined);
    this.rows.destroy();
  }

  /** Lays the rows out anew and begins at the byte that was at the top before. */
  protected layout(rowBytes: number, step: number, rowHeight: number): void {
    this.rowBytes = rowBytes;
    this.step = step;
    this.rowHeight = rowHeight;
    const count = Math.ceil(this.session.size / rowBytes);
    const { root } = this.elements;
    root.setAttribute('aria-rowcount', String(count <= MOST_ARIA_ROWS ? count + 1 : -1));
    this.rows.reset(count, rowHeight, Math.floor(this.session.topOffset / rowBytes));
  }

  protected abstract makeRow(): GridRow;
  /** What is said of the value under the cursor. */
  protected abstract describe(offset: number): string;
  /** Keys of the edit mode; true when the key was used. */
  protected editKey(_event: KeyboardEvent): boolean {
    return false;
  }

  /** A text was pasted in the edit mode. */
  protected paste(_text: string): void {}

  /** The bookmark that a row begins with, when it has one. */
  markOf(index: number): Bookmark | undefined {
    return bookmarksOf(this.session).within(index * this.rowBytes, this.rowBytes);
  }

  /** Makes an element answer where the pointer is. */
  protected register(element: HTMLElement, hit: () => CellHit | undefined): void {
    this.cells.set(element, hit);
  }

  /** Called by the row that draws the cursor, so that the grid's focus is on that cell for assistive technology. */
  protected markCursor(cell: HTMLElement, isCursor: boolean): void {
    const { root } = this.elements;
    const id = `${root.id}-cursor`;
    if (isCursor) {
      if (cell.id === id) return;
      for (const other of root.querySelectorAll(`#${CSS.escape(id)}`)) other.removeAttribute('id');
      cell.id = id;
      root.setAttribute('aria-activedescendant', id);
      this.revealColumn(cell);
    } else if (cell.id === id) {
      cell.removeAttribute('id');
      root.removeAttribute('aria-activedescendant');
    }
  }

  /** Where rows are wider than the pane: scrolls sideways as far as the cursor's cell needs. */
  private revealColumn(cell: HTMLElement): void {
    const { root } = this.elements;
    if (root.scrollWidth <= root.clientWidth) return;
    const area = root.getBoundingClientRect();
    const { left, right } = cell.getBoundingClientRect();
    // What a row begins with stays in its place, over the cells.
    const heads = cell.closest('[role="row"]')?.querySelectorAll('[role="rowheader"]') ?? [];
    const edge = Math.max(area.left, ...[...heads].map((head) => head.getBoundingClientRect().right));
    if (left < edge) root.scrollLeft -= edge - left;
    else if (right > area.right) root.scrollLeft += right - area.right;
  }

  /** Row index for aria, or nothing where there are more rows than can be said. */
  protected ariaRow(index: number): string | undefined {
    return index < MOST_ARIA_ROWS ? String(index + 2) : undefined;
  }

  /** Puts the cursor on the first byte of an element that holds `offset`. */
  protected elementStart(offset: number): number {
    return offset - (offset % this.step);
  }

  /** What is selected in this grid is whole elements. */
  private whole(cursor: ByteCursor): ByteCursor {
    return this.step === 1 ? cursor : { ...cursor, unit: this.step };
  }

  private get cursorRow(): number {
    return Math.floor(this.session.cursor.cursor / this.rowBytes);
  }

  private shown(first: number, end: number): void {
    const { session, rowBytes } = this;
    session.topOffset = first * rowBytes;
    const offset = first * rowBytes;
    session.setVisible({ offset, length: Math.min(session.size, end * rowBytes) - offset });
  }

  private cursorMoved(): void {
    const { session, rows } = this;
    const row = this.cursorRow;
    // The pointer rests somewhere else while keys move: what it lies on is not of interest now.
    if (session.moved !== 'pointer') session.setHover(undefined);
    if (session.moved === 'jump') rows.jump(row);
    else if (session.moved === 'step') rows.reveal(row);
    rows.invalidate();
    if (document.activeElement !== this.elements.root) return;
    clearTimeout(this.saying);
    this.saying = setTimeout(() => announce(this.describe(session.cursor.cursor)), SAY_MS);
  }

  private key(event: KeyboardEvent): void {
    if (event.target !== this.elements.root) return;
    if (this.session.editing && this.editKey(event)) {
      event.preventDefault();
      return;
    }
    if (event.altKey || event.metaKey) return;
    if (event.ctrlKey && (event.key === 'ArrowUp' || event.key === 'ArrowDown')) {
      this.rows.scrollRows(event.key === 'ArrowUp' ? -1 : 1);
      event.preventDefault();
      return;
    }
    const { session } = this;
    if (event.ctrlKey && event.key.toLowerCase() === 'a') {
      session.setCursor(this.whole({ anchor: 0, cursor: session.size - 1 }), 'pointer');
      event.preventDefault();
      return;
    }
    if (event.key === 'Escape' && session.isStretched) {
      session.setCursor(this.whole(at(session.cursor.cursor)), 'pointer');
      event.preventDefault();
      return;
    }
    // A page goes by in the view too, so that what is read next stands where the last was read.
    if ((event.key === 'PageUp' || event.key === 'PageDown') && this.rows.wasShown(this.cursorRow)) {
      this.rows.scrollRows(event.key === 'PageUp' ? -this.rows.rowsPerPage : this.rows.rowsPerPage);
    }
    const from = { anchor: session.cursor.anchor, cursor: this.elementStart(session.cursor.cursor) };
    const moved = moveCursor(
      from,
      { key: event.key, ctrl: event.ctrlKey, shift: event.shiftKey },
      { size: session.size, bytesPerRow: this.rowBytes, rowsPerPage: this.rows.rowsPerPage, step: this.step },
    );
    if (moved === undefined) return;
    event.preventDefault();
    const far = event.ctrlKey && (event.key === 'Home' || event.key === 'End');
    if (far && !event.shiftKey) session.goTo(moved.cursor);
    session.setCursor(moved);
    // The cursor may be where it was while the view is elsewhere.
    this.rows.reveal(Math.floor(moved.cursor / this.rowBytes));
  }

  private hit(target: EventTarget | null): CellHit | undefined {
    return target === null ? undefined : this.cells.get(target)?.();
  }

  private press(event: PointerEvent): void {
    if (event.button !== 0 && event.button !== 2) return;
    const { root, viewport } = this.elements;
    root.focus({ preventScroll: true });
    const hit = this.hit(event.target);
    if (hit === undefined) return;
    const { session } = this;
    if (event.button === 2) {
      // The menu is for what is selected, or for what lies under the pointer.
      const { start, end } = session.selection;
      if (hit.offset < start || hit.offset >= end) session.setCursor(this.whole(at(hit.offset)), 'pointer');
      return;
    }
    event.preventDefault();
    session.setSide(hit.text ? 'text' : 'hex');
    const pressed = event.shiftKey ? { anchor: session.cursor.anchor, cursor: hit.offset } : at(hit.offset);
    session.setCursor(this.whole(pressed), 'pointer');
    const { anchor } = session.cursor;
    viewport.setPointerCapture(event.pointerId);
    let last = event;
    const extend = () => {
      const area = viewport.getBoundingClientRect();
      const over = last.clientY < area.top ? last.clientY - area.top : Math.max(0, last.clientY - area.bottom);
      if (over !== 0) {
        const speed = Math.sign(over) * Math.max(1, Math.round((Math.abs(over) * DRAG_SCROLL) / this.rowHeight));
        this.rows.scrollRows(speed);
      }
      // Captured events name the viewport: what lies under the pointer has to be looked for.
      const x = Math.min(Math.max(last.clientX, area.left + 1), area.right - 1);
      const y = Math.min(Math.max(last.clientY, area.top + 1), area.bottom - 1);
      const under = this.hit(document.elementFromPoint(x, y));
      if (under) session.setCursor(this.whole({ anchor, cursor: under.offset }), 'pointer');
    };
    const move = (moved: PointerEvent) => {
      last = moved;
      extend();
    };
    const drop = () => {
      clearInterval(this.dragTimer);
      viewport.removeEventListener('pointermove', move);
      viewport.removeEventListener('lostpointercapture', drop);
    };
    viewport.addEventListener('pointermove', move);
    viewport.addEventListener('lostpointercapture', drop);
    clearInterval(this.dragTimer);
    this.dragTimer = setInterval(() => {
      const area = viewport.getBoundingClientRect();
      if (last.clientY < area.top || last.clientY > area.bottom) extend();
    }, 50);
  }

  /** A double click takes the whole element of the type in use. */
  private pickElement(event: MouseEvent): void {
    // The press captured the pointer, so the event names the viewport.
    const hit = this.hit(document.elementFromPoint(event.clientX, event.clientY));
    if (hit === undefined) return;
    const { start, end } = this.elementAt(hit.offset);
    this.session.setCursor({ anchor: Math.min(end, this.session.size) - 1, cursor: start }, 'pointer');
  }

  /** First byte and the one after the last of the element that holds an offset. */
  protected abstract elementAt(offset: number): { readonly start: number; readonly end: number };
}

/** Draws the mark of a row at its first cell, and says there what it is. */
export function drawMark(cell: HTMLElement, classes: string, mark: Bookmark | undefined): void {
  const next = mark === undefined ? classes : `${classes} has-mark mark-${mark.color}`;
  if (cell.className !== next) cell.className = next;
  const title = mark === undefined ? '' : mark.note || 'Bookmark';
  if (cell.title !== title) cell.title = title;
}
