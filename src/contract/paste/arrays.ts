/** Numbers with commas between them, with or without brackets. */
import { byteOfWord } from '#contract/handle-text/list';
import { ATTEMPT, attempt, foundIn, isProblem, nothing, refusedAt } from './count';
import { repeatsAt } from './quoted';
import type { Token } from './tokens';
import type { Cut, Found, FoundBytes, PasteProblem } from './types';

/** gdb may say `<repeats 4000000000 times>`. */
const MOST_NUMBERS = 4096;

export const isNumber = (token: Token | undefined): boolean =>
  token?.kind === 'word' && /^-?\d{1,3}$|^0[xX][0-9a-fA-F]{1,2}$/.test(token.text);

interface Numbers {
  readonly bytes: number[];
  /** The first token that is no part of the list. */
  readonly next: number;
  /** Where the last number ends. */
  readonly end: number;
  readonly endsWithComma: boolean;
  readonly problem?: PasteProblem;
}

/** Numbers with commas between them from token `from` on, up to token `to` or the first that is neither. */
function numbersAt({ tokens }: Cut, from: number, to: number): Numbers {
  const bytes: number[] = [];
  let next = from;
  let end = (tokens[from] as Token).start;
  let endsWithComma = true;
  while (next < to) {
    const token = tokens[next] as Token;
    if (token.text === ',' && !endsWithComma) {
      endsWithComma = true;
      next++;
      continue;
    }
    if (token.kind !== 'word' || !endsWithComma || !/^(?:-?\d|0[xX])/.test(token.text)) break;
    const byte = attempt(() => byteOfWord(token.text, 0), token.start, token.end);
    if (isProblem(byte)) return { bytes, next, end, endsWithComma, problem: { ...byte, end: token.end } };
    const times = repeatsAt(tokens, next + 1);
    next += times === undefined ? 1 : 6;
    end = times?.end ?? token.end;
    for (let count = Math.min(times?.count ?? 1, MOST_NUMBERS); count > 0; count--) bytes.push(byte);
    endsWithComma = false;
  }
  return { bytes, next, end, endsWithComma };
}

/** `208, 216, …` without brackets. */
export function bareListAt(cut: Cut, index: number): Found<FoundBytes> {
  const { tokens } = cut;
  const { bytes, next, end, endsWithComma, problem } = numbersAt(cut, index, tokens.length);
  const { start } = tokens[index] as Token;
  if (bytes.length < ATTEMPT) return nothing(Math.max(next, index + 1));
  const stray =
    problem ??
    (tokens[index - 1]?.text === ',' ? tokens[index - 1] : undefined) ??
    strayAfter(tokens[next], endsWithComma);
  if (stray !== undefined) {
    const message = isProblem(stray) ? stray.message : 'The list goes on here with something that is no number.';
    return refusedAt(next, message, stray.start, stray.end);
  }
  return foundIn({ bytes, form: 'c-array', start, end }, next);
}

/** After a comma another number is due; after a number the line, the sentence or the text ends. */
function strayAfter(after: Token | undefined, endsWithComma: boolean): Token | undefined {
  if (after === undefined || after.gap === 'paragraph') return undefined;
  if (endsWithComma) return after.gap === 'line' ? undefined : after;
  return after.gap === 'none' && !/^[.;)\]}'"`]$/.test(after.text) ? after : undefined;
}

/** A bracket with nothing in it but numbers: an array of C, C# or JSON, a list or tuple of Python. */
export function arrayAt(cut: Cut, index: number): Found<FoundBytes> | undefined {
  const { text, tokens } = cut;
  const open = tokens[index] as Token;
  if (!isNumber(tokens[index + 1])) return undefined;
  const { bytes, next, problem } = numbersAt(cut, index + 1, open.match);
  if (bytes.length < ATTEMPT) return undefined;
  const close = tokens[open.match] as Token;
  if (problem) return { next: open.match + 1, items: [], problems: [problem] };
  if (next < open.match) {
    const stray = tokens[next] as Token;
    const message = stray.kind === 'word' ? 'A comma is missing before this.' : 'This is no number.';
    return refusedAt(open.match + 1, message, stray.start, stray.end);
  }
  const before = text.slice(Math.max(0, open.start - 60), open.start);
  const isCSharp = /\bbyte\s*\[\s*\d*\s*\]\s*(?:\w+\s*=\s*)?$/i.test(before);
  const form = open.text !== '{' ? 'json-array' : isCSharp ? 'csharp-array' : 'c-array';
  return foundIn({ bytes, form, start: open.start, end: close.end }, open.match + 1);
}
