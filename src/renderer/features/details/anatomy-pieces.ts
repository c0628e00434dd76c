/** Fields of a handle as pieces of rows. Pure. */
import type { HandleField } from '#contract/handle-anatomy';

/** A field, or the part of it that lies in one row of sixteen bytes. */
export interface Piece {
  readonly field: HandleField;
  readonly from: number;
  readonly length: number;
  readonly first: boolean;
}

/** Bytes in a row of the strip. */
export const ROW = 16;

/** Cuts fields where rows end. A long run of zeros to the end is one piece of its first row, as its name says. */
export function piecesOf(fields: readonly HandleField[]): Piece[] {
  const pieces: Piece[] = [];
  for (const field of fields) {
    let at = field.offset;
    const end = field.offset + field.length;
    while (at < end) {
      const length = Math.min(ROW - (at % ROW), end - at);
      pieces.push({ field, from: at, length, first: at === field.offset });
      at += length;
      if (field.kind === 'zero' && at % ROW === 0) break;
    }
  }
  return pieces;
}

/** What a piece is called: a run of zeros over several rows says how far it goes. */
export function nameOf({ field, from, length, first }: Piece): string {
  if (!first) return '';
  const end = field.offset + field.length;
  return field.kind === 'zero' && end > from + length ? `zero, to byte ${end - 1}` : field.name;
}
