/** Imported memory: open, count, close. It is never freed here: it belongs to its exporter. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { decodeMemoryHandle, leadsOutOfBlock } from '#contract/handle-layout';
import type { InternalCalls } from '#contract/host-protocol';
import { formatCount } from '#contract/units';
import { asMemHandle } from '#native/cuda/index';
import type { HostState } from './host-state';
import { addMapping, addReference, dropReference, openedOf, sizeAt, viewIn } from './mapping-records';
import type { OpenMapping } from './objects';
import { dropPointer, settlePointer } from './pool-mappings';
import { closed, invalid } from './problems';
import { sameBytes, situationOfHandle } from './situations';
import { dropVirtual } from './virtual-mappings';

type Open = InternalCalls['imports.open'];

/** cuIpcOpenMemHandle_v2. The same handle with the same view is one more reference of the same mapping. */
export async function open(host: HostState, args: Open['args']): Promise<Open['value']> {
  const { handle, device, flags } = args;
  const { session, objects } = host;
  if (leadsOutOfBlock(handle)) throw damaged(handle);
  session.use(device);
  // Mapping may wait for everything that runs in the context.
  await host.delays.settled(device);
  session.use(device);
  const before = opened(host, handle, device);
  // What a handle from another program is called nobody knows; one more view of it is called as the first.
  const label = args.label || before[0]?.record.label || objects.defaultLabel('imported buffer');
  const nextReference = before.reduce((sum, { record }) => sum + record.references, 1);
  const base = session.call(
    {
      args: (result) =>
        `${label}, flags ${flags}${result === 0 && nextReference > 1 ? ` → reference ${nextReference}` : ''}`,
      situation: () => situationOfHandle(host, handle, flags),
    },
    (cuda) => cuda.ipcOpenMemHandle(asMemHandle(handle), flags),
  );
  try {
    const open = objects.openAt(base);
    const allocationBytes = open[0]?.record.allocationBytes ?? sizeAt(host, base, label);
    const view = viewIn(args, allocationBytes, label);
    const key = `${base} ${device} ${flags} ${view.offset} ${view.length}`;
    const same = open.find((mapping) => mapping.key === key);
    if (same) addReference(host, same, args.data);
    const { data } = args;
    const facts = {
      mechanism: 'legacy',
      base,
      key,
      device,
      label,
      flags,
      allocationBytes,
      handle,
      data,
      ...view,
    } as const;
    return openedOf(same ?? addMapping(host, facts));
  } catch (thrown) {
    session.call({ args: `${label}, view refused` }, (cuda) => cuda.ipcCloseMemHandle(base));
    throw thrown;
  }
}

/** One reference less, by the mechanism that it was opened with. */
export async function close(
  host: HostState,
  { id }: CheckedArgs<'imports.close'>,
): Promise<CallValue<'imports.close'>> {
  // Unmapping may wait for everything that runs in the context.
  await host.delays.settled(host.objects.openMapping(id).record.device);
  const { references: before, label } = host.objects.openMapping(id).record;
  if (before === 1) await host.jobs.endOf(id, closed(`The mapping of ${label} was closed.`));
  const mapping = host.objects.openMapping(id);
  closeReference(host, mapping);
  const { references, state } = mapping.record;
  if (mapping.pool !== undefined) await settlePointer(host, mapping);
  return { references, state };
}

/** The same at once; memory of a pool may still be on its way out. */
export function closeReference(host: HostState, mapping: OpenMapping): void {
  if (mapping.pool !== undefined) dropPointer(host, mapping);
  else if (mapping.range !== undefined) dropVirtual(host, mapping);
  else closeHandle(host, mapping);
}

/** cuIpcCloseMemHandle. */
function closeHandle(host: HostState, mapping: OpenMapping): void {
  const { id, label, device } = mapping.record;
  host.session.use(device);
  const references = mapping.record.references - 1;
  host.session.call(
    {
      args: (result) => (result === 0 && references > 0 ? `${label} → ${references} left` : label),
      objectId: id,
    },
    (cuda) => cuda.ipcCloseMemHandle(mapping.base),
  );
  dropReference(host, mapping);
}

/** The driver would open it, and the first read would end the context. */
function damaged(handle: Uint8Array): Error {
  const { allocationBytes, offsetInBlock, blockPages } = decodeMemoryHandle(handle);
  const bytes = (value: number): string => `${formatCount(value)} bytes`;
  return invalid(
    `The handle names ${bytes(Number(allocationBytes))} at offset ${formatCount(offsetInBlock)} of a block of ${bytes(blockPages * 4096)}: they are not all in it.`,
    'A byte of it was changed. The driver would open it all the same, and reading there ends the context of this process.',
  );
}

/** What this process has open of a handle on a device: the driver counts all views together. */
const opened = (host: HostState, handle: Uint8Array, device: number): OpenMapping[] =>
  [...host.objects.mappings.values()].filter(
    ({ record }) => record.state === 'open' && record.device === device && sameBytes(record.handle, handle),
  );
