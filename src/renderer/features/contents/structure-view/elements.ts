/** An array as a table: an element in each row, the values in it as columns. */
import type { StructureNode } from '#contract/structure/decode';
import { keyOf, type PathKey, pathOf } from './rows';

export interface ArrayAt {
  readonly key: PathKey;
  readonly node: StructureNode;
}

export interface Column {
  /** Positions of children, from the element on; of an element that is a value itself the empty text. */
  readonly key: PathKey;
  /** As in C: `position.x`, `colors[0].r`. */
  readonly name: string;
  readonly type: string;
  readonly color: string | undefined;
}

/** Columns that are shown of an element, at most. */
const MOST_COLUMNS = 256;

const childAt = ({ children, from = 0 }: StructureNode, index: number): StructureNode | undefined =>
  children?.[index - from];

const isArray = ({ count }: StructureNode): boolean => count !== undefined && count > 0;
/** Of structs or arrays; of which no element is given, it may be. */
const isOfParts = ({ children }: StructureNode): boolean => children?.[0] === undefined || !isValue(children[0]);
/** Shown in one cell: a number, a text, or a short array of values, which says what is in it. */
const isValue = (node: StructureNode): boolean => node.value !== null || !hasParts(node);
const hasParts = ({ children, collapsed }: StructureNode): boolean => (children?.length ?? 0) > 0 || collapsed === true;

/**
 * The array that a table is of: the chosen one or the nearest around it, otherwise the first of the tree; one of
 * structs before one of numbers. Undefined where there is none.
 */
export function tableArray(
  root: StructureNode,
  parts: ReadonlyMap<PathKey, StructureNode>,
  chosen: PathKey,
): ArrayAt | undefined {
  const found: ArrayAt[] = [];
  const steps = chosen.endsWith('#') ? [] : pathOf(chosen);
  let node: StructureNode | undefined = root;
  for (let depth = 0; node !== undefined; depth++) {
    const key = keyOf(steps.slice(0, depth));
    const at: StructureNode = parts.get(key) ?? node;
    if (isArray(at)) found.unshift({ key, node: at });
    const step = steps[depth];
    node = step === undefined ? undefined : childAt(at, step);
  }
  // Breadth first; elements of an array are like each other, so the first one says what is in them.
  const queue: ArrayAt[] = [{ key: '', node: root }];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    const { key, node: at } = next;
    if (isArray(at)) found.push(next);
    const shown = at.count === undefined ? (at.children ?? []) : (at.children ?? []).slice(0, 1);
    for (const [i, child] of shown.entries()) {
      queue.push({ key: keyOf([...pathOf(key), (at.from ?? 0) + i]), node: child });
    }
  }
  return found.find(({ node: one }) => isOfParts(one)) ?? found[0];
}

/** The index of the element that holds a byte, where all have the same size; undefined otherwise, and beside them. */
export function elementOfByte({ offset, count = 0, children = [], from = 0 }: StructureNode, byte: number) {
  const [first, second] = children;
  const last = children.at(-1);
  if (first === undefined || last === undefined || byte < offset) return undefined;
  const stride = second === undefined ? (first.bytes ?? 0) : second.offset - first.offset;
  const isEven =
    last.offset === first.offset + stride * (children.length - 1) && first.offset === offset + stride * from;
  if (stride <= 0 || !isEven) return undefined;
  const index = Math.floor((byte - offset) / stride);
  return index < count ? index : undefined;
}

/** The columns of all elements, in the order of the first that has them. */
export function columnsOf(elements: readonly StructureNode[]): Column[] {
  const columns = new Map<PathKey, Column>();
  const visit = (node: StructureNode, path: readonly number[], name: string, above?: string) => {
    const color = node.color ?? above;
    if (columns.size >= MOST_COLUMNS) return;
    if (isValue(node)) {
      const key = keyOf(path);
      if (!columns.has(key)) columns.set(key, { key, name: name || 'Value', type: node.type, color });
      return;
    }
    const from = node.from ?? 0;
    for (const [i, child] of (node.children ?? []).entries()) {
      const own = child.label ?? child.name;
      visit(child, [...path, from + i], own.startsWith('[') || name === '' ? `${name}${own}` : `${name}.${own}`, color);
    }
  };
  for (const element of elements) visit(element, [], '');
  return [...columns.values()];
}

/** What an element has in a column. */
export function cellOf(element: StructureNode, { key }: Column): StructureNode | undefined {
  let node: StructureNode | undefined = element;
  for (const step of pathOf(key)) node = node === undefined ? undefined : childAt(node, step);
  return node;
}
