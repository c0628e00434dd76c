/** Places in a pasted text, for people. Pure. */

export interface Place {
  /** Both count from 1, columns in UTF-16 units as editors do. */
  readonly line: number;
  readonly column: number;
  /** The part of that line around the place, and how far into it the place begins. */
  readonly excerpt: string;
  readonly caret: number;
}

/** How much of a line is shown before and after the place. */
const AROUND = 28;

export function placeOf(text: string, start: number): Place {
  const before = text.slice(0, start);
  const lineStart = before.lastIndexOf('\n') + 1;
  const lineEnd = text.indexOf('\n', start);
  const end = lineEnd === -1 ? text.length : lineEnd;
  const from = Math.max(lineStart, start - AROUND);
  const to = Math.min(end, start + AROUND);
  const lead = from > lineStart ? '…' : '';
  const excerpt = `${lead}${text.slice(from, to)}${to < end ? '…' : ''}`.replace(/[\t\r]/g, ' ');
  return {
    line: before.split('\n').length,
    column: start - lineStart + 1,
    excerpt,
    caret: lead.length + start - from,
  };
}
