/** How many bytes a row holds and where its groups part. */
import type { RowChoice } from '../parts/RowField';

/** The usual ones; any other number can be written. `auto`: 16 where they fit, more only in very wide windows. */
export const ROW_CHOICES: readonly RowChoice[] = ['auto', 4, 8, 12, 16, 24, 32, 48, 64];
export const GROUP_CHOICES = [1, 2, 4, 8, 16] as const;

export interface RowMetrics {
  /** Width of the pane, in pixels. */
  readonly width: number;
  /** Width of one hex cell, of the gap before a group, and of one character of text. */
  readonly cell: number;
  readonly gap: number;
  readonly char: number;
  /** Everything else: offset column, margins. */
  readonly rest: number;
  /** Inner width of the window. */
  readonly window: number;
}

/** From this width of the window on, `auto` takes as many bytes as fit. */
const WIDE = 2200;
const MOST = 64;

export const rowWidth = (bytes: number, group: number, metrics: RowMetrics): number =>
  metrics.rest + bytes * (metrics.cell + metrics.char) + (Math.ceil(bytes / Math.min(group, bytes)) - 1) * metrics.gap;

/** Bytes of a row: the chosen number, or what fits, in eights. */
export function bytesPerRow(choice: RowChoice, group: number, metrics: RowMetrics): number {
  if (choice !== 'auto') return choice;
  let bytes = 8;
  const most = metrics.window >= WIDE ? MOST : 16;
  while (bytes + 8 <= most && rowWidth(bytes + 8, group, metrics) <= metrics.width) bytes += 8;
  return bytes;
}
