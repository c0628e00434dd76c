/**
 * Rows over a memory of any size: keeps its own scroll position, a screenful of row elements that are used again and
 * again, and a scroll bar. What a row holds is the business of whoever makes and paints rows.
 */
import {
  centreRow,
  clampPosition,
  positionOfThumb,
  revealRow,
  type ScrollPosition,
  type ScrollSpace,
  scrollByPixels,
  type Thumb,
  thumbOf,
} from '../../../lib/bytes-scroll';

/** One row element. `paint` draws row `index` into it and does nothing to what is the same already. */
export interface GridRow {
  readonly element: HTMLElement;
  paint(index: number): void;
}

export interface RowGridOptions {
  /** The area that shows rows; its height decides how many. */
  readonly viewport: HTMLElement;
  /** The scroll bar's track. */
  readonly track: HTMLElement;
  readonly thumb: HTMLElement;
  readonly makeRow: () => GridRow;
  /** The rows in sight changed: the first and the one after the last. */
  readonly onRows: (first: number, end: number) => void;
  /** The area became higher or lower. */
  readonly onResize?: () => void;
}

/** The share of the remaining way that a smooth scroll goes in each frame of 60 Hz. */
const GLIDE = 0.35;
/** Pixels for a wheel that counts in lines. */
const LINES = 3;

export class RowGrid {
  private space: ScrollSpace = { rows: 1, rowHeight: 20, viewHeight: 0 };
  private position: ScrollPosition = { row: 0, px: 0 };
  private rows: GridRow[] = [];
  /** Index of the row that `rows[0]` shows. */
  private top = 0;
  private readonly layer = document.createElement('div');
  private frame: number | undefined;
  private lastFrame = 0;
  /** Pixels that a smooth scroll still has to go. */
  private gliding = 0;
  private thumb: Thumb | undefined;
  private readonly resized = new ResizeObserver(() => this.measure());
  private readonly abort = new AbortController();
  private readonly calm = window.matchMedia('(prefers-reduced-motion: reduce)');
  /** Height of the scroll bar's track: asking for it in every frame would force a layout each time. */
  private trackHeight = 0;
  private told: { readonly first: number; readonly end: number } | undefined;

  constructor(private readonly options: RowGridOptions) {
    const { viewport, track, thumb } = options;
    const { signal } = this.abort;
    this.layer.className = 'rows-layer';
    this.layer.setAttribute('role', 'presentation');
    viewport.append(this.layer);
    viewport.addEventListener('wheel', this.wheel, { passive: false, signal });
    track.addEventListener('wheel', this.wheel, { passive: false, signal });
    track.addEventListener('pointerdown', this.grab, { signal });
    thumb.hidden = true;
    this.resized.observe(viewport);
    this.resized.observe(track);
  }

  destroy(): void {
    this.abort.abort();
    this.resized.disconnect();
    if (this.frame !== undefined) cancelAnimationFrame(this.frame);
    this.layer.remove();
  }

  /** Rows that fit completely. */
  get rowsPerPage(): number {
    return Math.max(1, Math.floor(this.space.viewHeight / this.space.rowHeight));
  }

  /** Whether a row was in sight, at least in part, when the grid was drawn last. */
  wasShown(row: number): boolean {
    return this.told !== undefined && row >= this.told.first && row < this.told.end;
  }

  /** How many rows there are and how high one is. All rows are made anew: their shape may have changed. */
  reset(rows: number, rowHeight: number, firstRow: number): void {
    this.trackHeight = this.options.track.clientHeight;
    this.space = { rows: Math.max(1, rows), rowHeight, viewHeight: this.options.viewport.clientHeight };
    this.position = clampPosition(this.space, { row: firstRow, px: 0 });
    this.gliding = 0;
    this.layer.replaceChildren();
    this.rows = [];
    this.told = undefined;
    this.draw();
  }

  /** Draws what is in sight again with the next frame. */
  invalidate(): void {
    this.frame ??= requestAnimationFrame(this.tick);
  }

  /** Scrolls the least to show a row, at once. */
  reveal(row: number): void {
    this.moveTo(revealRow(this.space, this.position, row));
  }

  /** Shows a row with some of what comes before it; does nothing when it is well in sight already. */
  jump(row: number): void {
    const { position } = this;
    if (row > position.row && row < position.row + this.rowsPerPage - 1) return;
    if (row === position.row && position.px === 0) return;
    this.moveTo(centreRow(this.space, row));
  }

  /** Scrolls by whole rows without moving the cursor. */
  scrollRows(rows: number): void {
    this.moveTo(clampPosition(this.space, { row: this.position.row + rows, px: this.position.px }));
  }

  private moveTo(position: ScrollPosition): void {
    this.gliding = 0;
    this.set(position);
  }

  private set(position: ScrollPosition): void {
    if (position.row === this.position.row && position.px === this.position.px) return;
    this.position = position;
    this.invalidate();
  }

  private measure(): void {
    const viewHeight = this.options.viewport.clientHeight;
    const trackHeight = this.options.track.clientHeight;
    if (viewHeight === this.space.viewHeight && trackHeight === this.trackHeight) return;
    this.trackHeight = trackHeight;
    this.space = { ...this.space, viewHeight };
    this.position = clampPosition(this.space, this.position);
    this.options.onResize?.();
    this.draw();
  }

  private readonly tick = (time: number): void => {
    this.frame = undefined;
    const passed = Math.min(100, time - this.lastFrame);
    this.lastFrame = time;
    if (this.gliding !== 0) {
      // The same share of the way in the same time, whatever the frame rate.
      const share = 1 - (1 - GLIDE) ** (passed / (1000 / 60));
      let step = this.gliding * share;
      if (Math.abs(step) < 1) step = Math.sign(this.gliding) * Math.min(1, Math.abs(this.gliding));
      step = Math.round(step);
      this.gliding = step === 0 ? 0 : this.gliding - step;
      const before = this.position;
      this.position = scrollByPixels(this.space, this.position, step);
      const stuck = this.position.row === before.row && this.position.px === before.px;
      if (stuck || Math.abs(this.gliding) < 1) this.gliding = 0;
      else this.invalidate();
    }
    this.draw();
  };

  /** Puts row elements where the position says, and paints them. */
  private draw(): void {
    const { rows: count, rowHeight, viewHeight } = this.space;
    const { row: top, px } = this.position;
    const needed = viewHeight === 0 ? 0 : Math.min(count - top, Math.ceil((viewHeight + px) / rowHeight));
    this.rotate(top);
    while (this.rows.length < needed) {
      const row = this.options.makeRow();
      this.rows.push(row);
      this.layer.append(row.element);
    }
    while (this.rows.length > needed) this.rows.pop()?.element.remove();
    for (let i = 0; i < this.rows.length; i++) this.rows[i]?.paint(top + i);
    this.layer.style.transform = `translateY(${-px}px)`;
    this.drawThumb();
    if (needed === 0) return;
    const end = top + needed;
    if (this.told?.first === top && this.told.end === end) return;
    this.told = { first: top, end };
    this.options.onRows(top, end);
  }

  /** Moves rows that went out at one end to the other, so that those that stay keep their elements and their order. */
  private rotate(top: number): void {
    const by = top - this.top;
    this.top = top;
    if (by === 0 || Math.abs(by) >= this.rows.length) return;
    if (by > 0) {
      const gone = this.rows.splice(0, by);
      this.rows.push(...gone);
      this.layer.append(...gone.map((row) => row.element));
    } else {
      const gone = this.rows.splice(by);
      this.rows.unshift(...gone);
      this.layer.prepend(...gone.map((row) => row.element));
    }
  }

  private drawThumb(): void {
    const { track, thumb } = this.options;
    const at = thumbOf(this.space, this.position, this.trackHeight);
    if (at?.top === this.thumb?.top && at?.height === this.thumb?.height) return;
    this.thumb = at;
    thumb.hidden = at === undefined;
    if (at === undefined) return;
    thumb.style.height = `${at.height}px`;
    thumb.style.transform = `translateY(${at.top}px)`;
    const last = Math.max(1, this.space.rows - this.rowsPerPage);
    track.setAttribute('aria-valuenow', String(Math.min(100, Math.round((this.position.row / last) * 100))));
  }

  private readonly wheel = (event: WheelEvent): void => {
    if (event.ctrlKey || event.deltaY === 0) return;
    event.preventDefault();
    const unit = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : this.space.rowHeight;
    const lines = event.deltaMode === WheelEvent.DOM_DELTA_PAGE ? this.rowsPerPage : LINES;
    const pixels =
      event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * lines * (unit / LINES);
    if (this.calm.matches) {
      this.moveTo(scrollByPixels(this.space, this.position, Math.round(pixels)));
      return;
    }
    if (Math.sign(this.gliding) !== Math.sign(pixels)) this.gliding = 0;
    this.gliding += pixels;
    if (this.frame === undefined) this.lastFrame = performance.now() - 1000 / 60;
    this.invalidate();
  };

  /** Press on the thumb drags it; beside it puts its middle there and drags on. */
  private readonly grab = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    const { track, thumb } = this.options;
    const area = track.getBoundingClientRect();
    const held = thumb.getBoundingClientRect();
    const inside = event.clientY >= held.top && event.clientY <= held.bottom;
    const grip = inside ? event.clientY - held.top : held.height / 2;
    const drag = (y: number) => this.moveTo(positionOfThumb(this.space, y - area.top - grip, area.height));
    track.setPointerCapture(event.pointerId);
    track.classList.add('held');
    const move = (moved: PointerEvent) => drag(moved.clientY);
    const drop = () => {
      track.classList.remove('held');
      track.removeEventListener('pointermove', move);
      track.removeEventListener('lostpointercapture', drop);
    };
    track.addEventListener('pointermove', move);
    track.addEventListener('lostpointercapture', drop);
    if (!inside) drag(event.clientY);
  };
}
