/**
 * Everything this host made or opened, with the driver's values that never leave it. Freed and closed objects are
 * remembered for a while, so that a late call learns that its object is closed and not that it never was.
 */
import type { HostTables } from '#contract/host-protocol';
import type { Fill } from '#contract/values';
import type { AllocationHandle, Cuda, DevicePtr, EventHandle, MemPool } from '#native/cuda/index';
import type { AddressRange, Segment } from './address-range';
import { closed, notFound } from './problems';

export interface OwnAllocation {
  record: HostTables['allocations'];
  readonly pointer: DevicePtr;
  /** What it was last filled with; the animation starts from it. */
  fill: Fill;
  export?: OwnExport;
  /** Ends the running animation. */
  stopAnimation?: () => void;
  /** Counts fills: one that is overtaken by a newer one gives up. */
  fillNumber: number;
  /** Frees memory of a kind that cuMemFree_v2 does not free. */
  readonly free?: (cuda: Cuda) => void;
  /** Where it comes from. */
  readonly pool?: Pool;
  /** Of virtual memory: the addresses, and what is mapped there. */
  readonly range?: AddressRange;
}

export interface OwnExport {
  /** Its descriptors are open in this process as long as they are in here. */
  record: HostTables['exports'];
}

/** An own pool or an imported one. */
export interface Pool {
  record: HostTables['pools'];
  readonly pool: MemPool;
  /** The device whose context its calls are made in: its own, or of an imported one where it is used. */
  readonly usedOn: number;
  export?: OwnExport;
  /** Imported for mappings alone: it goes with the last of them. */
  automatic: boolean;
}

/** Physical memory, own or imported. */
export interface Physical {
  record: HostTables['physicals'];
  readonly handle: AllocationHandle;
  export?: OwnExport;
  /** The allocation or mapping that it was made with, and is released with. */
  readonly madeFor?: string;
}

/** What was opened of another process, at one address. */
export interface OpenMapping {
  record: HostTables['mappings'];
  /** What the driver answered: it is closed by this, not by the view's address. */
  readonly base: DevicePtr;
  /** Base, device, flags and view: opening with the same again is one more reference of this record. */
  readonly key: string;
  /** The imported pool that it belongs to. */
  readonly pool?: Pool;
  /** Of virtual memory. */
  readonly range?: AddressRange;
}

export interface OwnEvent {
  record: HostTables['events'];
  readonly event: EventHandle;
  export?: OwnExport;
}

export interface ImportedEvent {
  record: HostTables['eventImports'];
  readonly event: EventHandle;
}

/** A stretch of device memory that a call may read or write. */
export interface MemoryTarget {
  readonly id: string;
  readonly label: string;
  readonly device: number;
  readonly pointer: DevicePtr;
  readonly bytes: number;
  /** Of virtual memory: what of it is mapped, in the order of offsets. See `assertUsable`. */
  readonly segments?: readonly Segment[];
  /** Of memory of a pool: the device was given no access to it, so the driver will refuse. */
  readonly noPoolAccess?: boolean;
}

type DefaultLabel =
  | 'buffer'
  | 'event'
  | 'pool'
  | 'physical memory'
  | 'imported buffer'
  | 'imported event'
  | 'imported pool'
  | 'imported memory';

/** How many objects of a kind are kept before the oldest ended one is forgotten. */
const REMEMBERED = 1000;

export class Objects {
  readonly allocations = new Map<string, OwnAllocation>();
  readonly exports = new Map<string, OwnExport>();
  readonly mappings = new Map<string, OpenMapping>();
  readonly events = new Map<string, OwnEvent>();
  readonly eventImports = new Map<string, ImportedEvent>();
  readonly pools = new Map<string, Pool>();
  readonly physicals = new Map<string, Physical>();
  private readonly counters = new Map<string, number>();

  constructor(private readonly peerId: string) {}

  /** Adds an object to its map, and forgets the oldest ended one when there are many. */
  add<T extends { readonly record: { readonly id: string; readonly state: string } }>(
    map: Map<string, T>,
    object: T,
  ): void {
    map.set(object.record.id, object);
    if (map.size <= REMEMBERED) return;
    for (const [id, { record }] of map) {
      if (record.state === 'live' || record.state === 'open') continue;
      map.delete(id);
      return;
    }
  }

  /** `p2.a3`: `a` allocation, `x` export, `m` mapping, `e` event, `i` imported event, `q` pool, `f` physical memory. */
  nextId(kind: 'a' | 'x' | 'm' | 'e' | 'i' | 'q' | 'f'): string {
    return `${this.peerId}.${kind}${this.count(kind)}`;
  }

  /** `buffer 1`, `buffer 2`, … */
  defaultLabel(word: DefaultLabel): string {
    return `${word} ${this.count(word)}`;
  }

  liveAllocation(id: string): OwnAllocation {
    const own = this.allocations.get(id);
    if (!own) throw notFound('buffer', id);
    if (own.record.state !== 'live') throw closed(`${own.record.label} was freed.`);
    return own;
  }

  livePool(id: string): Pool {
    const pool = this.pools.get(id);
    if (!pool) throw notFound('pool', id);
    if (pool.record.state !== 'live') throw closed(`${pool.record.label} was destroyed.`);
    return pool;
  }

  livePhysical(id: string): Physical {
    const physical = this.physicals.get(id);
    if (!physical) throw notFound('physical memory', id);
    if (physical.record.state !== 'live') throw closed(`${physical.record.label} was released.`);
    return physical;
  }

  /** Mappings that are open at the same base: the driver has opened it once for all of them. */
  openAt(base: DevicePtr): OpenMapping[] {
    return [...this.mappings.values()].filter((one) => one.record.state === 'open' && one.base === base);
  }

  openMapping(id: string): OpenMapping {
    const mapping = this.mappings.get(id);
    if (!mapping) throw notFound('mapping', id);
    if (mapping.record.state !== 'open') {
      throw closed(`The mapping of ${mapping.record.label} was closed.`, 'Open its handle again.');
    }
    return mapping;
  }

  /** An own event or an imported one. */
  liveEvent(id: string): OwnEvent | ImportedEvent {
    const own = this.events.get(id);
    if (own) {
      if (own.record.state !== 'live') throw closed(`${own.record.label} was destroyed.`);
      return own;
    }
    const imported = this.eventImports.get(id);
    if (!imported) throw notFound('event', id);
    if (imported.record.state !== 'open') throw closed(`${imported.record.label} was closed here.`);
    return imported;
  }

  /** The memory behind the id of an allocation or a mapping. */
  memory(id: string): MemoryTarget {
    if (this.allocations.has(id)) {
      return targetOf(this.liveAllocation(id));
    }
    if (!this.mappings.has(id)) throw notFound('buffer or mapping', id);
    const { record, base, range, pool } = this.openMapping(id);
    const { label, device, bytes, offset } = record;
    const pointer = (base + BigInt(offset)) as DevicePtr;
    const segments = range?.segments(device, { offset, length: bytes });
    const noPoolAccess = pool !== undefined && !pool.record.access.some((one) => one.device === device);
    return { id, label, device, pointer, bytes, ...(segments && { segments }), ...(noPoolAccess && { noPoolAccess }) };
  }

  private count(name: string): number {
    const next = (this.counters.get(name) ?? 0) + 1;
    this.counters.set(name, next);
    return next;
  }
}

/** A whole own allocation. */
export function targetOf({ record, pointer, range }: OwnAllocation): MemoryTarget {
  const { id, label, device, bytes } = record;
  const segments = range?.segments(device, { offset: 0, length: bytes });
  return { id, label, device, pointer, bytes, ...(segments && { segments }) };
}

/** Whether an event was made here and not imported. */
export const isOwnEvent = (event: OwnEvent | ImportedEvent): event is OwnEvent => 'flags' in event.record;
