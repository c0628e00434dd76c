/** Where a key leads in the handle table. Pure. */
import type { Row } from './rows';

/**
 * Row number after a key on row `at` (-1: none is selected), `header` when it leads out of the rows upwards, undefined
 * when the key means nothing here. `page` is a screenful of rows.
 */
export function rowAfterKey(
  key: string,
  rows: readonly Row[],
  at: number,
  page: number,
): number | 'header' | undefined {
  const last = rows.length - 1;
  const row = rows[at];
  switch (key) {
    case 'ArrowDown':
      return Math.min(at + 1, last);
    case 'ArrowUp':
      return at <= 0 ? 'header' : at - 1;
    case 'PageDown':
      return Math.min(at + page, last);
    case 'PageUp':
      return Math.max(at - page, 0);
    case 'Home':
      return 0;
    case 'End':
      return last;
    // To the memory that a process maps, and to the first process that maps it.
    case 'ArrowLeft':
      return row?.type === 'child' ? rows.findIndex(({ id }) => id === row.group.id) : undefined;
    case 'ArrowRight':
      return row?.type === 'group' && rows[at + 1]?.type === 'child' ? at + 1 : undefined;
    default:
      return undefined;
  }
}

/** Column number after a key in the header, `rows` when it leads down, undefined when it means nothing here. */
export function columnAfterKey(key: string, columns: number, at: number): number | 'rows' | undefined {
  switch (key) {
    case 'ArrowDown':
      return 'rows';
    case 'ArrowLeft':
      return Math.max(at - 1, 0);
    case 'ArrowRight':
      return Math.min(at + 1, columns - 1);
    case 'Home':
      return 0;
    case 'End':
      return columns - 1;
    default:
      return undefined;
  }
}
