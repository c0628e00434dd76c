/** What mappings of every mechanism have in common: the part that a view sees, the record, and its references. */
import type { OpenedMapping } from '#contract/host-protocol';
import { fitsIn } from '#contract/ranges';
import type { DataDescription, Mechanism } from '#contract/values';
import { type DevicePtr, toAddress } from '#native/cuda/index';
import type { AddressRange } from './address-range';
import type { HostState } from './host-state';
import type { OpenMapping, Pool } from './objects';
import { outOfRange } from './problems';

export interface View {
  readonly offset: number;
  readonly length: number;
}

/**
 * The part of an imported allocation that was asked for: all of it unless said otherwise.
 * @throws GpuIpcError `out-of-range`
 */
export function viewIn(args: Partial<View>, allocationBytes: number, label: string): View {
  const { offset = 0 } = args;
  const length = args.length ?? allocationBytes - offset;
  if (length < 1 || !fitsIn({ offset, length }, allocationBytes)) {
    throw outOfRange({ offset, length: args.length ?? 1 }, label, allocationBytes);
  }
  return { offset, length };
}

export interface MappingFacts extends View {
  readonly id?: string;
  readonly mechanism: Mechanism;
  readonly base: DevicePtr;
  readonly key: string;
  readonly device: number;
  readonly label: string;
  readonly flags: number;
  readonly allocationBytes: number;
  readonly handle: Uint8Array | null;
  readonly exportId?: string | null;
  readonly pool?: Pool;
  readonly range?: AddressRange;
  readonly data: DataDescription | undefined;
}

/** A new mapping with one reference. */
export function addMapping(host: HostState, facts: MappingFacts): OpenMapping {
  const { base, key, pool, range, offset } = facts;
  const mapping: OpenMapping = {
    record: {
      id: facts.id ?? host.objects.nextId('m'),
      peerId: host.peerId,
      mechanism: facts.mechanism,
      ...(pool === undefined ? {} : { poolId: pool.record.id }),
      ...(range === undefined ? {} : { chunks: range.chunks(), access: range.access() }),
      exportId: facts.exportId ?? null,
      exporterPeerId: null,
      label: facts.label,
      device: facts.device,
      address: toAddress(base + BigInt(offset)),
      bytes: facts.length,
      offset,
      ...(facts.data === undefined ? {} : { data: facts.data }),
      allocationBytes: facts.allocationBytes,
      flags: facts.flags,
      references: 1,
      state: 'open',
      // Main knows whose it is, and asks the process table; a host sees its own side only.
      exporter: 'unknown',
      openedAt: Date.now(),
      handle: facts.handle,
    },
    base,
    key,
    ...(pool === undefined ? {} : { pool }),
    ...(range === undefined ? {} : { range }),
  };
  host.objects.add(host.objects.mappings, mapping);
  host.report.put('mappings', mapping.record);
  return mapping;
}

/** One reference more. What is said of the data now goes before what was said; saying nothing changes nothing. */
export function addReference(host: HostState, mapping: OpenMapping, data: DataDescription | undefined): void {
  const references = mapping.record.references + 1;
  mapping.record = { ...mapping.record, references, ...(data === undefined ? {} : { data }) };
  host.report.put('mappings', mapping.record);
}

/** One reference less; the last one ends it. */
export function dropReference(host: HostState, mapping: OpenMapping): void {
  const references = mapping.record.references - 1;
  const ended = references === 0 ? ({ state: 'closed', closedAt: Date.now() } as const) : {};
  mapping.record = { ...mapping.record, references, ...ended };
  host.report.put('mappings', mapping.record);
}

export function openedOf({ record }: OpenMapping): OpenedMapping {
  const { id, address, bytes, references, state } = record;
  return { id, address, bytes, references, state };
}

/** Bytes of the allocation at an address that the driver has just given. */
export function sizeAt(host: HostState, base: DevicePtr, label: string): number {
  const range = host.session.call({ args: label }, (cuda) => cuda.memGetAddressRange(base));
  if (!range) throw new Error(`the driver has no range for ${toAddress(base)}, which it has just mapped`);
  return range.bytes;
}
