/**
 * The filter of the handle table: words that must all occur, and `owner:`, `kind:`, `state:`, `gpu:` for one column.
 * Quotes keep spaces together: `owner:"Producer 1"`.
 */
import type { FilterPart } from '../../ui/FilterField';

/** What a row is searched by, all in lower case. */
export interface Searchable {
  readonly text: string;
  /** Names and pid of the process. */
  readonly owner: string;
  readonly kind: string;
  readonly state: string;
  readonly gpu: number;
}

type Test = (row: Searchable) => boolean;

export interface Filter {
  readonly parts: readonly FilterPart[];
  /** Undefined when nothing is filtered. Terms that are not understood do not filter. */
  readonly test: Test | undefined;
}

/** Words people may use for a kind, and what rows say. */
const kinds: Readonly<Record<string, readonly string[]>> = {
  buffer: ['buffer'],
  memory: ['buffer', 'mapping'],
  mapping: ['mapping'],
  event: ['event', 'import'],
  import: ['import', 'pool import', 'physical import'],
  pool: ['pool', 'pool import'],
  physical: ['physical', 'physical import'],
};

const keys: Readonly<Record<string, (value: string) => Test | string>> = {
  owner: (value) => (row) => row.owner.includes(value),
  process: (value) => (row) => row.owner.includes(value),
  kind: (value) => {
    const words = kinds[value] ?? kinds[value.replace(/s$/, '')];
    return words === undefined
      ? 'kind: is buffer, mapping, event, import, pool or physical'
      : (row) => words.includes(row.kind);
  },
  state: (value) => (row) => row.state.includes(value),
  gpu: (value) => (/^\d+$/.test(value) ? (row) => row.gpu === Number(value) : 'gpu: is a number, such as gpu:0'),
};

const TERM = /(\s+)|((?:[^\s"]|"[^"]*"?)+)/g;

export function parseFilter(value: string): Filter {
  const parts: FilterPart[] = [];
  const tests: Test[] = [];
  for (const match of value.matchAll(TERM)) {
    const [text] = match;
    const term = match[2] === undefined ? undefined : readTerm(text.toLowerCase());
    if (typeof term === 'function') tests.push(term);
    parts.push({ at: match.index, text, problem: typeof term === 'string' ? term : undefined });
  }
  return { parts, test: tests.length === 0 ? undefined : (row) => tests.every((test) => test(row)) };
}

/** A test, what is wrong with the term, or undefined for one that is not finished yet. */
function readTerm(term: string): Test | string | undefined {
  const colon = term.indexOf(':');
  const unquoted = (text: string) => text.replaceAll('"', '');
  if (colon > 0 && /^[a-z]+$/.test(term.slice(0, colon))) {
    const make = keys[term.slice(0, colon)];
    if (make === undefined) return `“${term.slice(0, colon)}:” is not known: use owner:, kind:, state: or gpu:`;
    const wanted = unquoted(term.slice(colon + 1));
    return wanted === '' ? undefined : make(wanted);
  }
  const word = unquoted(term);
  return word === '' ? undefined : (row) => row.text.includes(word) || row.owner.includes(word);
}
