/**
 * Cuts a text into the pieces that a handle can be made of: words (numbers, hex, base64), quoted text, escapes, signs.
 * One pass, whatever the text; brackets know their partner.
 */

export interface Token {
  /** `bytes`: b'…' of Python. `escapes`: \xd0\xd8 outside of quotes. `taken`: what something else has read already. */
  readonly kind: 'word' | 'string' | 'bytes' | 'escapes' | 'sign' | 'taken';
  readonly start: number;
  readonly end: number;
  /** The word or sign; empty for the others. */
  readonly text: string;
  /** Index of the opening quote of `string` and `bytes`. */
  readonly quote: number;
  /** Whether white space stands before it, and whether a line break or an empty line is in that. */
  readonly gap: 'none' | 'space' | 'line' | 'paragraph';
  /** Index of the partner of a bracket; -1 without one. */
  match: number;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

const WORD = /[A-Za-z0-9_+/-]+/y;
const ESCAPES = /(?:\\x[0-9a-fA-F]{2})+/y;
const SPACE = /\s+/y;
const PARTNER: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
/** What may stand directly before an opening quote and belong to it. */
const PREFIXES = new Set(['u', 'U', 'L', 'u8', 'r', 'f']);
/** No shorter text is base64 of anything that matters: `x=` is a name and a sign. */
const SHORTEST_PADDED = 20;

/**
 * The tokens of text[from, to).
 * @param taken spans that stay whole, in order, without overlap
 */
export function tokensOf(text: string, from: number, to: number, taken: readonly Span[] = []): Token[] {
  const tokens: Token[] = [];
  const open: number[] = [];
  // For each kind of quote: a place before which no closing one follows on the line.
  const unclosed: Record<string, number> = {};
  let next = 0;
  let gap: Token['gap'] = 'none';
  let at = from;

  const add = (kind: Token['kind'], end: number, shown = '', quote = -1): void => {
    tokens.push({ kind, start: at, end, text: shown, quote, gap, match: -1 });
    gap = 'none';
    at = end;
  };

  while (at < to) {
    while (next < taken.length && (taken[next] as Span).end <= at) next++;
    const span = taken[next];
    if (span !== undefined && span.start <= at) {
      add('taken', Math.min(span.end, to));
      continue;
    }
    const space = matchAt(SPACE, text, at, to);
    if (space !== '') {
      const lines = space.split('\n').length - 1 || (space.includes('\r') ? 1 : 0);
      gap = lines > 1 ? 'paragraph' : lines === 1 ? 'line' : 'space';
      at += space.length;
      continue;
    }
    const ch = text[at] as string;
    if (ch === '"' || ch === "'" || ch === '`') {
      const close = isWordEnd(tokens, gap) ? -1 : closing(text, at, to, unclosed);
      if (close < 0) add('sign', at + 1, ch);
      else add('string', close + 1, '', at);
      continue;
    }
    const word = matchAt(WORD, text, at, to);
    if (word !== '') {
      let end = at + word.length;
      const mark = end < to ? text[end] : undefined;
      if (mark === '"' || mark === "'") {
        const isBytes = word === 'b' || word === 'B';
        const close = isBytes || PREFIXES.has(word) ? closing(text, end, to, unclosed) : -1;
        if (close >= 0) {
          add(isBytes ? 'bytes' : 'string', close + 1, '', end);
          continue;
        }
      }
      if (word.length >= SHORTEST_PADDED) end += paddingAt(text, at, end, to);
      add('word', end, text.slice(at, end));
      continue;
    }
    const escapes = ch === '\\' ? matchAt(ESCAPES, text, at, to) : '';
    if (escapes !== '') {
      add('escapes', at + escapes.length);
      continue;
    }
    if (ch === '(' || ch === '[' || ch === '{') open.push(tokens.length);
    const partner = PARTNER[ch];
    const before = partner === undefined ? undefined : open.at(-1);
    if (before !== undefined && (tokens[before] as Token).text === partner) {
      open.pop();
      (tokens[before] as Token).match = tokens.length;
      add('sign', at + 1, ch);
      (tokens[tokens.length - 1] as Token).match = before;
    } else {
      // A closing bracket of another kind ends what was open: `(1, 2]` has no brackets.
      if (partner !== undefined) open.length = 0;
      add('sign', at + 1, ch);
    }
  }
  return tokens;
}

function matchAt(pattern: RegExp, text: string, at: number, to: number): string {
  pattern.lastIndex = at;
  const found = pattern.exec(text)?.[0] ?? '';
  return at + found.length > to ? found.slice(0, to - at) : found;
}

/** Base64 ends in one or two `=`, in a whole number of fours; what `name=value` has is no padding. */
function paddingAt(text: string, start: number, end: number, to: number): number {
  const most = text.slice(end, Math.min(end + 3, to)).match(/^=+/)?.[0].length ?? 0;
  const after = end + most < to ? (text[end + most] as string) : ' ';
  return most <= 2 && (end + most - start) % 4 === 0 && !/[\w'"+/([{-]/.test(after) ? most : 0;
}

/** An apostrophe in a word (`don't`) opens nothing. */
const isWordEnd = (tokens: readonly Token[], gap: Token['gap']): boolean =>
  gap === 'none' && tokens.at(-1)?.kind === 'word' && /[A-Za-z]$/.test(tokens.at(-1)?.text ?? '');

/** Index of the quote that closes the one at `open`, on the same line; -1 without one. */
function closing(text: string, open: number, to: number, unclosed: Record<string, number>): number {
  const mark = text[open] as string;
  if (open < (unclosed[mark] ?? -1)) return -1;
  let at = open + 1;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || code === 0x0d) break;
    if (code === 0x5c) at++;
    else if (text[at] === mark) return at;
    at++;
  }
  unclosed[mark] = at;
  return -1;
}
