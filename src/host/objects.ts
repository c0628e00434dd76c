/**
 * Everything this host made or opened, with the driver's values that never leave it. Freed and closed objects are
 * remembered for a while, so that a late call learns that its object is closed and not that it never was.
 */
import type { HostTables } from '#contract/host-protocol';
import type { Fill } from '#contract/values';
import type { DevicePtr, EventHandle } from '#native/cuda/index';
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
}

export interface OwnExport {
  readonly handle: Uint8Array;
  record: HostTables['exports'];
}

/** One cuIpcOpenMemHandle_v2 target: what the driver keeps a reference count for. */
export interface OpenMapping {
  record: HostTables['mappings'];
  /** What the driver answered: cuIpcCloseMemHandle takes this, not the view's address. */
  readonly base: DevicePtr;
  /** Base, device, flags and view: opening with the same again is one more reference of this record. */
  readonly key: string;
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
}

/** How many objects of a kind are kept before the oldest ended one is forgotten. */
const REMEMBERED = 1000;

export class Objects {
  readonly allocations = new Map<string, OwnAllocation>();
  readonly exports = new Map<string, OwnExport>();
  readonly mappings = new Map<string, OpenMapping>();
  readonly events = new Map<string, OwnEvent>();
  readonly eventImports = new Map<string, ImportedEvent>();
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

  /** `p2.a3`: `a` allocation, `x` export, `m` mapping, `e` event, `i` imported event. */
  nextId(kind: 'a' | 'x' | 'm' | 'e' | 'i'): string {
    return `${this.peerId}.${kind}${this.count(kind)}`;
  }

  /** `buffer 1`, `buffer 2`, … */
  defaultLabel(word: 'buffer' | 'event' | 'imported buffer' | 'imported event'): string {
    return `${word} ${this.count(word)}`;
  }

  liveAllocation(id: string): OwnAllocation {
    const own = this.allocations.get(id);
    if (!own) throw notFound('buffer', id);
    if (own.record.state !== 'live') throw closed(`${own.record.label} was freed.`);
    return own;
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
      const { record, pointer } = this.liveAllocation(id);
      return { id, label: record.label, device: record.device, pointer, bytes: record.bytes };
    }
    if (!this.mappings.has(id)) throw notFound('buffer or mapping', id);
    const { record, base } = this.openMapping(id);
    const pointer = (base + BigInt(record.offset)) as DevicePtr;
    return { id, label: record.label, device: record.device, pointer, bytes: record.bytes };
  }

  private count(name: string): number {
    const next = (this.counters.get(name) ?? 0) + 1;
    this.counters.set(name, next);
    return next;
  }
}

/** Whether an event was made here and not imported. */
export const isOwnEvent = (event: OwnEvent | ImportedEvent): event is OwnEvent => 'flags' in event.record;
