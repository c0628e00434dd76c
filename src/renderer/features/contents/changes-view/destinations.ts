/** Where the bytes of a place of a comparison can be seen whole, in the memory that has them. Pure. */
import type { Ledger } from '../../../lib/ledger';
import { targetOf } from '../../../lib/target';
import { explain, type NextStep } from '../explain';
import { placeOf } from '../model/memory-place';
import type { Side } from './sides';

export type Destination =
  /** Memory of this window: `id` is what is selected, `offset` lies in the whole memory. */
  | { readonly kind: 'memory'; readonly id: string; readonly label: string; readonly offset: number }
  /** Memory that has to be opened first. */
  | {
      readonly kind: 'open';
      readonly step: Extract<NextStep, { kind: 'open' }>;
      readonly label: string;
      readonly offset: number;
    }
  /** Memory that cannot be seen in this window: what to do instead. */
  | { readonly kind: 'step'; readonly step: NextStep };

/** @param offset in the side; undefined when nothing of it is left, or the place lies in none of what is open */
function destinationOf(ledger: Ledger, side: Side, offset: number, selfId: string): Destination | undefined {
  const target = targetOf(ledger, side.objectId, selfId);
  const inMemory = side.base + offset;
  if (target.kind === 'readable') {
    const there = inMemory - placeOf(ledger, target.id).base;
    if (there < 0 || there >= target.bytes) return undefined;
    return { kind: 'memory', id: target.id, label: target.label || 'memory', offset: inMemory };
  }
  const step = explain(ledger, side.objectId, target, selfId)?.next;
  if (step?.kind === 'open') return { kind: 'open', step, label: step.label, offset: inMemory };
  return step && { kind: 'step', step };
}

/**
 * Where both sides of a place can be seen, each memory once, in the order of the sides.
 * @param ownId of the memory on screen, when it has the place: then it is none of them
 */
export function destinationsOf(
  ledger: Ledger,
  places: ReadonlyArray<{ readonly side: Side; readonly offset: number }>,
  ownId: string | undefined,
  selfId: string,
): Destination[] {
  const own = ownId === undefined ? undefined : placeOf(ledger, ownId).root;
  const found = new Map<string, Destination>();
  for (const { side, offset } of places) {
    if (side.root === own) continue;
    const destination = destinationOf(ledger, side, offset, selfId);
    if (destination === undefined) continue;
    const key = destination.kind === 'memory' ? `${destination.id} ${destination.offset}` : JSON.stringify(destination);
    if (!found.has(key)) found.set(key, destination);
  }
  return [...found.values()];
}
