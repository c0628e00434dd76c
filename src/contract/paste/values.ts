/** Values inside of a structure: a handle that fills its place, and short bytes. */
import { parseHandle } from '#contract/handle-text';
import { readPythonQuotes } from '#contract/handle-text/python-bytes';
import { attempt, isProblem } from './count';
import type { Token } from './tokens';
import type { Cut, Found, FoundBytes, PasteProblem } from './types';

/** Reads 64 bytes at a token, in whatever form. */
export type Reader = (cut: Cut, index: number) => Found<FoundBytes> | undefined;

/** The handle that tokens [from, to) are, and nothing else. */
export function handleIn(cut: Cut, from: number, to: number, read: Reader): FoundBytes | PasteProblem {
  const { text, tokens } = cut;
  const found = read(cut, from);
  const [first] = found?.items ?? [];
  if (first !== undefined && found?.items.length === 1 && found.next === to) return first;
  const [problem] = found?.problems ?? [];
  if (problem !== undefined) return problem;
  const start = tokens[from]?.start ?? text.length;
  const end = tokens[to - 1]?.end ?? start;
  const token = tokens[from];
  const isQuoted = token?.kind === 'string' || token?.kind === 'bytes';
  const reading =
    to === from + 1 && end - start <= 4096
      ? parseHandle(
          text.slice(
            isQuoted && token.kind === 'string' ? start + 1 : start,
            isQuoted && token.kind === 'string' ? end - 1 : end,
          ),
        )
      : undefined;
  const message = reading !== undefined && !reading.ok ? reading.problem : 'The 64 bytes of a handle are due here.';
  return { message, start, end };
}

/** The bytes of b'…', or of hex in quotes; undefined for anything else. */
export function smallBytes({ text }: Cut, token: Token): Uint8Array | undefined {
  if (token.end - token.start > 1024) return undefined;
  if (token.kind === 'bytes') {
    const read = attempt(() => readPythonQuotes(text, token.quote).bytes, 0, token.end);
    return isProblem(read) ? undefined : Uint8Array.from(read);
  }
  const inside = text.slice(token.quote + 1, token.end - 1);
  if (!/^(?:[0-9a-fA-F]{2})+$/.test(inside)) return undefined;
  return Uint8Array.from(inside.match(/../g) as string[], (pair) => Number.parseInt(pair, 16));
}
