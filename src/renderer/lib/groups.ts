/**
 * The ledger as people think of it: one group for each piece of memory and each event, with everyone who has it open.
 * A mapping is a child of the memory it maps, so nothing is counted twice. Pure; computed once for each ledger.
 */
import type { Allocation, EventImport, EventRecord, Export, Mapping } from '#contract/records';
import type { Ledger } from './ledger';

/** Rows that ended stay this long, then leave. */
export const KEEP_ENDED_MS = 10_000;

export type Child =
  | { readonly type: 'mapping'; readonly record: Mapping }
  | { readonly type: 'eventImport'; readonly record: EventImport };

interface GroupBase {
  /** That of the allocation or event; `foreign.…` when its exporter is outside of this app. */
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
}

/** Memory: an allocation of one of our processes, or what was imported from outside. */
export interface MemoryGroup extends GroupBase {
  readonly kind: 'memory';
  readonly allocation: Allocation | undefined;
  /** Bytes of the memory, once. */
  readonly bytes: number;
  /** `live`, or what became of its owner's side; `unknown` when that cannot be seen from here. */
  readonly owner: 'live' | 'freed' | 'gone' | 'unknown';
}

export interface EventGroup extends GroupBase {
  readonly kind: 'event';
  readonly event: EventRecord | undefined;
  readonly owner: 'live' | 'freed' | 'gone' | 'unknown';
}

export type Group = MemoryGroup | EventGroup;

export interface Groups {
  readonly list: readonly Group[];
  readonly byId: ReadonlyMap<string, Group>;
  /** Group of any object: an allocation, event, mapping or event import. */
  readonly of: ReadonlyMap<string, Group>;
}

const exporterToOwner = { alive: 'live', freed: 'freed', gone: 'gone', unknown: 'unknown' } as const;

function build(ledger: Ledger): Groups {
  const exportsOf = new Map<string, Export[]>();
  for (const record of ledger.exports.values()) push(exportsOf, record.objectId, record);
  // Children by the object they were opened from; without a known one, by what names the foreign memory.
  const childrenOf = new Map<string, Child[]>();
  const objectOf = (record: Mapping | EventImport): string => {
    const exported = record.exportId === null ? undefined : ledger.exports.get(record.exportId);
    if (exported !== undefined && (ledger.allocations.has(exported.objectId) || ledger.events.has(exported.objectId)))
      return exported.objectId;
    return `foreign.${record.exportId ?? record.handleId ?? record.id}`;
  };
  for (const record of ledger.mappings.values()) push(childrenOf, objectOf(record), { type: 'mapping', record });
  for (const record of ledger.eventImports.values())
    push(childrenOf, objectOf(record), { type: 'eventImport', record });

  const list: Group[] = [];
  for (const allocation of ledger.allocations.values()) {
    const children = take(childrenOf, allocation.id);
    list.push({
      kind: 'memory',
      id: allocation.id,
      label: allocation.label,
      ownerId: allocation.peerId,
      device: allocation.device,
      exports: exportsOf.get(allocation.id) ?? [],
      children,
      references: referencesOf(children),
      createdAt: allocation.createdAt,
      endedAt: allocation.state === 'live' ? undefined : ended(allocation.endedAt, children),
      allocation,
      bytes: allocation.bytes,
      owner: allocation.state,
    });
  }
  for (const event of ledger.events.values()) {
    const children = take(childrenOf, event.id);
    const owner = event.state === 'destroyed' ? 'freed' : event.state;
    list.push({
      kind: 'event',
      id: event.id,
      label: event.label,
      ownerId: event.peerId,
      device: event.device,
      exports: exportsOf.get(event.id) ?? [],
      children,
      references: referencesOf(children),
      createdAt: event.createdAt,
      endedAt: owner === 'live' ? undefined : ended(event.endedAt, children),
      event,
      owner,
    });
  }
  for (const id of [...childrenOf.keys()]) list.push(foreign(id, take(childrenOf, id), ledger));

  const of = new Map<string, Group>();
  for (const group of list) {
    of.set(group.id, group);
    for (const { record } of group.children) of.set(record.id, group);
  }
  return { list, byId: new Map(list.map((group) => [group.id, group])), of };
}

/** What was imported from a process that this app did not start: all that is known comes from the imports. */
function foreign(id: string, children: readonly Child[], ledger: Ledger): Group {
  const open = children.find(({ record }) => record.state === 'open') ?? children[0];
  const record = open?.record as Mapping | EventImport;
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
  if (open?.type === 'eventImport') return { ...base, kind: 'event', event: undefined };
  return { ...base, kind: 'memory', allocation: undefined, bytes: (record as Mapping).allocationBytes };
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

/** The groups of a ledger. The same object again as long as no table of objects changed. */
export function groupsOf(ledger: Ledger): Groups {
  if (
    cache === undefined ||
    cache.ledger.allocations !== ledger.allocations ||
    cache.ledger.exports !== ledger.exports ||
    cache.ledger.mappings !== ledger.mappings ||
    cache.ledger.events !== ledger.events ||
    cache.ledger.eventImports !== ledger.eventImports
  ) {
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
