/**
 * What another process opens: 64 bytes of memory and events, file descriptors of pools and virtual memory. An export
 * holds its descriptors open here, one for a pool and one for each piece of physical memory, until they are closed, its
 * object goes, or the host ends.
 */
import type { CallValue, CheckedArgs } from '#contract/calls';
import type { Export } from '#contract/records';
import { GpuIpcError } from '#contract/result';
import { formatCount } from '#contract/units';
import type { MemoryKind } from '#contract/values';
import { type AllocationHandle, offsetBy, type Situation } from '#native/cuda/index';
import { closeDescriptor } from '#native/posix/libc';
import type { AddressRange, Piece } from './address-range';
import type { HostState } from './host-state';
import { isOwnEvent, type OwnAllocation, type OwnExport, type Physical, type Pool } from './objects';
import { closed, invalid } from './problems';

type Made = Pick<Export, 'mechanism' | 'poolExportId' | 'descriptors' | 'physicalIds'> & {
  readonly handle: Uint8Array | null;
};

/** By the mechanism of the memory. The same allocation is the same export, as long as it can be opened. */
export function exportBuffer(host: HostState, { id }: CheckedArgs<'buffers.export'>): CallValue<'buffers.export'> {
  const own = host.objects.liveAllocation(id);
  if (own.range !== undefined) own.export = exportRange(host, own, own.range);
  else if (own.pool !== undefined) own.export = exportPointer(host, own, own.pool);
  else if (own.export === undefined) own.export = exportLegacy(host, own);
  const { record } = own.export;
  return {
    id: record.id,
    allocationId: id,
    mechanism: record.mechanism,
    handle: record.handle && Uint8Array.from(record.handle),
    fds: record.descriptors?.map(({ fd }) => fd) ?? [],
  };
}

/** What hints call the kinds of memory. */
export const situationMemory: Readonly<Record<MemoryKind, NonNullable<Situation['memory']>>> = {
  device: 'device',
  managed: 'managed',
  pinned: 'host',
  mapped: 'host',
  'default-pool': 'pool',
  pool: 'pool',
  virtual: 'virtual',
};

/** cuIpcGetMemHandle. */
function exportLegacy(host: HostState, own: OwnAllocation): OwnExport {
  const { id, label, device, memory } = own.record;
  host.session.use(device);
  const handle = host.session.call(
    { args: label, objectId: id, situation: { memory: situationMemory[memory] } },
    (cuda) => cuda.ipcGetMemHandle(own.pointer),
  );
  return newExport(host, 'memory', id, { mechanism: 'legacy', handle });
}

/** cuMemPoolExportPointer, after the pool itself when that is not exported: the driver wants this order. */
function exportPointer(host: HostState, own: OwnAllocation, pool: Pool): OwnExport {
  const poolExportId = poolExport(host, pool).record.id;
  if (own.export?.record.state === 'live' && own.export.record.poolExportId === poolExportId) return own.export;
  const { id, label, device } = own.record;
  host.session.use(device);
  const handle = host.session.call(
    { args: label, objectId: id, situation: { memory: 'pool', pool: situationOfPool(pool) } },
    (cuda) => cuda.memPoolExportPointer(own.pointer),
  );
  return newExport(host, 'memory', id, { mechanism: 'pool', handle, poolExportId });
}

/** cuMemPoolExportToShareableHandle. The same pool is the same export, as long as its descriptor is open. */
export function exportPool(host: HostState, { id }: CheckedArgs<'pools.export'>): CallValue<'pools.export'> {
  const { record } = poolExport(host, host.objects.livePool(id));
  return { id: record.id, poolId: id, fd: record.descriptors?.[0]?.fd ?? -1, pid: process.pid };
}

function poolExport(host: HostState, pool: Pool): OwnExport {
  if (pool.export?.record.state === 'live') return pool.export;
  // The driver follows a pool that is gone.
  if (pool.record.state !== 'live') {
    throw closed(
      `${pool.record.label} was destroyed, so memory of it can be shared no more.`,
      'Allocate from another pool, and export that.',
    );
  }
  const { id, label } = pool.record;
  host.session.use(pool.usedOn);
  const fd = host.session.call({ args: label, objectId: id, situation: { pool: situationOfPool(pool) } }, (cuda) =>
    cuda.memPoolExportToShareableHandle(pool.pool),
  );
  pool.export = newExport(host, 'pool', id, { mechanism: 'pool', handle: null, descriptors: [{ fd, bytes: null }] });
  return pool.export;
}

export const situationOfPool = ({ record, export: made }: Pool): NonNullable<Situation['pool']> => ({
  imported: record.imported,
  shareable: record.shareable,
  exported: made !== undefined,
});

/** A descriptor for each piece; a fabric handle for a single one that was made for that. */
function exportRange(host: HostState, own: OwnAllocation, range: AddressRange): OwnExport {
  const { id, label } = own.record;
  const pieces = contiguous(range, label);
  if (own.export?.record.state === 'live' && isOf(own.export, pieces)) return own.export;
  const fabric = pieces.filter(({ physical }) => physical.record.shareable === 'fabric');
  if (fabric.length > 0 && pieces.length > 1) {
    throw invalid(
      `${label} has ${pieces.length} pieces, and some travel by fabric handle: an export has one of those.`,
      'Export the physical memory of each piece by itself.',
    );
  }
  host.session.use(own.record.device);
  const [first] = pieces;
  const made: Made =
    first !== undefined && fabric.length === 1
      ? { mechanism: 'fabric', handle: fabricHandle(host, first.physical) }
      : { mechanism: 'virtual', handle: null, descriptors: openedFor(host, range, pieces) };
  if (own.export?.record.state === 'live') closeExport(host, own.export);
  const physicalIds = pieces.map(({ physical }) => physical.record.id);
  const exported = newExport(host, 'memory', id, { ...made, physicalIds });
  piecesOf.set(exported, pieces);
  return exported;
}

/** Pieces that an export was made of: what is mapped may change after it. */
const piecesOf = new WeakMap<OwnExport, readonly Piece[]>();

function isOf(made: OwnExport, pieces: readonly Piece[]): boolean {
  const before = piecesOf.get(made) ?? [];
  return before.length === pieces.length && before.every((piece, index) => piece === pieces[index]);
}

/** An importer maps the pieces side by side: from the first byte on and without a hole, or not at all. */
function contiguous(range: AddressRange, label: string): readonly Piece[] {
  const [run, ...others] = range.runs();
  if (run === undefined) {
    throw invalid(`Nothing is mapped in ${label}, so there is nothing to export.`, 'Map physical memory there first.');
  }
  if (run.offset > 0 || others.length > 0) {
    const from = run.offset > 0 ? 0 : run.bytes;
    throw new GpuIpcError({
      code: 'out-of-range',
      message: `${label} has a hole at byte ${formatCount(from)}: an importer maps the pieces of an export side by side.`,
      hint: 'Map memory there, or export the physical memory of each piece by itself.',
    });
  }
  return [...range.pieces];
}

/** One descriptor for each piece. None stays open when one of them cannot be made. */
function openedFor(host: HostState, range: AddressRange, pieces: readonly Piece[]) {
  const opened: { fd: number; bytes: number }[] = [];
  try {
    for (const { offset, physical } of pieces) {
      const fd = withHandle(host, physical, range, offset, (handle) => descriptorOf(host, physical, handle));
      opened.push({ fd, bytes: physical.record.bytes });
    }
    return opened;
  } catch (thrown) {
    for (const { fd } of opened) closeDescriptor(fd);
    throw thrown;
  }
}

/** The handle of mapped memory: its own, or one more from the mapping when that was released already. */
function withHandle<T>(
  host: HostState,
  physical: Physical,
  range: AddressRange,
  offset: number,
  use: (handle: AllocationHandle) => T,
): T {
  if (physical.record.state === 'live') return use(physical.handle);
  const about = { args: physical.record.label, objectId: physical.record.id };
  const handle = host.session.call(about, (cuda) => cuda.memRetainAllocationHandle(offsetBy(range.pointer, offset)));
  try {
    return use(handle);
  } finally {
    host.session.call(about, (cuda) => cuda.memRelease(handle));
  }
}

/** cuMemExportToShareableHandle. The same memory is the same export, as long as it can be opened. */
export function exportPhysical(host: HostState, { id }: CheckedArgs<'virtual.export'>): CallValue<'virtual.export'> {
  const physical = host.objects.livePhysical(id);
  if (physical.export?.record.state !== 'live') {
    host.session.use(physical.record.device);
    const made: Made =
      physical.record.shareable === 'fabric'
        ? { mechanism: 'fabric', handle: fabricHandle(host, physical) }
        : {
            mechanism: 'virtual',
            handle: null,
            descriptors: [{ fd: descriptorOf(host, physical, physical.handle), bytes: physical.record.bytes }],
          };
    physical.export = newExport(host, 'physical', id, made);
  }
  const { record } = physical.export;
  return {
    id: record.id,
    physicalId: id,
    pid: process.pid,
    fd: record.descriptors?.[0]?.fd ?? null,
    handle: record.handle && Uint8Array.from(record.handle),
  };
}

const aboutPhysical = ({ record: { id, label, imported, shareable } }: Physical) => ({
  args: label,
  objectId: id,
  situation: { physical: { imported, shareable } },
});

function descriptorOf(host: HostState, physical: Physical, handle: AllocationHandle): number {
  return host.session.call(aboutPhysical(physical), (cuda) => cuda.memExportToShareableHandle(handle));
}

function fabricHandle(host: HostState, physical: Physical): Uint8Array {
  return host.session.call(aboutPhysical(physical), (cuda) => cuda.memExportToFabricHandle(physical.handle));
}

/** cuIpcGetEventHandle. The same event is the same export. */
export function exportEvent(host: HostState, { id }: CheckedArgs<'events.export'>): CallValue<'events.export'> {
  const own = host.objects.liveEvent(id);
  if (!isOwnEvent(own)) {
    throw invalid(
      `${own.record.label} is imported.`,
      'Only its exporter can export it: pass on the handle it came from.',
    );
  }
  if (!own.export) {
    const { label, device, flags } = own.record;
    host.session.use(device);
    const handle = host.session.call({ args: label, objectId: id, situation: { flags } }, (cuda) =>
      cuda.ipcGetEventHandle(own.event),
    );
    own.export = newExport(host, 'event', id, { mechanism: 'legacy', handle });
  }
  const { id: exportId, handle } = own.export.record;
  return { id: exportId, eventId: id, handle: Uint8Array.from(handle ?? []) };
}

/** Its object was freed or destroyed. What the driver opens with the handle from now on is nothing, or something else. */
export function endExport(host: HostState, made: OwnExport): void {
  end(host, made, 'freed');
}

/** Its descriptors are closed, so nobody can open it any more; whoever has it open keeps it. */
export function closeExport(host: HostState, made: OwnExport): void {
  end(host, made, 'closed');
}

function end(host: HostState, made: OwnExport, state: 'freed' | 'closed'): void {
  const before = made.record;
  if (before.state === 'freed') return;
  made.record = { ...before, state, ...(before.descriptors && { descriptors: [] }) };
  host.report.put('exports', made.record);
  for (const { fd } of before.descriptors ?? []) closeDescriptor(fd);
  if (before.kind !== 'pool' || before.state !== 'live') return;
  // Without its pool an allocation can be imported only where the pool is imported already.
  for (const other of host.objects.exports.values()) {
    if (other.record.poolExportId === before.id && other.record.state === 'live') closeExport(host, other);
  }
}

function newExport(host: HostState, kind: Export['kind'], objectId: string, how: Made): OwnExport {
  const { mechanism, handle, poolExportId, descriptors, physicalIds } = how;
  const made: OwnExport = {
    record: {
      id: host.objects.nextId('x'),
      peerId: host.peerId,
      kind,
      mechanism,
      objectId,
      ...(poolExportId === undefined ? {} : { poolExportId }),
      ...(descriptors && { descriptors }),
      ...(physicalIds && { physicalIds }),
      state: 'live',
      createdAt: Date.now(),
      handle,
    },
  };
  host.objects.add(host.objects.exports, made);
  host.report.put('exports', made.record);
  return made;
}
