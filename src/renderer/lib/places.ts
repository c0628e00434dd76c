/** Where physical memory is mapped, and which of it needs no row of its own. Pure. */
import type { Physical } from '#contract/records';
import type { Ledger } from './ledger';

/** A part of a range of addresses that a physical memory is mapped at. */
export interface Place {
  readonly physicalId: string;
  /** The allocation or mapping whose range it is, and its process. */
  readonly rangeId: string;
  readonly peerId: string;
  readonly label: string;
  /** Where the range begins. */
  readonly address: string;
  /** In the range, in bytes. */
  readonly offset: number;
  readonly bytes: number;
}

/** The places of each physical memory, by its id. */
export function placesOf({ allocations, mappings }: Ledger): Map<string, Place[]> {
  const places = new Map<string, Place[]>();
  const note = (
    range: Omit<Place, 'physicalId' | 'offset' | 'bytes'>,
    chunks: readonly Omit<Place, keyof typeof range>[],
  ) => {
    for (const chunk of chunks) {
      const at = places.get(chunk.physicalId) ?? [];
      at.push({ ...range, ...chunk });
      places.set(chunk.physicalId, at);
    }
  };
  for (const { id, peerId, label, address, chunks } of allocations.values()) {
    if (chunks !== undefined) note({ rangeId: id, peerId, label, address }, chunks);
  }
  for (const { id, peerId, label, address, chunks, state } of mappings.values()) {
    if (chunks !== undefined && state === 'open') note({ rangeId: id, peerId, label, address }, chunks);
  }
  return places;
}

export const byBeginning = (a: Place, b: Place): number => a.peerId.localeCompare(b.peerId) || a.offset - b.offset;

/**
 * The range or mapping in whose row a physical memory is shown, when it needs none of its own: an import that belongs to
 * a mapping, or memory that was made with a range (it has the name of it), is all of it and mapped nowhere else.
 */
export function stands(physical: Physical, places: readonly Place[], ledger: Ledger): string | undefined {
  if (physical.imported) return places.find(({ rangeId }) => ledger.mappings.has(rangeId))?.rangeId;
  const [place] = places;
  if (place === undefined || places.length > 1 || place.peerId !== physical.peerId) return undefined;
  const range = ledger.allocations.get(place.rangeId);
  const whole = range !== undefined && place.offset === 0 && place.bytes === range.bytes;
  return whole && range.label === physical.label ? range.id : undefined;
}
