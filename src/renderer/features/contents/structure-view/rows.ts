/** A tree of named values as rows of a table: what is open, which part of long arrays, in the order it is shown. */
import type { StructureNode } from '#contract/structure/decode';

/** Positions of children from the root on, of arrays the index of the element: `0.3.17`; the root is the empty text. */
export type PathKey = string;

export interface TreeRow {
  readonly key: PathKey;
  readonly node: StructureNode;
  /** Of the root 1. */
  readonly level: number;
  readonly expandable: boolean;
  readonly expanded: boolean;
  /** Stands below an array of which only a part is shown: which part, and the way to the others. */
  readonly page?: ArrayPage;
}

export interface ArrayPage {
  readonly from: number;
  readonly shown: number;
  readonly count: number;
}

export interface TreeState {
  /** Rows that were opened or closed; all others are open down to the second level. */
  readonly toggled: ReadonlyMap<PathKey, boolean>;
  /** Nodes that were asked for by themselves: other parts of long arrays, and what the first answer left out. */
  readonly parts: ReadonlyMap<PathKey, StructureNode>;
}

export const pathOf = (key: PathKey): number[] => (key === '' ? [] : key.split('.').map(Number));
export const keyOf = (path: readonly number[]): PathKey => path.join('.');

/** Levels that are open by themselves. */
const OPEN_LEVELS = 2;
/** Arrays with more elements than this are closed by themselves: their row says what is in them. */
const LONG = 32;

/** The rows in the order they are shown. */
export function rowsOf(root: StructureNode, { toggled, parts }: TreeState): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (given: StructureNode, path: readonly number[], level: number) => {
    const key = keyOf(path);
    const node = parts.get(key) ?? given;
    const expandable = (node.children?.length ?? 0) > 0 || node.collapsed === true;
    const expanded = expandable && (toggled.get(key) ?? (level <= OPEN_LEVELS && (level === 1 || !isLong(node))));
    rows.push({ key, node, level, expandable, expanded });
    if (!expanded || node.children === undefined) return;
    const from = node.from ?? 0;
    for (const [i, child] of node.children.entries()) visit(child, [...path, from + i], level + 1);
    const { count } = node;
    if (count !== undefined && node.children.length < count) {
      const page = { from, shown: node.children.length, count };
      rows.push({ key: `${key}#`, node, level: level + 1, expandable: false, expanded: false, page });
    }
  };
  visit(root, [], 1);
  return rows;
}

const isLong = ({ count }: StructureNode): boolean => count !== undefined && count > LONG;

/** Nodes that are open but not given: they are asked for by their path. */
export const missingParts = (rows: readonly TreeRow[]): PathKey[] =>
  rows.filter(({ expanded, node }) => expanded && node.children === undefined).map(({ key }) => key);

/** The row of the parent; undefined for the root. */
export function parentOf(rows: readonly TreeRow[], index: number): number | undefined {
  const level = rows[index]?.level ?? 0;
  for (let i = index - 1; i >= 0; i--) if ((rows[i] as TreeRow).level < level) return i;
  return undefined;
}

/** The innermost row that is shown of what holds a byte; undefined where nothing does. */
export function rowOfByte(rows: readonly TreeRow[], byte: number): PathKey | undefined {
  let found: TreeRow | undefined;
  for (const row of rows) {
    const { node, level, page } = row;
    const isIn = page === undefined && byte >= node.offset && byte < node.offset + (node.bytes ?? 0);
    if (isIn && level > (found?.level ?? 0)) found = row;
  }
  return found?.key;
}

/** What a row says as its value. */
export function shownValue(node: StructureNode): string {
  if (node.state === 'unread') return 'not read';
  if (node.state === 'outside') return 'behind the end of the memory';
  if (node.error !== undefined && node.value === null) return node.error;
  return node.value ?? '';
}
