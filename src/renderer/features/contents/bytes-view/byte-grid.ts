/** The grid of bytes: offset, hex and text of each row, drawn from one state for each byte. */
import { dtypes } from '#contract/dtypes';
import { announce } from '../../../lib/announce';
import { READ } from '../../../lib/bytes-changes';
import { columnOffset, formatOffset, GLYPHS, HEX, isPrintable, offsetDigits } from '../../../lib/bytes-format';
import { drawMark, MemoryGrid } from '../grid/memory-grid';
import type { GridRow } from '../grid/row-grid';
import { readStates } from './byte-states';
import { CURSOR, cachedClasses, cellState, glyphOf, hexOf, OUTSIDE, SELECTED } from './cell-state';
import { pastedBytes } from './paste';

export interface ByteLayout {
  readonly bytesPerRow: number;
  readonly group: number;
  readonly rowHeight: number;
  readonly offsets: 'hex' | 'decimal' | 'address';
}

/** Bits that decide whether `aria-label` of a hex cell is needed. */
const READ_STATE = cellState(0, READ, 0);
const KNOWN_MASK = cellState(0, 3, 0);

export class ByteGrid extends MemoryGrid {
  private config: ByteLayout = { bytesPerRow: 16, group: 4, rowHeight: 20, offsets: 'hex' };
  private digits = 8;
  private base = 0n;
  private scratch = new Int32Array(16);
  /** While typing hex: the next digit is the low one. */
  private low: { readonly offset: number } | undefined;
  /** The last byte was typed: there is nowhere to go on. */
  private full = false;

  configure(config: ByteLayout): void {
    this.config = config;
    this.base = BigInt(this.session.source.address);
    this.digits = offsetDigits(this.session.size, config.offsets === 'decimal' ? 'decimal' : 'hex');
    this.scratch = new Int32Array(config.bytesPerRow);
    this.elements.root.setAttribute('aria-colcount', String(config.bytesPerRow + 2));
    this.layout(config.bytesPerRow, 1, config.rowHeight);
  }

  protected override makeRow(): GridRow {
    return new ByteRow(this);
  }

  protected override describe(offset: number): string {
    const byte = this.session.edits.at(offset) ?? this.session.mirror.byte(offset);
    const place = formatOffset(offset, this.config.offsets === 'decimal' ? 'decimal' : 'hex');
    if (byte === undefined) return `${place}: not read`;
    const glyph = isPrintable(byte) && byte !== 0x20 ? `, ${GLYPHS[byte]}` : '';
    const { start, end } = this.session.selection;
    const selected = this.session.isStretched ? `, ${end - start} bytes selected` : '';
    return `${place}: ${HEX[byte]}, ${byte}${glyph}${selected}`;
  }

  protected override elementAt(offset: number): { start: number; end: number } {
    const { bytes } = dtypes[this.session.dtype];
    const start = offset - (offset % bytes);
    return { start, end: start + bytes };
  }

  protected override editKey(event: KeyboardEvent): boolean {
    const { session } = this;
    if (event.ctrlKey || event.metaKey) {
      const key = event.key.toLowerCase();
      if (key === 'z') event.shiftKey ? session.redo() : session.undo();
      else if (key === 'y') session.redo();
      else return false;
      this.low = undefined;
      this.full = false;
      return true;
    }
    if (event.altKey) return false;
    if (event.key === 'Tab' && !event.shiftKey) {
      session.setSide(session.side === 'hex' ? 'text' : 'hex');
      return true;
    }
    if (event.key === 'Escape') {
      session.setEditing(false);
      return true;
    }
    if (event.key.length !== 1) {
      this.low = undefined;
      this.full = false;
      return false;
    }
    if (session.side === 'text') this.type(event.key);
    else if (/^[0-9a-f]$/i.test(event.key)) this.digit(Number.parseInt(event.key, 16));
    // Other letters are no commands while editing.
    return true;
  }

  protected override paste(text: string): void {
    const { session } = this;
    const bytes = pastedBytes(text, session.side);
    if (bytes === undefined) {
      announce('The clipboard holds no hexadecimal bytes. In the text column any text can be pasted.');
      return;
    }
    session.edit(session.cursor.cursor, bytes);
    this.low = undefined;
    this.advance(bytes.length);
  }

  /** One hex digit: the high half first, then the low one, then the next byte. */
  private digit(value: number): void {
    const { session } = this;
    const offset = session.cursor.cursor;
    if (this.full && offset === session.size - 1) return;
    const byte = session.edits.at(offset) ?? session.mirror.byte(offset) ?? 0;
    if (this.low?.offset === offset) {
      this.low = undefined;
      session.edit(offset, Uint8Array.of((byte & 0xf0) | value));
      this.advance(1);
    } else {
      this.low = { offset };
      session.edit(offset, Uint8Array.of((value << 4) | (byte & 0x0f)));
    }
  }

  private type(character: string): void {
    if (this.full && this.session.cursor.cursor === this.session.size - 1) return;
    const bytes = new TextEncoder().encode(character);
    this.session.edit(this.session.cursor.cursor, bytes);
    this.advance(bytes.length);
  }

  private advance(by: number): void {
    const { session } = this;
    const next = Math.min(session.size - 1, session.cursor.cursor + by);
    this.full = session.cursor.cursor + by >= session.size;
    session.setCursor({ anchor: next, cursor: next });
  }

  // ---------------------------------------------------------------- for its rows

  get rowLayout(): ByteLayout {
    return this.config;
  }

  states(offset: number): Int32Array {
    readStates(this.session, offset, this.scratch);
    return this.scratch;
  }

  offsetText(offset: number): string {
    const { offsets } = this.config;
    if (offsets === 'address') return `0x${(this.base + BigInt(offset)).toString(16)}`;
    return columnOffset(offset, this.digits, offsets);
  }

  get cursorOffset(): number {
    return this.session.cursor.cursor;
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

/** One row of elements, used for many rows of bytes. Touches only what is different from what it shows. */
class ByteRow implements GridRow {
  readonly element = document.createElement('div');
  private readonly offset = document.createElement('span');
  private readonly hex: HTMLElement[] = [];
  private readonly text: HTMLElement[] = [];
  private readonly shown: Int32Array;
  private index = -1;

  constructor(private readonly grid: ByteGrid) {
    const { bytesPerRow, group } = grid.rowLayout;
    this.shown = new Int32Array(bytesPerRow).fill(-1);
    this.element.className = 'brow';
    this.element.setAttribute('role', 'row');
    this.offset.className = 'off';
    this.offset.setAttribute('role', 'rowheader');
    this.offset.setAttribute('aria-colindex', '1');
    this.offset.dataset.stays = '';
    const hex = document.createElement('span');
    hex.className = 'hex';
    hex.setAttribute('role', 'presentation');
    const text = document.createElement('span');
    text.className = 'txt';
    text.setAttribute('role', 'gridcell');
    text.setAttribute('aria-colindex', String(bytesPerRow + 2));
    for (let i = 0; i < bytesPerRow; i++) {
      // The group's gap is a padding of its own element, so that marks of a cell end at the cell.
      const cell = document.createElement('span');
      cell.setAttribute('role', 'gridcell');
      cell.setAttribute('aria-colindex', String(i + 2));
      if (i > 0 && i % group === 0) cell.dataset.gap = '';
      cell.append('');
      const glyph = document.createElement('span');
      glyph.append('');
      grid.adopt(cell, () => this.hit(i, false));
      grid.adopt(glyph, () => this.hit(i, true));
      hex.append(cell);
      text.append(glyph);
      this.hex.push(cell);
      this.text.push(glyph);
    }
    this.element.append(this.offset, hex, text);
  }

  paint(index: number): void {
    const { grid, shown } = this;
    const start = index * shown.length;
    if (index !== this.index) {
      this.index = index;
      this.offset.textContent = `${grid.offsetText(start)} `;
      const row = grid.rowIndex(index);
      if (row === undefined) this.element.removeAttribute('aria-rowindex');
      else this.element.setAttribute('aria-rowindex', row);
    }
    const states = grid.states(start);
    for (let i = 0; i < shown.length; i++) {
      const state = states[i] as number;
      if (state !== shown[i]) this.paintCell(i, state, shown[i] as number);
    }
    const hasCursor = grid.cursorOffset >= start && grid.cursorOffset < start + shown.length;
    drawMark(this.offset, hasCursor ? 'off is-cur' : 'off', grid.markOf(index));
  }

  private paintCell(i: number, state: number, before: number): void {
    this.shown[i] = state;
    const cell = this.hex[i] as HTMLElement;
    const glyph = this.text[i] as HTMLElement;
    const digits = `${hexOf(state)} `;
    const character = glyphOf(state);
    const cellText = cell.firstChild as Text;
    const glyphText = glyph.firstChild as Text;
    if (cellText.data !== digits) cellText.data = digits;
    if (glyphText.data !== character) glyphText.data = character;
    const hexClass = cachedClasses(state, false);
    const textClass = cachedClasses(state, true);
    if (cell.className !== hexClass) cell.className = hexClass;
    if (glyph.className !== textClass) glyph.className = textClass;
    const marks = state ^ before;
    if (before === -1 || marks & SELECTED) cell.setAttribute('aria-selected', String((state & SELECTED) !== 0));
    if (before === -1 || marks & CURSOR) this.grid.cursorCell(cell, (state & CURSOR) !== 0);
    if (before === -1 || marks & (KNOWN_MASK | OUTSIDE)) {
      if (state & OUTSIDE) cell.setAttribute('aria-label', 'after the last byte');
      else if ((state & KNOWN_MASK) === READ_STATE) cell.removeAttribute('aria-label');
      else cell.setAttribute('aria-label', digits === '?? ' ? 'unreadable' : 'not read');
    }
  }

  private hit(i: number, text: boolean): { offset: number; text: boolean } | undefined {
    if ((this.shown[i] as number) & OUTSIDE) return undefined;
    return { offset: this.index * this.shown.length + i, text };
  }
}
