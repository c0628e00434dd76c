/**
 * Imported memory of pools. However often the driver is asked for the same memory it gives the same address, and one free
 * ends them all (measured): so references are counted here, and the last one frees.
 */
import type { InternalCalls, OpenedMapping } from '#contract/host-protocol';
import { asPoolPointer } from '#native/cuda/index';
import { situationOfPool } from './exports';
import type { HostState } from './host-state';
import { addMapping, addReference, dropReference, openedOf, sizeAt, viewIn } from './mapping-records';
import type { OpenMapping, Pool } from './objects';
import { ownBytes, refuseTooLarge } from './pool-pointer-size';
import { allow, destroyPool, importPool, isAllowed, openPointers } from './pools';
import { invalid } from './problems';

/** Imports the pool for this memory alone, and then the memory. A pool that is here already is used as it is. */
export async function openPool(
  host: HostState,
  { source, pool: facts, ...args }: InternalCalls['imports.openPool']['args'],
): Promise<OpenedMapping> {
  const pool = await importPool(host, { ...facts, source }, true);
  try {
    return await openPointer(host, { ...args, poolId: pool.record.id, access: true });
  } catch (thrown) {
    destroyUnused(host, pool);
    throw thrown;
  }
}

/** cuMemPoolImportPointer. */
export async function openPointer(
  host: HostState,
  args: InternalCalls['imports.openPointer']['args'],
): Promise<OpenedMapping> {
  const { handle, device, exportId } = args;
  const { session, objects, memoryStreams } = host;
  const pool = objects.livePool(args.poolId);
  if (!pool.record.imported) {
    throw invalid(
      `${pool.record.label} is a pool of this process: its memory is here already.`,
      'Memory is imported into an imported pool.',
    );
  }
  refuseTooLarge(handle, ownBytes(host, exportId));
  session.device(device);
  // What is being freed at this address has to be gone before it is imported again.
  await memoryStreams.idle(device);
  objects.livePool(args.poolId);
  if (args.access && !isAllowed(pool, device)) allow(host, pool, device, 'read-write');
  session.use(device);
  const label = args.label || objects.defaultLabel('imported buffer');
  const base = session.call(
    {
      args: `${label}, ${pool.record.label}`,
      situation: { pool: situationOfPool(pool), handle: zeroOrUnknown(handle) },
    },
    (cuda) => cuda.memPoolImportPointer(pool.pool, asPoolPointer(handle)),
  );
  const open = objects.openAt(base);
  try {
    const allocationBytes = sizeAt(host, base, label);
    const { offset, length } = viewIn(args, allocationBytes, label);
    // What its owner freed and what has its place now have one address, and may have the same 64 bytes.
    const of = exportId ?? Buffer.from(handle).toString('base64');
    const key = `${base} ${device} ${offset} ${length} ${of}`;
    const same = open.find((mapping) => mapping.key === key);
    if (same) addReference(host, same, args.data);
    const mapping =
      same ??
      addMapping(host, {
        mechanism: 'pool',
        base,
        key,
        device,
        label,
        flags: 0,
        offset,
        length,
        allocationBytes,
        handle,
        exportId,
        pool,
        data: args.data,
      });
    return openedOf(mapping);
  } catch (thrown) {
    if (open.length === 0) {
      const stream = memoryStreams.of(device);
      session.call({ args: `${label}, view refused` }, (cuda) => cuda.memFreeAsync(base, stream));
    }
    throw thrown;
  }
}

const zeroOrUnknown = (handle: Uint8Array) => (handle.every((byte) => byte === 0) ? 'zero' : 'unknown');

/** One reference less. The last one of the memory frees it, in the stream for that. */
export function dropPointer(host: HostState, mapping: OpenMapping): void {
  const { id, label, device } = mapping.record;
  const others = host.objects.openAt(mapping.base).some((other) => other !== mapping);
  if (mapping.record.references === 1 && !others) {
    const stream = host.memoryStreams.of(device);
    host.session.call({ args: label, objectId: id }, (cuda) => cuda.memFreeAsync(mapping.base, stream));
  }
  dropReference(host, mapping);
}

/** Waits until memory that was freed is gone, and lets go of its pool when that was imported for it. */
export async function settlePointer(host: HostState, { record, pool }: OpenMapping): Promise<void> {
  if (record.state === 'open') return;
  await host.memoryStreams.idle(record.device);
  if (pool !== undefined) destroyUnused(host, pool);
}

/** Destroys a pool that was imported for mappings alone when none of them is left. */
function destroyUnused(host: HostState, pool: Pool): void {
  if (!pool.automatic || pool.record.state !== 'live' || openPointers(host, pool) > 0) return;
  try {
    destroyPool(host, pool);
  } catch {
    // In the log. The memory itself was freed.
  }
}
