/**
 * Imported virtual memory: pieces of physical memory, mapped side by side at addresses of this process. Each open imports
 * anew; opening the same again is counted here (`again`), as the driver does not count it.
 */
import type { InternalCalls, OpenedMapping } from '#contract/host-protocol';
import type { HostState } from './host-state';
import { addMapping, addReference, dropReference, openedOf, viewIn } from './mapping-records';
import type { OpenMapping, Physical } from './objects';
import { allowIn, freeAddresses, mapInto, release, reserveRange, withImported } from './virtual-memory';

type Args = InternalCalls['imports.openVirtual']['args'];

/** Imports, reserves, maps and gives the device access. Nothing is left when a step fails. */
export async function openVirtual(host: HostState, args: Args): Promise<OpenedMapping> {
  const { source, chunks, device, exportId } = args;
  const label = args.label || host.objects.defaultLabel('imported buffer');
  const total = chunks.reduce((sum, { bytes }) => sum + bytes, 0);
  viewIn(args, total, label);
  host.session.device(device);
  // Mapping may wait for everything that runs in the context.
  await host.delays.settled(device);
  const id = host.objects.nextId('m');
  const facts = { source, device, exportId, label };
  return withImported(host, facts, chunks, (imported) => openedOf(mapped(host, args, id, label, imported)), id);
}

function mapped(host: HostState, args: Args, id: string, label: string, imported: readonly Physical[]): OpenMapping {
  const { device, access, source, exportId } = args;
  const total = imported.reduce((sum, { record }) => sum + record.bytes, 0);
  const range = reserveRange(host, label, total, id);
  try {
    let at = 0;
    for (const physical of imported) {
      mapInto(host, range, label, at, physical, id);
      at += physical.record.bytes;
    }
    allowIn(host, range, label, device, access, id);
    const fabric = source.kind === 'fabric';
    return addMapping(host, {
      ...viewIn(args, total, label),
      id,
      mechanism: fabric ? 'fabric' : 'virtual',
      base: range.pointer,
      key: id,
      device,
      label,
      flags: 0,
      allocationBytes: total,
      handle: fabric ? source.handle : null,
      exportId,
      range,
      data: args.data,
    });
  } catch (thrown) {
    try {
      freeAddresses(host, range, label, id);
    } catch {
      // In the log. Why it was not mapped says more.
    }
    throw thrown;
  }
}

/** One more reference of what is open. */
export function again(host: HostState, { id, data }: InternalCalls['imports.again']['args']): OpenedMapping {
  const mapping = host.objects.openMapping(id);
  addReference(host, mapping, data);
  return openedOf(mapping);
}

/** One reference less; the last unmaps, gives the addresses back and releases the memory. */
export function dropVirtual(host: HostState, mapping: OpenMapping): void {
  const { range } = mapping;
  if (mapping.record.references === 1 && range !== undefined) {
    const { id, label, device } = mapping.record;
    const physicals = range.pieces.map(({ physical }) => physical);
    host.session.use(device);
    freeAddresses(host, range, label, id);
    for (const physical of physicals) if (physical.record.state === 'live') release(host, physical);
  }
  dropReference(host, mapping);
}
