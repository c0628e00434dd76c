/**
 * Scroll positions over any number of rows. Browsers stop at about 33 million pixels, 27 MB of hex, so the grid keeps
 * its own position: a whole row and the pixels scrolled past its top. Row numbers stay exact up to 2^53; nothing here
 * ever multiplies a row number by a height.
 */

/** `px` is how far the top row is scrolled out of sight: 0 ≤ px < rowHeight. */
export interface ScrollPosition {
  readonly row: number;
  readonly px: number;
}

export interface ScrollSpace {
  readonly rows: number;
  readonly rowHeight: number;
  /** Height of the area that shows rows, in pixels. */
  readonly viewHeight: number;
}

export interface Thumb {
  readonly top: number;
  readonly height: number;
}

/** Shorter than this the thumb could not be held. */
export const MIN_THUMB = 24;

const START: ScrollPosition = { row: 0, px: 0 };

/** Rows that fit completely, at least one. */
export const fullRows = (space: ScrollSpace): number => Math.max(1, Math.floor(space.viewHeight / space.rowHeight));

/** The position at which the last row ends at the bottom of the view. */
export function lastPosition({ rows, rowHeight, viewHeight }: ScrollSpace): ScrollPosition {
  const fit = Math.floor(viewHeight / rowHeight);
  const rest = viewHeight - fit * rowHeight;
  if (rows <= fit) return START;
  return rest > 0 ? { row: rows - fit - 1, px: rowHeight - rest } : { row: rows - fit, px: 0 };
}

const isAfter = (a: ScrollPosition, b: ScrollPosition): boolean => a.row > b.row || (a.row === b.row && a.px > b.px);

/** Back into the space: never before the first row, never past `lastPosition`. */
export function clampPosition(space: ScrollSpace, position: ScrollPosition): ScrollPosition {
  if (position.row < 0) return START;
  const last = lastPosition(space);
  return isAfter(position, last) ? last : position;
}

export function scrollByPixels(space: ScrollSpace, position: ScrollPosition, delta: number): ScrollPosition {
  const px = position.px + delta;
  const rows = Math.floor(px / space.rowHeight);
  return clampPosition(space, { row: position.row + rows, px: px - rows * space.rowHeight });
}

export const scrollByRows = (space: ScrollSpace, position: ScrollPosition, rows: number): ScrollPosition =>
  clampPosition(space, { row: position.row + rows, px: position.px });

/** The nearest position that shows all of `row`; the same one when it is in sight already. */
export function revealRow(space: ScrollSpace, position: ScrollPosition, row: number): ScrollPosition {
  if (row < position.row || (row === position.row && position.px > 0)) return clampPosition(space, { row, px: 0 });
  // The row's bottom relative to the view, in pixels; far rows need no exact figure.
  const ahead = row - position.row;
  if (ahead * space.rowHeight - position.px + space.rowHeight <= space.viewHeight) return position;
  return lastPosition({ ...space, rows: row + 1 });
}

/** Puts `row` a third down the view, for jumps: what comes before it matters too. */
export function centreRow(space: ScrollSpace, row: number): ScrollPosition {
  return clampPosition(space, { row: row - Math.floor(fullRows(space) / 3), px: 0 });
}

/** Where the scroll bar's thumb lies on a track of `track` pixels; `undefined` when everything is in sight. */
export function thumbOf(space: ScrollSpace, position: ScrollPosition, track: number): Thumb | undefined {
  const last = lastPosition(space);
  const steps = last.row + last.px / space.rowHeight;
  if (steps <= 0 || track <= MIN_THUMB) return undefined;
  const height = Math.max(MIN_THUMB, Math.round((track * (space.viewHeight / space.rowHeight)) / space.rows));
  const done = (position.row + position.px / space.rowHeight) / steps;
  return { top: Math.round(Math.min(1, done) * (track - height)), height };
}

/** The position for a thumb whose top was dragged to `top`. The two ends of the track are the two ends exactly. */
export function positionOfThumb(space: ScrollSpace, top: number, track: number): ScrollPosition {
  const thumb = thumbOf(space, START, track);
  if (!thumb) return START;
  const room = track - thumb.height;
  const last = lastPosition(space);
  if (top <= 0) return START;
  if (top >= room) return last;
  const at = (last.row + last.px / space.rowHeight) * (top / room);
  const row = Math.floor(at);
  // Far out a pixel of the track is many rows: fractions of a row would be noise.
  const px = space.rows > 1e6 ? 0 : Math.floor((at - row) * space.rowHeight);
  return clampPosition(space, { row, px });
}
