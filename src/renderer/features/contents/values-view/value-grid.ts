/** The same memory as elements of a type: each row a few elements, with the index and offset of the first. */
import { valueText } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { formatCount } from '#contract/units';
import { READ, UNREAD, UNREADABLE } from '../../../lib/bytes-changes';
import { columnOffset, formatOffset, offsetDigits } from '../../../lib/bytes-format';
import { drawMark, MemoryGrid } from '../grid/memory-grid';
import type { GridRow } from '../grid/row-grid';
import { PAGE } from '../model/memory-mirror';
import type { MemorySession } from '../model/memory-session';
import { bytesAt } from '../parts/ValueCard';
import { typeValue } from '../parts/ValueField';
import { bitsText } from './bits';
import { fitted } from './columns';

export interface ValueLayout {
  readonly perRow: number;
  readonly rowHeight: number;
  readonly offsets: 'hex' | 'decimal' | 'address';
  /** Whether the bits stand beside each value. */
  readonly bits: boolean;
}

/** Zero in the types that have a text of their own for it. */
const ZEROS: ReadonlySet<string> = new Set(['0', 'false', '0+0i', '0 0']);

/** One element as it is drawn. */
interface Cell {
  readonly text: string;
  /** Its bits, while they are shown and known. */
  readonly bits: string;
  readonly classes: string;
  readonly selected: boolean;
  readonly cursor: boolean;
  /** After the last byte: an empty place. */
  readonly outside: boolean;
}

export class ValueGrid extends MemoryGrid {
  private config: ValueLayout = { perRow: 4, rowHeight: 20, offsets: 'hex', bits: false };
  private digits = 8;
  private base = 0n;

  configure(config: ValueLayout): void {
    this.config = config;
    this.base = BigInt(this.session.source.address);
    this.digits = offsetDigits(this.session.size, config.offsets === 'decimal' ? 'decimal' : 'hex');
    this.elements.root.setAttribute('aria-colcount', String(config.perRow + 2));
    const { bytes } = dtypes[this.session.dtype];
    this.layout(config.perRow * bytes, bytes, config.rowHeight);
  }

  protected override makeRow(): GridRow {
    return new ValueRow(this, this.config);
  }

  protected override describe(offset: number): string {
    const { session, step } = this;
    const start = this.elementStart(offset);
    const text = valueText(session.mirror.bytesFrom(start, step), 0, session.dtype, session.order);
    const place = formatOffset(start, this.config.offsets === 'decimal' ? 'decimal' : 'hex');
    const { perUnit } = dtypes[session.dtype];
    const first = (start / step) * perUnit;
    const which = perUnit === 1 ? 'element ' : 'elements from ';
    return `${which}${formatCount(first)} at ${place}: ${text ?? 'not read'}`;
  }

  protected override elementAt(offset: number): { start: number; end: number } {
    const start = this.elementStart(offset);
    return { start, end: start + this.step };
  }

  /** Typing begins a value in the field of the edit mode. */
  protected override editKey(event: KeyboardEvent): boolean {
    const { session } = this;
    if (event.altKey) return false;
    if (event.ctrlKey || event.metaKey) {
      const key = event.key.toLowerCase();
      if (key === 'z') event.shiftKey ? session.redo() : session.undo();
      else if (key === 'y') session.redo();
      else return false;
      return true;
    }
    if (event.key === 'Escape') session.setEditing(false);
    else if (event.key === 'Enter') typeValue(this.valueAt(session.cursor.cursor));
    else if (/^[0-9a-z.+-]$/i.test(event.key)) typeValue(event.key);
    else return event.key.length === 1;
    return true;
  }

  private valueAt(offset: number): string {
    const { session } = this;
    return valueText(bytesAt(session, this.elementStart(offset)), 0, session.dtype, session.order) ?? '';
  }

  // ---------------------------------------------------------------- for its rows

  get elementBytes(): number {
    return this.step;
  }

  heading(index: number): { element: string; offset: string } {
    const start = index * this.rowBytes;
    const { offsets } = this.config;
    const offset =
      offsets === 'address'
        ? `0x${(this.base + BigInt(start)).toString(16)}`
        : columnOffset(start, this.digits, offsets);
    return { element: formatCount((start / this.step) * dtypes[this.session.dtype].perUnit), offset };
  }

  cell(offset: number): Cell {
    return drawElement(this.session, offset, this.step, this.config.bits);
  }

  adopt(cell: HTMLElement, hit: () => { offset: number; text: boolean } | undefined): void {
    this.register(cell, hit);
  }

  cursorCell(cell: HTMLElement, isCursor: boolean): void {
    this.markCursor(cell, isCursor);
  }

  rowIndex(index: number): string | undefined {
    return this.ariaRow(index);
  }
}

/** An element carries the freshest cue of its bytes, and is unread while any of them is. */
function drawElement(session: MemorySession, offset: number, length: number, withBits: boolean): Cell {
  const { mirror, clock, size, cursor, hover, selection } = session;
  if (offset >= size) return { text: '', bits: '', classes: 'v out', selected: false, cursor: false, outside: true };
  let known: number = READ;
  let stage = 0;
  for (let i = 0; i < length && offset + i < size; i++) {
    const page = mirror.page(offset + i);
    const within = (offset + i) % PAGE;
    const state = page?.data.known[within] ?? UNREAD;
    if (state !== READ) known = known === UNREADABLE ? known : state;
    const cue = clock.stage(page?.data.changedAt[within] ?? 0);
    if (cue > 0 && (stage === 0 || cue < stage)) stage = cue;
  }
  const whole = offset + length <= size;
  const isSelected = session.isStretched && offset < selection.end && offset + length > selection.start;
  const isCursor = cursor.cursor >= offset && cursor.cursor < offset + length;
  let classes = 'v';
  let text: string;
  let bits = '';
  if (!whole) {
    text = `${size - offset} B left`;
    classes += ' rest';
  } else if (known === UNREAD) {
    text = session.placeholders ? '··' : '';
    classes += session.placeholders ? ' u' : '';
  } else if (known === UNREADABLE) {
    text = '??';
    classes += ' x';
  } else {
    text = fitted(valueText(mirror.bytesFrom(offset, length), 0, session.dtype, session.order) ?? '··', session.dtype);
    if (ZEROS.has(text)) classes += ' z';
    if (/NaN|Inf/.test(text)) classes += ' nan';
    if (stage > 0) classes += ` c${stage}`;
    if (session.isStale(offset)) classes += ' old';
    if (withBits) bits = bitsText(mirror.bytesFrom(offset, length), session.dtype, session.order);
  }
  if (whole && isEdited(session, offset, length)) {
    text = fitted(valueText(bytesAt(session, offset), 0, session.dtype, session.order) ?? text, session.dtype);
    classes = 'v e';
    if (withBits) bits = bitsText(bytesAt(session, offset).subarray(0, length), session.dtype, session.order);
  }
  if (isSelected) classes += ' s';
  if (isCursor) classes += ' cur';
  if (hover !== undefined && hover >= offset && hover < offset + length) classes += ' h';
  return { text, bits, classes, selected: isSelected, cursor: isCursor, outside: false };
}

/** Whether a byte of an element was typed and not written yet. */
function isEdited({ edits }: MemorySession, offset: number, length: number): boolean {
  if (edits.count === 0) return false;
  for (let i = 0; i < length; i++) if (edits.at(offset + i) !== undefined) return true;
  return false;
}

class ValueRow implements GridRow {
  readonly element = document.createElement('div');
  private readonly head = document.createElement('span');
  private readonly offset = document.createElement('span');
  private readonly cells: HTMLElement[] = [];
  private readonly shown: (Cell | undefined)[] = [];
  private index = -1;

  constructor(
    private readonly grid: ValueGrid,
    { perRow, bits }: ValueLayout,
  ) {
    this.element.className = 'vrow';
    this.element.setAttribute('role', 'row');
    this.head.className = 'v-index';
    this.head.setAttribute('role', 'rowheader');
    this.head.setAttribute('aria-colindex', '1');
    this.head.dataset.stays = '';
    this.offset.className = 'v-off';
    this.offset.setAttribute('role', 'rowheader');
    this.offset.setAttribute('aria-colindex', '2');
    this.offset.dataset.stays = '';
    this.element.append(this.head, this.offset);
    for (let i = 0; i < perRow; i++) {
      const cell = document.createElement('span');
      cell.setAttribute('role', 'gridcell');
      cell.setAttribute('aria-colindex', String(i + 3));
      cell.append('');
      grid.adopt(cell, () => this.hit(i));
      if (bits) {
        const exact = document.createElement('span');
        exact.className = 'v-bits';
        grid.adopt(exact, () => this.hit(i));
        cell.append(exact);
      }
      this.cells.push(cell);
      this.shown.push(undefined);
      this.element.append(cell);
    }
  }

  paint(index: number): void {
    const { grid, cells } = this;
    if (index !== this.index) {
      this.index = index;
      const { element, offset } = grid.heading(index);
      this.head.textContent = `${element} `;
      this.offset.textContent = `${offset} `;
      const row = grid.rowIndex(index);
      if (row === undefined) this.element.removeAttribute('aria-rowindex');
      else this.element.setAttribute('aria-rowindex', row);
    }
    drawMark(this.head, 'v-index', grid.markOf(index));
    const start = index * cells.length * grid.elementBytes;
    for (let i = 0; i < cells.length; i++) {
      const next = grid.cell(start + i * grid.elementBytes);
      const before = this.shown[i];
      const cell = cells[i] as HTMLElement;
      this.shown[i] = next;
      const text = cell.firstChild as Text;
      if (text.data !== `${next.text} `) text.data = `${next.text} `;
      const exact = cell.lastElementChild;
      if (exact !== null && exact.textContent !== next.bits) exact.textContent = next.bits;
      if (cell.className !== next.classes) cell.className = next.classes;
      if (before?.selected !== next.selected) cell.setAttribute('aria-selected', String(next.selected));
      if (before?.cursor !== next.cursor) grid.cursorCell(cell, next.cursor);
    }
  }

  private hit(i: number): { offset: number; text: boolean } | undefined {
    if (this.shown[i]?.outside !== false) return undefined;
    return { offset: (this.index * this.cells.length + i) * this.grid.elementBytes, text: false };
  }
}
