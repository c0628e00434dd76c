/**
 * The ledger as people think of it: one group for each piece of memory, each event, each pool and each physical memory,
 * with everyone who has it open. A mapping is a child of the memory it maps, so nothing is counted twice. Pure; computed
 * once for each ledger.
 */
import type { Allocation, EventImport, EventRecord, Export, Mapping, Physical, Pool } from '#contract/records';
import type { Ledger } from './ledger';
import { byBeginning, type Place, placesOf, stands } from './places';

/** Rows that ended stay this long, then leave. */
export const KEEP_ENDED_MS = 10_000;

/** An imported pool or physical memory, with the fields that every import has. */
export interface PoolImport extends Pick<EventImport, Imported> {
  readonly pool: Pool;
}
export interface PhysicalImport extends Pick<EventImport, Imported> {
  readonly physical: Physical;
}
type Imported =
  | 'id'
  | 'peerId'
  | 'exportId'
  | 'exporterPeerId'
  | 'label'
  | 'device'
  | 'state'
  | 'exporter'
  | 'openedAt'
  | 'closedAt';

export type Child =
  | { readonly type: 'mapping'; readonly record: Mapping }
  | { readonly type: 'eventImport'; readonly record: EventImport }
  | { readonly type: 'poolImport'; readonly record: PoolImport }
  | { readonly type: 'physicalImport'; readonly record: PhysicalImport };

interface GroupBase {
  /** That of the allocation, event, pool or physical memory; `foreign.…` when its exporter is outside of this app. */
  readonly id: string;
  readonly label: string;
  /** The process that owns it; undefined when nobody knows. */
  readonly ownerId: string | undefined;
  readonly device: number;
  /** Newest last. */
  readonly exports: readonly Export[];
  readonly children: readonly Child[];
  /** References of all open children. */
  readonly references: number;
  readonly createdAt: number;
  /** When the group as a whole was over: ended by its owner and held by nobody. */
  readonly endedAt: number | undefined;
  /** `live`, or what became of its owner's side; `unknown` when that cannot be seen from here. */
  readonly owner: 'live' | 'freed' | 'gone' | 'unknown';
}

/** Memory with an address: an allocation of one of our processes, or what was imported from outside. */
export interface MemoryGroup extends GroupBase {
  readonly kind: 'memory';
  readonly allocation: Allocation | undefined;
  /** Bytes of the allocation or range of addresses. */
  readonly bytes: number;
  /** Bytes of memory that no other group counts: none for a range whose physical memory is a group of its own. */
  readonly ownBytes: number;
  /** Physical memory that was made with the range and is mapped nowhere else, so that it is no group of its own. */
  readonly physical: Physical | undefined;
}

export interface EventGroup extends GroupBase {
  readonly kind: 'event';
  readonly event: EventRecord | undefined;
}

/** A pool that memory is allocated from. The memory in it is counted by itself. */
export interface PoolGroup extends GroupBase {
  readonly kind: 'pool';
  readonly pool: Pool | undefined;
  /** Memory of it that somebody has: allocated and not freed, or open elsewhere. */
  readonly allocations: readonly MemoryGroup[];
}

/** Physical memory without an address of its own. */
export interface PhysicalGroup extends GroupBase {
  readonly kind: 'physical';
  readonly physical: Physical | undefined;
  readonly bytes: number;
  /** Where it is mapped, in any process. */
  readonly places: readonly Place[];
}

export type Group = MemoryGroup | EventGroup | PoolGroup | PhysicalGroup;

export interface Groups {
  readonly list: readonly Group[];
  readonly byId: ReadonlyMap<string, Group>;
  /** Group of any object: an allocation, event, pool, physical memory, or an import of one. */
  readonly of: ReadonlyMap<string, Group>;
}

const exporterToOwner = { alive: 'live', freed: 'freed', gone: 'gone', unknown: 'unknown' } as const;

function build(ledger: Ledger): Groups {
  const exportsOf = new Map<string, Export[]>();
  for (const record of ledger.exports.values()) push(exportsOf, record.objectId, record);
  const places = placesOf(ledger);
  // Physical memory that stands in the row of its range or mapping.
  const inside = new Map<string, string>();
  for (const physical of ledger.physicals.values()) {
    const holder = stands(physical, places.get(physical.id) ?? [], ledger);
    if (holder !== undefined) inside.set(physical.id, holder);
  }

  // Children by the object they were opened from; without a known one, by what names the foreign memory.
  const childrenOf = new Map<string, Child[]>();
  const known = (id: string): boolean =>
    ledger.allocations.has(id) || ledger.events.has(id) || ledger.pools.has(id) || ledger.physicals.has(id);
  const objectOf = (record: Mapping | EventImport | PoolImport | PhysicalImport): string => {
    const exported = record.exportId === null ? undefined : ledger.exports.get(record.exportId);
    if (exported !== undefined && known(exported.objectId)) return inside.get(exported.objectId) ?? exported.objectId;
    return `foreign.${record.exportId ?? ('handleId' in record ? record.handleId : undefined) ?? record.id}`;
  };
  const add = (child: Child) => push(childrenOf, objectOf(child.record), child);
  for (const record of ledger.mappings.values()) add({ type: 'mapping', record });
  for (const record of ledger.eventImports.values()) add({ type: 'eventImport', record });
  for (const pool of ledger.pools.values()) {
    if (pool.imported) add({ type: 'poolImport', record: { ...importOf(pool, pool.state === 'live'), pool } });
  }
  for (const physical of ledger.physicals.values()) {
    if (!physical.imported || inside.has(physical.id)) continue;
    // Released, it stays as long as it is mapped.
    const open = physical.state === 'live' || (physical.state === 'released' && places.has(physical.id));
    add({ type: 'physicalImport', record: { ...importOf(physical, open), physical } });
  }

  const list: Group[] = [];
  const common = (record: { readonly id: string; readonly label: string; readonly device: number }) => {
    const children = take(childrenOf, record.id);
    return {
      id: record.id,
      label: record.label,
      device: record.device,
      exports: exportsOf.get(record.id) ?? [],
      children,
      references: referencesOf(children),
    };
  };
  const pieces: PhysicalGroup[] = [];
  for (const physical of ledger.physicals.values()) {
    if (physical.imported || inside.has(physical.id)) continue;
    const base = common(physical);
    const at = [physical.id, ...base.children.map(({ record }) => record.id)].flatMap((id) => places.get(id) ?? []);
    const owner = physical.state === 'released' ? 'freed' : physical.state;
    const mappedHere = at.some(({ peerId }) => peerId === physical.peerId);
    pieces.push({
      ...base,
      kind: 'physical',
      ownerId: physical.peerId,
      createdAt: physical.createdAt,
      endedAt:
        owner === 'live' || (owner === 'freed' && mappedHere) ? undefined : ended(physical.endedAt, base.children),
      physical,
      bytes: physical.bytes,
      places: at.sort(byBeginning),
      owner,
    });
  }
  // Physical memory that is counted already, by its group or its range; what was imported goes by what it is of.
  const counted = new Set(pieces.filter(exists).map(({ id }) => id));
  for (const [id, holder] of inside) if (ledger.allocations.get(holder)?.state === 'live') counted.add(id);
  for (const child of [...childrenOf.values()].flat()) {
    if (child.type === 'physicalImport' && child.record.state === 'open') counted.add(objectOf(child.record));
  }
  const original = (id: string): string => {
    const physical = ledger.physicals.get(id);
    if (physical === undefined || !physical.imported) return id;
    const source = physical.exportId === null ? undefined : ledger.exports.get(physical.exportId)?.objectId;
    return source !== undefined && known(source) ? source : objectOf({ ...importOf(physical, true), physical });
  };
  const memory: MemoryGroup[] = [];
  for (const allocation of ledger.allocations.values()) {
    const base = common(allocation);
    const made = allocation.chunks?.map(({ physicalId }) => physicalId).find((id) => inside.get(id) === allocation.id);
    const physical = made === undefined ? undefined : ledger.physicals.get(made);
    // Export of the physical memory that stands in this row.
    const further = physical === undefined ? [] : (exportsOf.get(physical.id) ?? []);
    memory.push({
      ...base,
      kind: 'memory',
      // Those of the range itself last: they are what is offered to others.
      exports: [...further, ...base.exports],
      ownerId: allocation.peerId,
      createdAt: allocation.createdAt,
      endedAt: allocation.state === 'live' ? undefined : ended(allocation.endedAt, base.children),
      allocation,
      bytes: allocation.bytes,
      ownBytes: ownBytes(allocation, physical, heldElsewhere(base.children, ledger, counted, original)),
      physical,
      owner: allocation.state,
    });
  }
  list.push(...memory);
  const inPool = new Map<string, MemoryGroup[]>();
  for (const group of memory) {
    const poolId = group.allocation?.poolId;
    if (poolId !== undefined && group.endedAt === undefined) push(inPool, poolId, group);
  }
  for (const event of ledger.events.values()) {
    const base = common(event);
    const owner = event.state === 'destroyed' ? 'freed' : event.state;
    list.push({
      ...base,
      kind: 'event',
      ownerId: event.peerId,
      createdAt: event.createdAt,
      endedAt: owner === 'live' ? undefined : ended(event.endedAt, base.children),
      event,
      owner,
    });
  }
  for (const pool of ledger.pools.values()) {
    if (pool.imported) continue;
    const base = common(pool);
    const owner = pool.state === 'destroyed' ? 'freed' : pool.state;
    const allocations = inPool.get(pool.id) ?? [];
    list.push({
      ...base,
      kind: 'pool',
      ownerId: pool.peerId,
      createdAt: pool.createdAt,
      endedAt: owner === 'live' || allocations.length > 0 ? undefined : ended(pool.endedAt, base.children),
      pool,
      allocations,
      owner,
    });
  }
  list.push(...pieces);
  for (const id of [...childrenOf.keys()]) list.push(foreign(id, take(childrenOf, id), ledger, places));

  const of = new Map<string, Group>();
  for (const group of list) {
    of.set(group.id, group);
    for (const { record } of group.children) of.set(record.id, group);
  }
  for (const [physicalId, holder] of inside) {
    const group = of.get(holder);
    if (group !== undefined) of.set(physicalId, group);
  }
  return { list, byId: new Map(list.map((group) => [group.id, group])), of };
}

const importOf = (record: Pool | Physical, open: boolean): Pick<EventImport, Imported> => ({
  id: record.id,
  peerId: record.peerId,
  exportId: record.exportId,
  exporterPeerId: record.exporterPeerId,
  label: record.label,
  device: record.device,
  state: open ? 'open' : 'closed',
  exporter: record.exporter ?? 'unknown',
  openedAt: record.createdAt,
  ...(record.endedAt === undefined ? {} : { closedAt: record.endedAt }),
});

/** Memory that this allocation alone accounts for: of a range what was made with it, and what only others still hold. */
function ownBytes(allocation: Allocation, physical: Physical | undefined, held: HeldBytes): number {
  if (allocation.memory !== 'virtual') return allocation.bytes;
  // A range that is there says its pieces; what nobody named is taken for them.
  if (allocation.state === 'live') return (physical?.bytes ?? 0) + held.named;
  return Math.max(held.named, held.unnamed);
}

interface HeldBytes {
  /** Of physical memory that is known. */
  readonly named: number;
  /** Of mappings of which nobody said what memory it is: those of one range are taken for the same. */
  readonly unnamed: number;
}

/**
 * Bytes that open mappings of a range hold and nothing else counts. The range may have other memory by now, or be gone:
 * the export says what the memory of a mapping is.
 * @param counted   physical memory that is counted already; what is counted here is added
 * @param original  the physical memory that an imported one is of
 */
function heldElsewhere(
  children: readonly Child[],
  ledger: Ledger,
  counted: Set<string>,
  original: (id: string) => string,
): HeldBytes {
  let named = 0;
  let unnamed = 0;
  for (const { type, record } of children) {
    if (type !== 'mapping' || record.state !== 'open') continue;
    const made = record.exportId === null ? undefined : ledger.exports.get(record.exportId)?.physicalIds;
    if (made === undefined || made.length !== record.chunks?.length) {
      unnamed = Math.max(unnamed, record.allocationBytes);
      continue;
    }
    record.chunks.forEach(({ bytes }, index) => {
      const id = original(made[index] as string);
      if (counted.has(id)) return;
      counted.add(id);
      named += bytes;
    });
  }
  return { named, unnamed };
}

/** What was imported from a process that this app did not start: all that is known comes from the imports. */
function foreign(
  id: string,
  children: readonly Child[],
  ledger: Ledger,
  places: ReadonlyMap<string, readonly Place[]>,
): Group {
  const first = (children.find(({ record }) => record.state === 'open') ?? children[0]) as Child;
  const { record } = first;
  const exported = record.exportId === null ? undefined : ledger.exports.get(record.exportId);
  const base = {
    id,
    label: record.label,
    ownerId: record.exporterPeerId ?? exported?.peerId,
    device: record.device,
    exports: exported === undefined ? [] : [exported],
    children,
    references: referencesOf(children),
    createdAt: Math.min(...children.map((child) => child.record.openedAt)),
    endedAt: ended(0, children),
    owner: exporterToOwner[record.exporter],
  };
  switch (first.type) {
    case 'eventImport':
      return { ...base, kind: 'event', event: undefined };
    case 'poolImport':
      return { ...base, kind: 'pool', pool: undefined, allocations: [] };
    case 'physicalImport': {
      const at = children.flatMap((child) => places.get(child.record.id) ?? []);
      const { bytes } = first.record.physical;
      return { ...base, kind: 'physical', physical: undefined, bytes, places: at.sort(byBeginning) };
    }
    case 'mapping': {
      const bytes = first.record.allocationBytes;
      return { ...base, kind: 'memory', allocation: undefined, bytes, ownBytes: bytes, physical: undefined };
    }
  }
}

function push<V>(map: Map<string, V[]>, key: string, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}

function take(map: Map<string, Child[]>, id: string): readonly Child[] {
  const children = map.get(id) ?? [];
  map.delete(id);
  return children.sort((a, b) => a.record.openedAt - b.record.openedAt);
}

const referencesOf = (children: readonly Child[]): number =>
  children.reduce(
    (sum, { type, record }) => sum + (record.state !== 'open' ? 0 : type === 'mapping' ? record.references : 1),
    0,
  );

function ended(ownerEndedAt: number | undefined, children: readonly Child[]): number | undefined {
  let last = ownerEndedAt ?? 0;
  for (const { record } of children) {
    if (record.state === 'open') return undefined;
    last = Math.max(last, record.closedAt ?? 0);
  }
  return last;
}

let cache: { readonly ledger: Ledger; readonly groups: Groups } | undefined;

const tables = ['allocations', 'exports', 'mappings', 'events', 'eventImports', 'pools', 'physicals'] as const;

/** The groups of a ledger. The same object again as long as no table of objects changed. */
export function groupsOf(ledger: Ledger): Groups {
  const before = cache?.ledger;
  if (cache === undefined || tables.some((table) => before?.[table] !== ledger[table])) {
    cache = { ledger, groups: build(ledger) };
  }
  return cache.groups;
}

/** Whether the memory or event exists now: its owner has it, or somebody else still does. */
export const exists = (group: Group): boolean => group.endedAt === undefined;

/** Whether others hold what its owner freed or left behind. */
export const orphaned = (group: Group): boolean =>
  (group.owner === 'freed' || group.owner === 'gone') && group.references > 0;

/** The newest export that can still be opened. */
export const liveExport = (group: Group): Export | undefined =>
  group.exports.findLast((record) => record.state === 'live');

/** Bytes of memory that a group accounts for: each physical memory once. A pool has none beside what is allocated in it. */
export const countedBytes = (group: Group): number =>
  group.kind === 'memory' ? group.ownBytes : group.kind === 'physical' ? group.bytes : 0;
