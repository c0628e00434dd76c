/** Places of a memory, whoever looks at it: the same byte of an allocation, of mappings of it, and of their snapshots. Pure. */
import type { Ledger } from '../../../lib/ledger';

interface MemoryPlace {
  /** The same for everything that shows bytes of the same memory. */
  readonly root: string;
  /** Where the first byte of the object lies in that memory. */
  readonly base: number;
}

/** Which memory an object shows, and from which byte of it on. */
export function placeOf(ledger: Pick<Ledger, 'mappings' | 'exports'>, id: string): MemoryPlace {
  const mapping = ledger.mappings.get(id);
  if (mapping === undefined) return { root: id, base: 0 };
  const exported = mapping.exportId === null ? undefined : ledger.exports.get(mapping.exportId);
  return { root: exported?.objectId ?? mapping.handleId ?? id, base: mapping.offset };
}
