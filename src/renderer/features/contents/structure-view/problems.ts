/** A text in pieces, those with something wrong marked: what lies behind the text field is drawn from them. */
import type { Problem } from '#contract/structure/types';

export interface TextPiece {
  readonly start: number;
  readonly text: string;
  readonly wrong: boolean;
}

/** The whole text, cut where a problem begins or ends. Overlapping problems become one; an empty one marks a character. */
export function pieces(text: string, problems: readonly Pick<Problem, 'start' | 'end'>[]): TextPiece[] {
  const spans = problems
    .map(({ start, end }) => {
      const from = Math.max(0, Math.min(start, text.length - 1));
      return { from, to: Math.min(text.length, Math.max(end, from + 1)) };
    })
    .sort((a, b) => a.from - b.from);
  const found: TextPiece[] = [];
  let at = 0;
  const put = (to: number, wrong: boolean) => {
    if (to > at) found.push({ start: at, text: text.slice(at, to), wrong });
    at = Math.max(at, to);
  };
  for (const { from, to } of spans) {
    put(from, false);
    put(to, true);
  }
  put(text.length, false);
  return found;
}

/** The problem after a place in the text, round the end; -1 when there is none. */
export function problemAfter(problems: readonly Pick<Problem, 'start'>[], at: number): number {
  if (problems.length === 0) return -1;
  const next = problems.findIndex(({ start }) => start > at);
  return next === -1 ? 0 : next;
}
