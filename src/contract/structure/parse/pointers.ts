/** Pointers: what they point to is named and not followed. */
import { typeText } from '#contract/structure/layout';
import type { PointerType, StructType, Type } from '#contract/structure/types';

export function pointerTo(target: Type): PointerType {
  return { kind: 'pointer', target: typeText(target), size: 8, alignment: 8 };
}

/** What a pointer points to when it is not declared: it has a name and no size. */
export function undeclared(name: string, union = false): StructType {
  return { kind: 'struct', name, union, packed: false, fields: [], look: {}, size: undefined, alignment: 1 };
}
