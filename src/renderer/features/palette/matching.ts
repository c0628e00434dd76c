/** How well a text answers a query, and which of its letters did. Pure. */

export interface Match {
  /** Higher is better. */
  readonly score: number;
  /** Parts of the text in order; `hit` ones are what was typed. */
  readonly parts: ReadonlyArray<{ readonly at: number; readonly text: string; readonly hit: boolean }>;
}

/**
 * Each word of the query must occur, as a whole piece or as letters in their order; pieces at the beginning of a word
 * count most. Undefined when it does not match. An empty query matches everything.
 */
export function match(text: string, query: string): Match | undefined {
  const lower = text.toLowerCase();
  const hits = new Set<number>();
  let score = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const whole = bestPiece(lower, word, hits);
    if (whole !== undefined) {
      for (let index = 0; index < word.length; index++) hits.add(whole.at + index);
      score += whole.score;
      continue;
    }
    const letters = lettersInOrder(lower, word);
    if (letters === undefined) return undefined;
    for (const index of letters) hits.add(index);
    score += 1;
  }
  return { score: score * 100 - text.length, parts: partsOf(text, hits) };
}

/** Where the word is best found, outside of what earlier words have taken. */
function bestPiece(
  text: string,
  word: string,
  taken: ReadonlySet<number>,
): { readonly at: number; readonly score: number } | undefined {
  let first: number | undefined;
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (taken.has(at) || taken.has(at + word.length - 1)) continue;
    if (at === 0 || !/[a-z0-9]/.test(text[at - 1] ?? '')) return { at, score: at === 0 ? 12 : 10 };
    first ??= at;
  }
  return first === undefined ? undefined : { at: first, score: 5 };
}

/** Letters that begin at the start of words are worth finding; others are chance, so a jump must begin a word. */
function lettersInOrder(text: string, word: string): readonly number[] | undefined {
  const found: number[] = [];
  let from = 0;
  for (const letter of word) {
    let at = text.indexOf(letter, from);
    while (at >= 0 && at !== from && /[a-z0-9]/.test(text[at - 1] ?? '')) at = text.indexOf(letter, at + 1);
    if (at < 0 || (found.length === 0 && at !== 0 && /[a-z0-9]/.test(text[at - 1] ?? ''))) return undefined;
    found.push(at);
    from = at + 1;
  }
  return found;
}

function partsOf(text: string, hits: ReadonlySet<number>): Match['parts'] {
  const parts: { at: number; text: string; hit: boolean }[] = [];
  for (let at = 0; at < text.length; at++) {
    const hit = hits.has(at);
    const last = parts.at(-1);
    if (last !== undefined && last.hit === hit) last.text += text[at];
    else parts.push({ at, text: text[at] ?? '', hit });
  }
  return parts;
}
