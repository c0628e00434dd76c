/**
 * The cursor in a range of bytes, and the selection that Shift stretches from an anchor. Both ends are bytes: a
 * selection of one byte has anchor and cursor on it.
 */

export interface ByteCursor {
  readonly cursor: number;
  readonly anchor: number;
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

export const selectionOf = ({ cursor, anchor }: ByteCursor): ByteSelection =>
  cursor < anchor ? { start: cursor, end: anchor + 1 } : { start: anchor, end: cursor + 1 };

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
  return { cursor: target, anchor: shift ? from.anchor : target };
}
