/** Own buffers: allocate, fill, free. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { formatSize } from '#contract/units';
import { PointerAttribute, toAddress } from '#native/cuda/index';
import { stopAnimation } from './animations';
import { endExport } from './exports';
import { fillAllocation } from './fills';
import type { HostState } from './host-state';
import type { OwnAllocation } from './objects';

/** cuMemAlloc_v2, then the fill. Frees again when the fill fails: nobody knows the buffer yet. */
export async function create(
  host: HostState,
  { device, bytes, label, dtype, fill }: CheckedArgs<'buffers.create'>,
): Promise<CallValue<'buffers.create'>> {
  const { session, objects } = host;
  session.use(device);
  // cuMemAlloc may wait for everything that runs in the context.
  await host.delays.settled(device);
  session.use(device);
  const name = label || objects.defaultLabel('buffer');
  const id = objects.nextId('a');
  const pointer = session.call(
    {
      args: `${name}, ${formatSize(bytes)}`,
      objectId: id,
      situation: () => ({ bytes, freeBytes: freeBytes(host) }),
    },
    (cuda) => cuda.memAlloc(bytes),
  );
  const own: OwnAllocation = {
    record: {
      id,
      peerId: host.peerId,
      label: name,
      memory: 'device',
      dtype: dtype ?? 'u8',
      device,
      bytes,
      address: toAddress(pointer),
      blockBytes: null,
      state: 'live',
      createdAt: Date.now(),
    },
    pointer,
    fill: fill ?? { pattern: 'zero' },
    fillNumber: 0,
  };
  objects.add(objects.allocations, own);
  try {
    own.record = { ...own.record, blockBytes: blockBytes(host, own) };
    await fillAllocation(host, own, own.fill);
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
  return { id, address: own.record.address, bytes };
}

export async function fill(host: HostState, { id, fill }: CheckedArgs<'buffers.fill'>): Promise<undefined> {
  const own = host.objects.liveAllocation(id);
  stopAnimation(host, own);
  own.fill = fill;
  await fillAllocation(host, own, fill);
}

/** cuMemFree_v2. Waits, without blocking others, for work that was queued on purpose: the driver would block for it. */
export async function free(host: HostState, { id }: CheckedArgs<'buffers.free'>): Promise<undefined> {
  const own = host.objects.liveAllocation(id);
  stopAnimation(host, own);
  await host.delays.settled(own.record.device);
  host.objects.liveAllocation(id);
  freeMemory(host, own);
}

/** Frees at once and marks the allocation and its export. */
export function freeMemory(host: HostState, own: OwnAllocation): void {
  const { id, label, device } = own.record;
  host.session.use(device);
  host.session.call({ args: label, objectId: id }, (cuda) => cuda.memFree(own.pointer));
  const known = host.objects.allocations.has(id);
  own.record = { ...own.record, state: 'freed', endedAt: Date.now() };
  if (known) host.report.put('allocations', own.record);
  if (own.export) endExport(host, own.export);
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
