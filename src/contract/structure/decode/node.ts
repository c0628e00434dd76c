/** The nodes of the tree of values, and how many there may be. */

export interface StructureNode {
  /** Of a field its name, of an element `[3]`. */
  readonly name: string;
  /** `[[name("…")]]`: shown instead of the name. */
  readonly label?: string;
  readonly type: string;
  /** First byte, in the memory. */
  readonly offset: number;
  /** Size; null when it is not known, because bytes that say it are not read. */
  readonly bytes: number | null;
  /** Of a bit field: its first bit in the byte at `offset`, and how many. */
  readonly bits?: { readonly start: number; readonly width: number };
  /** As text. Null for what has children only, and for what is not read. */
  readonly value: string | null;
  /** The number itself, as text where a number cannot hold it: 64-bit integers, NaN, infinities; and texts. */
  readonly raw?: number | string;
  readonly note?: string;
  readonly color?: string;
  /** `unread`: not among the given bytes. `outside`: behind the end of the memory. */
  readonly state?: 'unread' | 'outside';
  /** What is wrong with it: a length that is none, a text without its end. */
  readonly error?: string;
  /** Elements of an array, all of them. */
  readonly count?: number;
  /** Index of the first child of an array, when that is not 0. */
  readonly from?: number;
  /** Fewer than there are where limits cut: of an array compare `count`; without any the node can be asked by its path. */
  readonly children?: readonly StructureNode[];
  /** There are children, but none are given here: ask for them by the path. */
  readonly collapsed?: boolean;
}

/** Makes a node of each part; each may use its share of what is left. */
export function share<Part>(
  parts: readonly Part[],
  budget: number,
  make: (part: Part, budget: number) => StructureNode,
): StructureNode[] {
  let left = budget;
  return parts.map((part, i) => {
    const node = make(part, Math.max(1, Math.floor(left / (parts.length - i))));
    left -= countNodes(node);
    return node;
  });
}

function countNodes(node: StructureNode): number {
  return (node.children ?? []).reduce((sum, child) => sum + countNodes(child), 1);
}
