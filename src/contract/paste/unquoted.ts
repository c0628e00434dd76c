/** Bytes without quotes: hex in one piece or in groups, base64, escapes. */
import { parseHandle } from '#contract/handle-text';
import { bareListAt, isNumber } from './arrays';
import { foundIn, HASHES, nothing, refusedAt } from './count';
import { isAlmostHex } from './quoted';
import type { Token } from './tokens';
import type { Cut, Found, FoundBytes } from './types';

const HEX = /^(?:0[xX])?(?:[0-9a-fA-F]{2})+(?:-(?:[0-9a-fA-F]{2})+)*$/;
const BASE64 = /^[A-Za-z0-9+/_-]{86,88}={0,2}$/;
/** Longest that 66 bytes are in escapes, and how many escapes are meant as bytes. */
const LONGEST_LITERAL = 264;
const MEANT = 16;

const digitsOf = (word: string): string => word.replace(/^0[xX]/, '').replaceAll('-', '');
/** In one piece, as the libraries print it: such a word stands for itself whatever is around it. */
const isWhole = (word: string): boolean => {
  const digits = digitsOf(word);
  return digits.length === 128 || (digits.length === 132 && /^0263/.test(digits));
};

/** Hex, base64, or a list of numbers without brackets. Every token that it passes over is looked at once. */
export function wordAt(cut: Cut, index: number): Found<FoundBytes> {
  const { text, tokens } = cut;
  const token = tokens[index] as Token;
  const word = token.text;
  if (isNumber(token) && tokens[index + 1]?.text === ',') return bareListAt(cut, index);
  if (HEX.test(word) && !(word.length >= 86 && BASE64.test(word) && word.endsWith('='))) return hexAt(cut, index);
  if (BASE64.test(word)) return readWhole(cut, index, index + 1);
  const after = tokens[index + 1];
  // 64 bytes in base64 with a line break after 64 or 76 characters.
  if (
    word.length % 4 === 0 &&
    word.length >= 60 &&
    after?.kind === 'word' &&
    after.gap === 'line' &&
    BASE64.test(word + after.text)
  ) {
    return readWhole(cut, index, index + 2);
  }
  if (isAlmostHex(word) || /^[0-9a-fA-F]{49,}$/.test(word)) {
    const reading = word.length > 4096 ? undefined : parseHandle(word);
    const at = token.start + (reading === undefined || reading.ok ? 0 : reading.position);
    const message = reading === undefined || reading.ok ? 'This is too long for a handle.' : reading.problem;
    return refusedAt(index + 1, message, at, Math.min(at + 1, text.length));
  }
  return nothing(index + 1);
}

/** Words index to next - 1 by the strict reader of a lone handle. */
function readWhole({ text, tokens }: Cut, index: number, next: number): Found<FoundBytes> {
  const { start } = tokens[index] as Token;
  const { end } = tokens[next - 1] as Token;
  const reading = parseHandle(text.slice(start, end));
  if (!reading.ok) return refusedAt(next, reading.problem, start + reading.position, end);
  const { handle, form, prefix } = reading;
  return { next, items: [{ handle, form, start, end, ...(prefix && { fromPyTorch: true }) }], problems: [] };
}

/** Groups of hex digits with white space or colons between them, up to an empty line. */
function hexAt(cut: Cut, index: number): Found<FoundBytes> {
  const { tokens } = cut;
  const words: Token[] = [tokens[index] as Token];
  let next = index + 1;
  if (!isWhole((words[0] as Token).text)) {
    for (;;) {
      const isColon = tokens[next]?.text === ':' && tokens[next]?.gap === 'none' && tokens[next + 1]?.gap === 'none';
      const word = tokens[isColon ? next + 1 : next];
      if (word?.kind !== 'word' || !HEX.test(word.text) || isWhole(word.text)) break;
      if (!isColon && (word.gap === 'paragraph' || word.gap === 'none')) break;
      words.push(word);
      next += isColon ? 2 : 1;
    }
  }
  const bytes = bytesOf(words);
  const lines = bytes.length > 66 ? linesOf(words) : [words];
  if (lines.every((line) => isHandle(bytesOf(line)))) {
    const stray = strayBeside(tokens, index, next, words);
    if (stray) return refusedAt(next, `“${stray.text}” stands directly beside the bytes.`, stray.start, stray.end);
    const found = lines.map((line) => foundIn({ ...spanOf(line), bytes: bytesOf(line), form: 'hex' }, next));
    return { next, items: found.flatMap(({ items }) => items), problems: [] };
  }
  if (words.length === 1 && HASHES.has(bytes.length)) return nothing(next);
  return foundIn({ ...spanOf(words), bytes, form: 'hex' }, next);
}

/** A word beside groups of digits that is as long as they are: one of them was changed, and the rest moved up. */
function strayBeside(
  tokens: readonly Token[],
  index: number,
  next: number,
  words: readonly Token[],
): Token | undefined {
  if (words.length === 1) return undefined;
  const before = tokens[index - 1];
  const after = tokens[next];
  const first = words[0] as Token;
  const last = words.at(-1) as Token;
  if (before?.kind === 'word' && first.gap !== 'paragraph' && alike(before, first)) return before;
  return after?.kind === 'word' && after.gap !== 'paragraph' && alike(after, last) ? after : undefined;
}
const alike = (one: Token, other: Token): boolean => Math.abs(one.text.length - other.text.length) <= 1;

function linesOf(words: readonly Token[]): Token[][] {
  const lines: Token[][] = [];
  for (const word of words) {
    if (lines.length === 0 || word.gap === 'line') lines.push([]);
    (lines.at(-1) as Token[]).push(word);
  }
  return lines;
}

const isHandle = (bytes: readonly number[]): boolean =>
  bytes.length === 64 || (bytes.length === 66 && bytes[0] === 2 && bytes[1] === 0x63);
const spanOf = (words: readonly Token[]): { start: number; end: number } => ({
  start: (words[0] as Token).start,
  end: (words.at(-1) as Token).end,
});

function bytesOf(words: readonly Token[]): number[] {
  const bytes: number[] = [];
  for (const { text } of words) {
    const digits = digitsOf(text);
    for (let at = 0; at < digits.length; at += 2) bytes.push(Number.parseInt(digits.slice(at, at + 2), 16));
  }
  return bytes;
}

/** \xd0\xd8… in pieces with white space between them. */
export function escapesAt({ text, tokens }: Cut, index: number): Found<FoundBytes> {
  const pieces: Token[] = [tokens[index] as Token];
  let next = index + 1;
  while (tokens[next]?.kind === 'escapes' && tokens[next]?.gap !== 'paragraph') pieces.push(tokens[next++] as Token);
  const { start, end } = spanOf(pieces);
  const bytes = (text.slice(start, end).match(/[0-9a-fA-F]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const before = tokens[index - 1];
  const after = tokens[next];
  const glued =
    after?.gap === 'none' && (after.kind === 'word' || after.text === '\\')
      ? after
      : pieces[0]?.gap === 'none' && (before?.kind === 'word' || before?.text === '\\')
        ? before
        : undefined;
  if (glued === undefined) return foundIn({ bytes, form: 'hex', start, end }, next);
  // Without its quotes, a Python value is a row of escapes and characters: one problem for all of it.
  const [line = ''] = text.slice(start, start + LONGEST_LITERAL).split('\n');
  if ((line.match(/\\x[0-9a-fA-F]{2}/g)?.length ?? 0) < MEANT) return nothing(next);
  let beyond = next;
  while (beyond < tokens.length && (tokens[beyond] as Token).start < start + line.length) beyond++;
  const message = "Something stands between the escapes. For a Python value, paste it with its b'…'.";
  return refusedAt(beyond, message, glued.start, glued.start + 1);
}
