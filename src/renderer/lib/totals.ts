/** Sums over the ledger. Each piece of memory counts once, however many processes map it. */
import { countedBytes, exists, type Group, orphaned } from './groups';

export interface Totals {
  /** Memory with an address: allocations and ranges. */
  readonly allocations: number;
  /** Physical memory that is no part of the row of a range, each once. */
  readonly physicals: number;
  /** Bytes of all memory that exists now, each piece once. */
  readonly bytes: number;
  /** Open mappings of memory. */
  readonly mappings: number;
  /** Open imports of physical memory: it is held elsewhere, mapped there or not. */
  readonly physicalImports: number;
  /** What its owner freed or left behind and others still hold: memory, events, pools. */
  readonly orphans: number;
  readonly orphanBytes: number;
}

export function totalsOf(groups: readonly Group[]): Totals {
  const totals = {
    allocations: 0,
    physicals: 0,
    bytes: 0,
    mappings: 0,
    physicalImports: 0,
    orphans: 0,
    orphanBytes: 0,
  };
  for (const group of groups) {
    if (!exists(group)) continue;
    const orphan = orphaned(group);
    if (orphan) totals.orphans += 1;
    totals.bytes += countedBytes(group);
    if (orphan) totals.orphanBytes += countedBytes(group);
    if (group.kind === 'memory') totals.allocations += 1;
    if (group.kind === 'physical') totals.physicals += 1;
    for (const { type, record } of group.children) {
      if (record.state !== 'open') continue;
      if (type === 'mapping') totals.mappings += 1;
      if (type === 'physicalImport') totals.physicalImports += 1;
    }
  }
  return totals;
}

/** Bytes of memory on a device that is exported or mapped, each piece once. */
export function sharedBytes(groups: readonly Group[], device: number): number {
  let sum = 0;
  for (const group of groups) {
    if (group.device === device && exists(group) && (group.references > 0 || group.exports.length > 0))
      sum += countedBytes(group);
  }
  return sum;
}
