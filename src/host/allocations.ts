/** Own buffers: allocate, fill, free. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { formatSize } from '#contract/units';
import type { MemoryKind } from '#contract/values';
import { type DevicePtr, PointerAttribute, toAddress } from '#native/cuda/index';
import { stopAnimation } from './animations';
import { endExport } from './exports';
import { fillAllocation } from './fills';
import type { HostState } from './host-state';
import { allocateUnshared, isUnshared } from './memory-kinds';
import type { OwnAllocation } from './objects';
import { allocateFromPool, poolFor, refreshUsage } from './pools';
import { closed, invalid } from './problems';
import { createBuffer, freeRange } from './virtual-memory';

type Args = CheckedArgs<'buffers.create'>;

/** Allocates by the kind of memory, then fills. Frees again when the fill fails: nobody knows the buffer yet. */
export async function create(host: HostState, args: Args): Promise<CallValue<'buffers.create'>> {
  const { device, fill, poolId } = args;
  const { session, objects } = host;
  const memory = args.memory ?? (poolId === undefined ? 'device' : 'pool');
  if (poolId !== undefined && memory !== 'pool') {
    throw invalid(`Memory of the kind ${memory} does not come from a pool of this process.`, 'Leave out poolId.');
  }
  session.use(device);
  // Allocating may wait for everything that runs in the context.
  await host.delays.settled(device);
  session.use(device);
  const own = await allocate(host, { ...args, memory });
  const { id } = own.record;
  objects.add(objects.allocations, own);
  try {
    await fillAllocation(host, own, fill ?? { pattern: 'zero' });
  } catch (thrown) {
    // When the host is ending, the shutdown frees it with the others.
    if (!host.ending) {
      objects.allocations.delete(id);
      try {
        freeMemory(host, own);
      } catch {
        // In the log. Why it could not be filled says more.
      }
    }
    throw thrown;
  }
  host.report.put('allocations', own.record);
  const { address, bytes } = own.record;
  return { id, address, bytes };
}

/** Memory of a kind, not filled yet. */
async function allocate(host: HostState, args: Args & { memory: MemoryKind }): Promise<OwnAllocation> {
  const { device, bytes, memory, dtype = 'u8' } = args;
  const { session, objects } = host;
  const label = args.label || objects.defaultLabel('buffer');
  const id = objects.nextId('a');
  const facts = { id, label, device, bytes, dtype };
  const about = {
    args: `${label}, ${formatSize(bytes)}`,
    objectId: id,
    situation: () => ({ bytes, freeBytes: freeBytes(host) }),
  };
  if (memory === 'virtual') return { ...createBuffer(host, facts), ...filledWith(args) };
  if (memory === 'pool') {
    const pool = poolFor(host, device, args.poolId);
    const pointer = await allocateFromPool(host, pool, bytes, about);
    return { ...ownAllocation(host, { ...facts, memory, pointer, poolId: pool.record.id }), ...filledWith(args), pool };
  }
  if (isUnshared(memory)) {
    const { pointer, free } = await allocateUnshared(host, memory, bytes, device, about);
    return { ...ownAllocation(host, { ...facts, memory, pointer }), ...filledWith(args), free };
  }
  const pointer = session.call(about, (cuda) => cuda.memAlloc(bytes));
  const own = ownAllocation(host, { ...facts, memory, pointer });
  own.record = { ...own.record, blockBytes: blockBytes(host, own) };
  return { ...own, ...filledWith(args) };
}

type NewAllocation = Pick<OwnAllocation['record'], 'id' | 'label' | 'device' | 'bytes' | 'dtype' | 'memory'> & {
  readonly pointer: DevicePtr;
  readonly poolId?: string;
};

function ownAllocation(host: HostState, { pointer, ...facts }: NewAllocation): OwnAllocation {
  return {
    record: {
      ...facts,
      peerId: host.peerId,
      address: toAddress(pointer),
      blockBytes: null,
      state: 'live',
      createdAt: Date.now(),
    },
    pointer,
    fill: { pattern: 'zero' },
    fillNumber: 0,
  };
}

const filledWith = ({ fill = { pattern: 'zero' } }: Args): Pick<OwnAllocation, 'fill'> => ({ fill });

export async function fill(host: HostState, { id, fill }: CheckedArgs<'buffers.fill'>): Promise<undefined> {
  const own = host.objects.liveAllocation(id);
  stopAnimation(host, own);
  own.fill = fill;
  await fillAllocation(host, own, fill);
}

/** Waits, without blocking others, for work that was queued on purpose: the driver would block for it. */
export async function free(host: HostState, { id }: CheckedArgs<'buffers.free'>): Promise<undefined> {
  const own = host.objects.liveAllocation(id);
  stopAnimation(host, own);
  await host.delays.settled(own.record.device);
  await host.jobs.endOf(id, closed(`${own.record.label} was freed.`));
  host.objects.liveAllocation(id);
  freeMemory(host, own);
  if (own.pool === undefined) return;
  await host.memoryStreams.idle(own.record.device);
  refreshUsage(host, own.pool);
}

/** Frees at once and marks the allocation and its export. Memory of a pool may still be on its way out. */
export function freeMemory(host: HostState, own: OwnAllocation): void {
  giveBack(host, own);
  const known = host.objects.allocations.has(own.record.id);
  const unmapped = own.range === undefined ? {} : { chunks: [], access: [] };
  own.record = { ...own.record, ...unmapped, state: 'freed', endedAt: Date.now() };
  if (known) host.report.put('allocations', own.record);
  if (own.export) endExport(host, own.export);
}

/** By the kind of memory: each has one right way. */
function giveBack(host: HostState, own: OwnAllocation): void {
  const { id, label, device } = own.record;
  const about = { args: label, objectId: id };
  const { free, pool, range, pointer } = own;
  if (range !== undefined) {
    freeRange(host, own);
    return;
  }
  const stream = pool === undefined ? undefined : host.memoryStreams.of(device);
  host.session.use(device);
  host.session.call(about, (cuda) => {
    if (stream !== undefined) cuda.memFreeAsync(pointer, stream);
    else if (free !== undefined) free(cuda);
    else cuda.memFree(pointer);
  });
}

/** Size of the driver block around an allocation: what its handle really exposes. `null` when the driver will not say. */
function blockBytes(host: HostState, { pointer, record }: OwnAllocation): number | null {
  try {
    const args = `${record.label}, MAPPING_SIZE`;
    return Number(
      host.session.call({ args, objectId: record.id }, (cuda) =>
        cuda.pointerGetAttribute(PointerAttribute.MAPPING_SIZE, pointer),
      ),
    );
  } catch {
    return null;
  }
}

function freeBytes(host: HostState): number | undefined {
  try {
    return host.session.call({ args: '' }, (cuda) => cuda.memGetInfo().freeBytes);
  } catch {
    return undefined;
  }
}
