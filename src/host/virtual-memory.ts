/**
 * Virtual memory in its single steps: physical memory, ranges of addresses, what is mapped where, and which device may do
 * what there. Everything has a multiple of the granularity, and is mapped as a whole: the driver wants it so.
 */
import type { CallValue, CheckedArgs } from '#contract/calls';
import type { InternalCalls, PhysicalFacts, PhysicalSource } from '#contract/host-protocol';
import { formatCount, formatSize } from '#contract/units';
import type { Access } from '#contract/values';
import {
  type AllocationHandle,
  asFabricHandle,
  Granularity,
  HandleType,
  offsetBy,
  toAddress,
} from '#native/cuda/index';
import { AddressRange, accessFlags, type Piece } from './address-range';
import { withDescriptors } from './descriptors';
import { endExport } from './exports';
import type { HostState } from './host-state';
import type { OwnAllocation, Physical } from './objects';
import { closed, ending, invalid, outOfRange } from './problems';

const handleTypes = {
  none: HandleType.NONE,
  fd: HandleType.POSIX_FILE_DESCRIPTOR,
  fabric: HandleType.FABRIC,
} as const;

/** cuMemGetAllocationGranularity, in bytes. */
export function granularity(
  host: HostState,
  { device }: CheckedArgs<'virtual.granularity'>,
): CallValue<'virtual.granularity'> {
  const { session } = host;
  session.device(device);
  const of = { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: device };
  return session.call({ args: `device ${device}` }, (cuda) => ({
    minimum: cuda.memGetAllocationGranularity(of, Granularity.MINIMUM),
    recommended: cuda.memGetAllocationGranularity(of, Granularity.RECOMMENDED),
  }));
}

/** The next multiple of the granularity of a device. */
function roundedUp(host: HostState, device: number, bytes: number): number {
  const { minimum } = granularity(host, { device });
  const rounded = Math.ceil(bytes / minimum) * minimum;
  if (!Number.isSafeInteger(rounded)) throw invalid(`${formatSize(bytes)} are more than any device has.`);
  return rounded;
}

/** cuMemCreate. */
export function create(host: HostState, args: CheckedArgs<'virtual.create'>): CallValue<'virtual.create'> {
  const { record } = createPhysical(host, args);
  return { id: record.id, bytes: record.bytes };
}

function createPhysical(
  host: HostState,
  { device, bytes, shareable = 'fd', label }: CheckedArgs<'virtual.create'>,
  madeFor?: string,
): Physical {
  const { session, objects } = host;
  session.use(device);
  const rounded = roundedUp(host, device, bytes);
  const name = label || objects.defaultLabel('physical memory');
  const id = objects.nextId('f');
  const handle = session.call(
    {
      args: `${name}, ${formatSize(rounded)}${shareable === 'none' ? '' : `, ${shareable === 'fd' ? 'POSIX_FILE_DESCRIPTOR' : 'FABRIC'}`}`,
      objectId: id,
      situation: { bytes: rounded, physical: { imported: false, shareable } },
    },
    (cuda) => cuda.memCreate(rounded, { handleTypes: handleTypes[shareable], deviceOrdinal: device }),
  );
  const facts = { id, label: name, device, bytes: rounded, requestedBytes: bytes, imported: false, shareable };
  return added(host, handle, facts, madeFor);
}

type Facts = Pick<
  Physical['record'],
  'id' | 'label' | 'device' | 'bytes' | 'requestedBytes' | 'imported' | 'shareable'
> & { readonly exportId?: string | null };

function added(host: HostState, handle: AllocationHandle, facts: Facts, madeFor?: string): Physical {
  const physical: Physical = {
    record: {
      ...facts,
      peerId: host.peerId,
      state: 'live',
      exportId: facts.exportId ?? null,
      exporterPeerId: null,
      ...(facts.imported ? { exporter: 'unknown' as const } : {}),
      createdAt: Date.now(),
    },
    handle,
    ...(madeFor === undefined ? {} : { madeFor }),
  };
  host.objects.add(host.objects.physicals, physical);
  host.report.put('physicals', physical.record);
  return physical;
}

/** cuMemAddressReserve, as an allocation without memory. */
export function reserve(host: HostState, args: CheckedArgs<'virtual.reserve'>): CallValue<'virtual.reserve'> {
  const { objects, report } = host;
  const { device, label, dtype } = args;
  host.session.use(device);
  const bytes = roundedUp(host, device, args.bytes);
  const name = label || objects.defaultLabel('buffer');
  const id = objects.nextId('a');
  const own = rangeAllocation(host, { id, label: name, device, bytes, dtype: dtype ?? 'u8' });
  objects.add(objects.allocations, own);
  report.put('allocations', own.record);
  return { id, address: own.record.address, bytes };
}

type RangeFacts = Pick<OwnAllocation['record'], 'id' | 'label' | 'device' | 'bytes' | 'dtype'>;

function rangeAllocation(host: HostState, facts: RangeFacts): OwnAllocation {
  const { id, label, bytes } = facts;
  const range = reserveRange(host, label, bytes, id);
  return {
    record: {
      ...facts,
      peerId: host.peerId,
      memory: 'virtual',
      chunks: [],
      access: [],
      address: toAddress(range.pointer),
      blockBytes: null,
      state: 'live',
      createdAt: Date.now(),
    },
    pointer: range.pointer,
    range,
    fill: { pattern: 'zero' },
    fillNumber: 0,
  };
}

/** cuMemAddressReserve. The device whose context is current has nothing to do with it. */
export function reserveRange(host: HostState, label: string, bytes: number, objectId?: string): AddressRange {
  const about = { args: `${label}, ${formatSize(bytes)}`, ...(objectId === undefined ? {} : { objectId }) };
  return new AddressRange(
    host.session.call(about, (cuda) => cuda.memAddressReserve(bytes)),
    bytes,
  );
}

/** Memory, addresses, a mapping and access for its device in one go. Nothing is left when a step fails. */
export function createBuffer(host: HostState, { id, label, device, bytes, dtype }: RangeFacts): OwnAllocation {
  const physical = createPhysical(host, { device, bytes, label }, id);
  const rounded = physical.record.bytes;
  let own: OwnAllocation | undefined;
  try {
    own = rangeAllocation(host, { id, label, device, bytes: rounded, dtype });
    mapPiece(host, own, 0, physical);
    allow(host, own, device, 'read-write');
    return own;
  } catch (thrown) {
    try {
      if (own?.range === undefined) release(host, physical);
      else {
        freeRange(host, own);
        if (physical.record.state === 'live') release(host, physical);
      }
    } catch {
      // In the log. Why it could not be made says more.
    }
    throw thrown;
  }
}

/** cuMemMap of a whole physical memory. */
export function map(host: HostState, { id, physicalId, offset = 0 }: CheckedArgs<'virtual.map'>): undefined {
  const own = host.objects.liveAllocation(id);
  const physical = host.objects.livePhysical(physicalId);
  const range = rangeOf(own);
  const { bytes } = physical.record;
  // Beyond its end are the addresses of somebody else.
  if (offset + bytes > range.bytes) {
    throw outOfRange({ offset, length: bytes }, own.record.label, range.bytes);
  }
  host.session.use(own.record.device);
  mapPiece(host, own, offset, physical);
}

function mapPiece(host: HostState, own: OwnAllocation, offset: number, physical: Physical): void {
  mapInto(host, rangeOf(own), own.record.label, offset, physical, own.record.id);
  reportRange(host, own);
}

/** cuMemMap at an offset of a range. */
export function mapInto(
  host: HostState,
  range: AddressRange,
  label: string,
  offset: number,
  physical: Physical,
  objectId?: string,
): void {
  const at = offset === 0 ? label : `${label} + ${formatCount(offset)}`;
  const about = { args: `${at}, ${physical.record.label}`, ...(objectId === undefined ? {} : { objectId }) };
  const taken = range.pieces.some(
    (piece) => piece.offset < offset + physical.record.bytes && offset < piece.offset + piece.physical.record.bytes,
  );
  host.session.call({ ...about, situation: { taken } }, (cuda) =>
    cuda.memMap(offsetBy(range.pointer, offset), physical.record.bytes, physical.handle),
  );
  range.add(offset, physical);
}

/** cuMemUnmap of one piece, or of all. */
export async function unmap(host: HostState, { id, offset }: CheckedArgs<'virtual.unmap'>): Promise<undefined> {
  // Unmapping may wait for everything that runs in the context.
  await host.delays.settled(host.objects.liveAllocation(id).record.device);
  await host.jobs.endOf(id, closed(`Memory of ${host.objects.liveAllocation(id).record.label} was unmapped.`));
  const own = host.objects.liveAllocation(id);
  const range = rangeOf(own);
  const pieces = offset === undefined ? [...range.pieces] : range.pieces.filter((piece) => piece.offset === offset);
  if (pieces.length === 0) {
    throw invalid(
      offset === undefined
        ? `Nothing is mapped in ${own.record.label}.`
        : `Nothing is mapped at offset ${formatCount(offset)} of ${own.record.label}.`,
      'A piece is unmapped by the offset at which it was mapped.',
    );
  }
  host.session.use(own.record.device);
  try {
    for (const piece of pieces) unmapFrom(host, range, own.record.label, piece, id);
  } finally {
    reportRange(host, own);
  }
}

/** cuMemUnmap of one piece. */
export function unmapFrom(host: HostState, range: AddressRange, label: string, piece: Piece, objectId: string): void {
  const { offset, physical } = piece;
  const args = `${offset === 0 ? label : `${label} + ${formatCount(offset)}`}, ${physical.record.label}`;
  host.session.call({ args, objectId }, (cuda) =>
    cuda.memUnmap(offsetBy(range.pointer, offset), physical.record.bytes),
  );
  range.remove(piece);
}

/** cuMemSetAccess for everything that is mapped. */
export async function setAccess(
  host: HostState,
  { id, device, access }: CheckedArgs<'virtual.access'>,
): Promise<undefined> {
  const { label, device: used } = host.objects.liveAllocation(id).record;
  if (device !== undefined) host.session.device(device);
  // What works on it does so on its own device; another one loses nothing there.
  if (access === 'none' && (device ?? used) === used) {
    await host.jobs.endOf(id, closed(`Access to ${label} was taken away.`));
  }
  const own = host.objects.liveAllocation(id);
  const range = rangeOf(own);
  if (range.pieces.length === 0) {
    throw invalid(
      `Nothing is mapped in ${own.record.label}, so nobody can be given access.`,
      'Access belongs to what is mapped: map physical memory there first.',
    );
  }
  host.session.use(own.record.device);
  allow(host, own, device ?? own.record.device, access);
}

function allow(host: HostState, own: OwnAllocation, device: number, access: Access): void {
  try {
    allowIn(host, rangeOf(own), own.record.label, device, access, own.record.id);
  } finally {
    reportRange(host, own);
  }
}

/** cuMemSetAccess of each stretch without a hole. */
export function allowIn(
  host: HostState,
  range: AddressRange,
  label: string,
  device: number,
  access: Access,
  objectId?: string,
): void {
  for (const { offset, bytes } of range.runs()) {
    const at = offset === 0 ? label : `${label} + ${formatCount(offset)}`;
    const about = { args: `${at}, device ${device}, ${access}`, ...(objectId === undefined ? {} : { objectId }) };
    host.session.call(about, (cuda) =>
      cuda.memSetAccess(offsetBy(range.pointer, offset), bytes, device, accessFlags[access]),
    );
    for (const piece of range.pieces) {
      if (piece.offset >= offset && piece.offset < offset + bytes) piece.access.set(device, access);
    }
  }
}

/** cuMemRelease. */
export function releaseCall(host: HostState, { id }: CheckedArgs<'virtual.release'>): undefined {
  const physical = host.objects.livePhysical(id);
  // The device of an import may be one whose context this process has no other need of.
  if (!physical.record.imported) host.session.use(physical.record.device);
  release(host, physical);
}

/** The same for physical memory. Where it is mapped it stays. */
export function release(host: HostState, physical: Physical): void {
  const { id, label } = physical.record;
  host.session.call({ args: label, objectId: id }, (cuda) => cuda.memRelease(physical.handle));
  physical.record = { ...physical.record, state: 'released', endedAt: Date.now() };
  host.report.put('physicals', physical.record);
  if (physical.export) endExport(host, physical.export);
}

/** Unmaps everything, gives the addresses back, and releases the memory that was made with them. */
export function freeRange(host: HostState, own: OwnAllocation): void {
  const range = rangeOf(own);
  const { id, label } = own.record;
  const physicals = new Set(range.pieces.map(({ physical }) => physical));
  host.session.use(own.record.device);
  freeAddresses(host, range, label, id);
  for (const physical of physicals)
    if (physical.madeFor === id && physical.record.state === 'live') release(host, physical);
}

/** cuMemUnmap of every piece and cuMemAddressFree. */
export function freeAddresses(host: HostState, range: AddressRange, label: string, objectId: string): void {
  for (const piece of [...range.pieces]) unmapFrom(host, range, label, piece, objectId);
  host.session.call({ args: `${label}, ${formatSize(range.bytes)}`, objectId }, (cuda) =>
    cuda.memAddressFree(range.pointer, range.bytes),
  );
}

/** cuMemImportFromShareableHandle, as a call of its own. */
export async function importPhysical(
  host: HostState,
  { source, device, owner = device, bytes, label, exportId }: InternalCalls['virtual.import']['args'],
): Promise<InternalCalls['virtual.import']['value']> {
  const name = label || host.objects.defaultLabel('imported memory');
  const [physical] = await withImported(
    host,
    { source, device, exportId, label: name },
    [{ bytes, device: owner }],
    (all) => all,
  );
  if (physical === undefined) throw new Error('nothing was imported');
  return { id: physical.record.id, bytes };
}

interface ImportFacts {
  readonly source: PhysicalSource;
  /** Whose context is current meanwhile. */
  readonly device: number;
  readonly exportId: string | null;
  readonly label: string;
}

/**
 * Imports physical memory, one for each of `facts`, and has it used. It is released again when that throws.
 * @param madeFor the mapping that it is imported for
 */
export async function withImported<T>(
  host: HostState,
  { source, device, exportId, label }: ImportFacts,
  facts: readonly PhysicalFacts[],
  use: (imported: readonly Physical[]) => T,
  madeFor?: string,
): Promise<T> {
  const importAll = (importOne: (index: number) => AllocationHandle): T => {
    if (host.ending) throw ending();
    host.session.use(device);
    const imported: Physical[] = [];
    try {
      for (const [index, { bytes, device: owner = device }] of facts.entries()) {
        const name = facts.length === 1 ? label : `${label}, part ${index + 1} of ${facts.length}`;
        const handle = host.session.call({ args: name, situation: { handle: 'unknown' } }, () => importOne(index));
        const id = host.objects.nextId('f');
        const record = { id, label: name, device: owner, bytes, requestedBytes: bytes, imported: true, exportId };
        imported.push(added(host, handle, { ...record, shareable: 'none' }, madeFor));
      }
      return use(imported);
    } catch (thrown) {
      for (const physical of imported) {
        try {
          release(host, physical);
        } catch {
          // In the log. Why it was not used says more.
        }
      }
      throw thrown;
    }
  };
  const { cuda } = host.session;
  if (source.kind === 'fabric') return importAll(() => cuda.memImportFromFabricHandle(asFabricHandle(source.handle)));
  return withDescriptors(source, facts.length, (fds) =>
    importAll((index) => cuda.memImportFromShareableHandle(fds[index] ?? -1)),
  );
}

function rangeOf({ record, range }: OwnAllocation): AddressRange {
  if (range !== undefined) return range;
  throw invalid(
    `${record.label} is no range of addresses: its memory came with it.`,
    'Reserve a range (cuMemAddressReserve) to map physical memory into.',
  );
}

function reportRange(host: HostState, own: OwnAllocation): void {
  const range = rangeOf(own);
  own.record = { ...own.record, chunks: range.chunks(), access: range.access() };
  if (host.objects.allocations.has(own.record.id)) host.report.put('allocations', own.record);
}
