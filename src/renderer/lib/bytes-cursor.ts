/**
 * The cursor in a range of bytes, and the selection that Shift stretches from an anchor. Both ends are bytes: a
 * selection of one byte has anchor and cursor on it.
 */

export interface ByteCursor {
  readonly cursor: number;
  readonly anchor: number;
  /** Bytes of an element where whole elements are selected, from multiples of it on; 1 unless given. */
  readonly unit?: number;
}

export interface ByteSelection {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

export interface CursorSpace {
  /** Bytes of the memory, at least 1. */
  readonly size: number;
  readonly bytesPerRow: number;
  readonly rowsPerPage: number;
  /** How far Left and Right go: 1 in bytes, the element size in values. */
  readonly step: number;
}

export const at = (offset: number): ByteCursor => ({ cursor: offset, anchor: offset });

/** From the first to the last byte, of whole elements where they are the unit; never past the end of the memory. */
export function selectionOf({ cursor, anchor, unit = 1 }: ByteCursor, size: number): ByteSelection {
  const [first, last] = cursor < anchor ? [cursor, anchor] : [anchor, cursor];
  return { start: first - (first % unit), end: Math.min(size, last - (last % unit) + unit) };
}

export interface CursorKey {
  readonly key: string;
  readonly ctrl: boolean;
  readonly shift: boolean;
}

/** Where a key leads; `undefined` when it is not a cursor key. */
export function moveCursor(
  from: ByteCursor,
  { key, ctrl, shift }: CursorKey,
  space: CursorSpace,
): ByteCursor | undefined {
  const { size, bytesPerRow, rowsPerPage, step } = space;
  const last = size - 1;
  const here = from.cursor;
  const column = here % bytesPerRow;
  const lastElement = last - (last % step);

  /** Rows up or down in the same column; at the ends it stays within the memory. */
  const byRows = (rows: number): number => {
    const target = here + rows * bytesPerRow;
    if (target < 0) return column;
    if (target <= last) return target;
    const below = last - (last % bytesPerRow) + column;
    return below <= last ? below : Math.max(here, below - bytesPerRow);
  };

  let target: number;
  switch (key) {
    case 'ArrowLeft':
      target = ctrl ? here - step * 8 : here - step;
      break;
    case 'ArrowRight':
      target = ctrl ? here + step * 8 : here + step;
      break;
    case 'ArrowUp':
      target = byRows(-1);
      break;
    case 'ArrowDown':
      target = byRows(1);
      break;
    case 'PageUp':
      target = byRows(-rowsPerPage);
      break;
    case 'PageDown':
      target = byRows(rowsPerPage);
      break;
    case 'Home':
      target = ctrl ? 0 : here - column;
      break;
    case 'End':
      target = ctrl ? lastElement : Math.min(lastElement, here - column + bytesPerRow - step);
      break;
    default:
      return undefined;
  }
  target = Math.min(Math.max(0, target), lastElement);
  const moved = { cursor: target, anchor: shift ? from.anchor : target };
  return step === 1 ? moved : { ...moved, unit: step };
}
