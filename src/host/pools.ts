/**
 * Memory pools: own ones, whose memory can be shared by the descriptor of the pool, and imported ones, which give the
 * memory that their exporter allocated. The driver knows one imported pool for each that is exported, however often it is
 * imported; so does this host.
 */
import type { CallValue, CheckedArgs } from '#contract/calls';
import type { DescriptorSource, ImportedPoolArgs, InternalCalls } from '#contract/host-protocol';
import { formatSize } from '#contract/units';
import type { Access } from '#contract/values';
import { type DevicePtr, HandleType, type MemPool, PoolAttribute, type Situation } from '#native/cuda/index';
import { accessFlags } from './address-range';
import { withDescriptors } from './descriptors';
import { endExport, situationOfPool } from './exports';
import type { HostState } from './host-state';
import type { Pool } from './objects';
import { closed, ending, invalid } from './problems';
import type { About } from './session';

/** cuMemPoolCreate. */
export function createPool(
  host: HostState,
  { device, shareable = true, maxBytes, label }: CheckedArgs<'pools.create'>,
): Pool {
  const { session, objects } = host;
  session.use(device);
  const name = label || objects.defaultLabel('pool');
  const limit = maxBytes === undefined ? '' : `, at most ${formatSize(maxBytes)}`;
  const id = objects.nextId('q');
  const pool = session.call(
    { args: `${name}${shareable ? ', POSIX_FILE_DESCRIPTOR' : ''}${limit}`, objectId: id },
    (cuda) =>
      cuda.memPoolCreate({
        handleTypes: shareable ? HandleType.POSIX_FILE_DESCRIPTOR : HandleType.NONE,
        deviceOrdinal: device,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      }),
  );
  return added(host, pool, { id, label: name, device, imported: false, shareable, maxBytes: maxBytes ?? null });
}

type Facts = Pick<Pool['record'], 'id' | 'label' | 'device' | 'imported' | 'shareable' | 'maxBytes'>;

function added(
  host: HostState,
  pool: MemPool,
  facts: Facts,
  origin: { readonly usedOn: number; readonly exportId: string | null } = { usedOn: facts.device, exportId: null },
): Pool {
  const { usedOn, exportId } = origin;
  const made: Pool = {
    record: {
      ...facts,
      peerId: host.peerId,
      state: 'live',
      usage: null,
      // Its own device may use it from the beginning. Of an import others know which device that is.
      access: [{ device: facts.device, access: 'read-write' }],
      exportId,
      exporterPeerId: null,
      ...(facts.imported ? { exporter: 'unknown' as const } : {}),
      createdAt: Date.now(),
    },
    pool,
    usedOn,
    automatic: false,
  };
  host.objects.add(host.objects.pools, made);
  host.report.put('pools', made.record);
  return made;
}

/** The first pool of this process on a device that can be shared; a new one when there is none. */
export function shareablePool(host: HostState, device: number): Pool {
  for (const pool of host.objects.pools.values()) {
    const { record } = pool;
    if (record.state !== 'live' || record.imported || !record.shareable) continue;
    // A pool with a limit was made for something.
    if (record.device === device && record.maxBytes === null) return pool;
  }
  return createPool(host, { device });
}

/**
 * cuMemPoolImportFromShareableHandle. The same pool is the same record.
 * @param automatic that it goes with the last of its mappings, unless it was here already
 */
export async function importPool(
  host: HostState,
  { source, device, usedOn = device, label, exportId }: ImportedPoolArgs & { source: DescriptorSource },
  automatic: boolean,
): Promise<Pool> {
  const { session, objects } = host;
  return withDescriptors(source, 1, ([descriptor = -1]) => {
    if (host.ending) throw ending();
    session.use(usedOn);
    const name = label || objects.defaultLabel('imported pool');
    const pool = session.call({ args: name }, (cuda) => cuda.memPoolImportFromShareableHandle(descriptor));
    const known = [...objects.pools.values()].find(
      (one) => one.record.state === 'live' && one.record.imported && one.pool === pool,
    );
    if (known !== undefined) return known;
    const id = objects.nextId('q');
    const facts = { id, label: name, device, imported: true, shareable: false, maxBytes: null };
    const made = added(host, pool, facts, { usedOn, exportId });
    made.automatic = automatic;
    return made;
  });
}

/** As a call of its own: the pool stays until somebody destroys it. */
export async function importKept(
  host: HostState,
  args: InternalCalls['pools.import']['args'],
): Promise<InternalCalls['pools.import']['value']> {
  const pool = await importPool(host, args, false);
  pool.automatic = false;
  return { id: pool.record.id };
}

/** cuMemPoolGetAttribute: what it reserves and what of it is in use. */
export function usage(host: HostState, { id }: CheckedArgs<'pools.usage'>): CallValue<'pools.usage'> {
  return ask(host, host.objects.livePool(id));
}

function ask(host: HostState, pool: Pool): CallValue<'pools.usage'> {
  const { id, label } = pool.record;
  host.session.use(pool.usedOn);
  const about = { args: `${label}, reserved and used`, objectId: id, situation: () => situation(host, pool) };
  const found = host.session.call(about, (cuda) => ({
    reserved: cuda.memPoolGetAttribute(pool.pool, PoolAttribute.RESERVED_MEM_CURRENT),
    reservedHigh: cuda.memPoolGetAttribute(pool.pool, PoolAttribute.RESERVED_MEM_HIGH),
    used: cuda.memPoolGetAttribute(pool.pool, PoolAttribute.USED_MEM_CURRENT),
    usedHigh: cuda.memPoolGetAttribute(pool.pool, PoolAttribute.USED_MEM_HIGH),
    takenAt: Date.now(),
  }));
  pool.record = { ...pool.record, usage: found };
  host.report.put('pools', pool.record);
  return found;
}

/**
 * cuMemAllocFromPoolAsync. The memory is there when it resolves.
 * @param about what the calls are about, for the log
 */
export async function allocateFromPool(host: HostState, pool: Pool, bytes: number, about: About): Promise<DevicePtr> {
  const { device, label, maxBytes } = pool.record;
  const { session, memoryStreams } = host;
  const stream = memoryStreams.of(device);
  if (!pool.record.imported) refuseTooMuch(host, pool, bytes, maxBytes);
  const pointer = session.call(
    { ...about, args: `${about.args}, ${label}`, situation: { bytes, pool: situationOfPool(pool) } },
    (cuda) => cuda.memAllocFromPoolAsync(bytes, pool.pool, stream),
  );
  // A host that ends meanwhile gives its contexts back, and this with them.
  await memoryStreams.idle(device);
  refreshUsage(host, pool);
  return pointer;
}

/** Asked for more than the device has, the driver does not answer at all (measured for the default pool). */
function refuseTooMuch(host: HostState, { record }: Pool, bytes: number, maxBytes: number | null): void {
  // A limit that is smaller refuses by itself.
  if (maxBytes !== null && bytes > maxBytes) return;
  const { freeBytes } = host.session.call({ args: `device ${record.device}` }, (cuda) => cuda.memGetInfo());
  const unused = record.usage === null ? 0 : record.usage.reserved - record.usage.used;
  if (bytes <= freeBytes + unused) return;
  throw invalid(
    `Device ${record.device} has ${formatSize(freeBytes + unused)} for ${record.label}, and ${formatSize(bytes)} were asked for.`,
    'The driver would wait for memory that does not come. Memory that others still have open is free only when they close it.',
  );
}

/** Brings the record of an own pool up to date after something was allocated or freed. */
export function refreshUsage(host: HostState, pool: Pool): void {
  if (pool.record.state !== 'live') return;
  try {
    ask(host, pool);
  } catch {
    // In the log. What was allocated or freed is so all the same.
  }
}

/** cuMemPoolTrimTo. */
export function trim(host: HostState, { id, keepBytes = 0 }: CheckedArgs<'pools.trim'>): CallValue<'pools.trim'> {
  const pool = host.objects.livePool(id);
  const { label } = pool.record;
  host.session.use(pool.usedOn);
  // The real driver keeps what was freed and not waited for, even on a stream that is done.
  const stream = host.memoryStreams.of(pool.usedOn);
  host.session.call({ args: label, objectId: id }, (cuda) => cuda.streamSynchronize(stream));
  host.session.call(
    { args: `${label}, to ${formatSize(keepBytes)}`, objectId: id, situation: () => situation(host, pool) },
    (cuda) => cuda.memPoolTrimTo(pool.pool, keepBytes),
  );
  return ask(host, pool);
}

/** cuMemPoolSetAccess. */
export async function setAccess(
  host: HostState,
  { id, device, access }: CheckedArgs<'pools.access'>,
): Promise<undefined> {
  const { label } = host.objects.livePool(id).record;
  host.session.device(device);
  if (access === 'none') {
    for (const { record } of [...host.objects.allocations.values(), ...host.objects.mappings.values()]) {
      // What another device does with it goes on.
      if (record.poolId === id && record.device === device)
        await host.jobs.endOf(record.id, closed(`Access to memory of ${label} was taken away.`));
    }
  }
  allow(host, host.objects.livePool(id), device, access);
}

/** The same for a pool. */
export function allow(host: HostState, pool: Pool, device: number, access: Access): void {
  const { id, label } = pool.record;
  host.session.device(device);
  host.session.use(pool.usedOn);
  host.session.call(
    { args: `${label}, device ${device}, ${access}`, objectId: id, situation: { access, pool: situationOfPool(pool) } },
    (cuda) => cuda.memPoolSetAccess(pool.pool, device, accessFlags[access]),
  );
  const others = pool.record.access.filter((one) => one.device !== device);
  pool.record = { ...pool.record, access: access === 'none' ? others : [...others, { device, access }] };
  host.report.put('pools', pool.record);
}

/** Whether a device may use the memory of a pool, as far as this process knows. */
export const isAllowed = ({ record }: Pool, device: number): boolean =>
  record.access.some((one) => one.device === device && one.access === 'read-write');

/** cuMemPoolDestroy. */
export function destroy(host: HostState, { id }: CheckedArgs<'pools.destroy'>): undefined {
  destroyPool(host, host.objects.livePool(id));
}

/** The same at once, for a pool. */
export function destroyPool(host: HostState, pool: Pool): void {
  const { id, label } = pool.record;
  host.session.use(pool.usedOn);
  host.session.call({ args: label, objectId: id, situation: () => situation(host, pool) }, (cuda) =>
    cuda.memPoolDestroy(pool.pool),
  );
  pool.record = { ...pool.record, state: 'destroyed', endedAt: Date.now() };
  host.report.put('pools', pool.record);
  if (pool.export) endExport(host, pool.export);
}

/** Pointers of an imported pool that are open here: while there are any, the driver refuses some calls. */
export function openPointers(host: HostState, pool: Pool): number {
  return [...host.objects.mappings.values()].filter((one) => one.pool === pool && one.record.state === 'open').length;
}

const situation = (host: HostState, pool: Pool): Situation => ({
  pool: { ...situationOfPool(pool), openPointers: openPointers(host, pool) },
});

/** The pool that memory is to be allocated from; refused when it is of another device. */
export function poolFor(host: HostState, device: number, poolId: string | undefined): Pool {
  if (poolId === undefined) return shareablePool(host, device);
  const pool = host.objects.livePool(poolId);
  if (pool.record.device === device) return pool;
  throw invalid(
    `${pool.record.label} has memory of device ${pool.record.device}, not of device ${device}.`,
    `Allocate on device ${pool.record.device}; other devices use that memory when they are given access to the pool.`,
  );
}
