/** Values as JSON writes them and as Python prints the same: objects, lists, texts, whole numbers, true, false, null. */
import type { Token } from './tokens';
import type { Cut } from './types';

/** There is no such value here. */
export const NO_VALUE = Symbol('no value');

/** A descriptor is three deep. */
const DEEPEST = 8;

/** The value of exactly one token or bracket. A name that stands twice makes it no value: only one could be meant. */
export function literalAt(cut: Cut, index: number, depth = 0): unknown {
  const { text, tokens } = cut;
  const token = tokens[index];
  if (token === undefined || depth > DEEPEST) return NO_VALUE;
  if (token.kind === 'string') return textOf(text.slice(token.start, token.end));
  if (token.kind === 'word') return wordOf(token.text);
  if (token.match <= index) return NO_VALUE;
  return token.text === '{' ? objectOf(cut, index, depth) : listOf(cut, index, depth);
}

function objectOf(cut: Cut, index: number, depth: number): unknown {
  const { tokens } = cut;
  const { match } = tokens[index] as Token;
  const entries = new Map<string, unknown>();
  let at = index + 1;
  while (at < match) {
    const name = tokens[at]?.kind === 'string' ? literalAt(cut, at, depth + 1) : NO_VALUE;
    const value = tokens[at + 1]?.text === ':' && at + 2 < match ? literalAt(cut, at + 2, depth + 1) : NO_VALUE;
    if (typeof name !== 'string' || value === NO_VALUE || entries.has(name)) return NO_VALUE;
    entries.set(name, value);
    at = after(tokens, at + 2);
    if (at < match && (tokens[at]?.text !== ',' || at + 1 === match)) return NO_VALUE;
    at++;
  }
  return Object.fromEntries(entries);
}

function listOf(cut: Cut, index: number, depth: number): unknown {
  const { tokens } = cut;
  const { match } = tokens[index] as Token;
  const values: unknown[] = [];
  let at = index + 1;
  while (at < match) {
    const value = literalAt(cut, at, depth + 1);
    if (value === NO_VALUE) return NO_VALUE;
    values.push(value);
    at = after(tokens, at);
    if (at < match && (tokens[at]?.text !== ',' || at + 1 === match)) return NO_VALUE;
    at++;
  }
  return values;
}

const after = (tokens: readonly Token[], at: number): number => {
  const { match } = tokens[at] as Token;
  return match > at ? match + 1 : at + 1;
};

function textOf(quoted: string): unknown {
  const json = quoted.startsWith("'")
    ? `"${quoted.slice(1, -1).replace(/\\.|"/gs, (found) => (found === "\\'" ? "'" : found === '"' ? '\\"' : found))}"`
    : quoted;
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : NO_VALUE;
  } catch {
    return NO_VALUE;
  }
}

function wordOf(word: string): unknown {
  if (/^-?(?:0|[1-9]\d*)$/.test(word)) return Number(word);
  if (word === 'true' || word === 'True') return true;
  if (word === 'false' || word === 'False') return false;
  return word === 'null' || word === 'None' ? null : NO_VALUE;
}
