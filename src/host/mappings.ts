/** Imported memory: open, count, close. It is never freed here: it belongs to its exporter. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { decodeMemoryHandle, leadsOutOfBlock } from '#contract/handle-layout';
import type { InternalCalls } from '#contract/host-protocol';
import { fitsIn } from '#contract/ranges';
import { formatCount } from '#contract/units';
import { asMemHandle, type DevicePtr, toAddress } from '#native/cuda/index';
import type { HostState } from './host-state';
import type { OpenMapping } from './objects';
import { invalid, outOfRange } from './problems';
import { sameBytes, situationOfHandle } from './situations';

type Open = InternalCalls['imports.open'];

/** cuIpcOpenMemHandle_v2. The same handle with the same view is one more reference of the same mapping. */
export async function open(host: HostState, args: Open['args']): Promise<Open['value']> {
  const { handle, device, flags, offset = 0 } = args;
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
    const open = [...objects.mappings.values()].filter((one) => one.record.state === 'open' && one.base === base);
    const allocationBytes = open[0]?.record.allocationBytes ?? sizeOf(host, base, label);
    const length = args.length ?? allocationBytes - offset;
    if (length < 1 || !fitsIn({ offset, length }, allocationBytes)) {
      throw outOfRange({ offset, length: args.length ?? 1 }, label, allocationBytes);
    }
    const key = `${base} ${device} ${flags} ${offset} ${length}`;
    const same = open.find((mapping) => mapping.key === key);
    const mapping = same ?? newMapping(host, { args: { ...args, label }, base, key, offset, length, allocationBytes });
    if (same) {
      same.record = { ...same.record, references: same.record.references + 1 };
      host.report.put('mappings', same.record);
    }
    const { id, address, bytes, references, state } = mapping.record;
    return { id, address, bytes, references, state };
  } catch (thrown) {
    session.call({ args: `${label}, view refused` }, (cuda) => cuda.ipcCloseMemHandle(base));
    throw thrown;
  }
}

/** cuIpcCloseMemHandle: one reference less. */
export async function close(
  host: HostState,
  { id }: CheckedArgs<'imports.close'>,
): Promise<CallValue<'imports.close'>> {
  // Unmapping may wait for everything that runs in the context.
  await host.delays.settled(host.objects.openMapping(id).record.device);
  return closeReference(host, host.objects.openMapping(id));
}

/** The same at once. */
export function closeReference(host: HostState, mapping: OpenMapping): CallValue<'imports.close'> {
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
  const ended = references === 0 ? ({ state: 'closed', closedAt: Date.now() } as const) : {};
  mapping.record = { ...mapping.record, references, ...ended };
  host.report.put('mappings', mapping.record);
  return { references, state: mapping.record.state };
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

function sizeOf(host: HostState, base: DevicePtr, label: string): number {
  const range = host.session.call({ args: label }, (cuda) => cuda.memGetAddressRange(base));
  if (!range) throw new Error(`the driver has no range for ${toAddress(base)}, which it has just mapped`);
  return range.bytes;
}

interface NewMapping {
  readonly args: Open['args'];
  readonly base: DevicePtr;
  readonly key: string;
  readonly offset: number;
  readonly length: number;
  readonly allocationBytes: number;
}

function newMapping(host: HostState, { args, base, key, offset, length, allocationBytes }: NewMapping): OpenMapping {
  const mapping: OpenMapping = {
    record: {
      id: host.objects.nextId('m'),
      peerId: host.peerId,
      mechanism: 'legacy',
      exportId: null,
      exporterPeerId: null,
      label: args.label,
      device: args.device,
      address: toAddress(base + BigInt(offset)),
      bytes: length,
      offset,
      allocationBytes,
      flags: args.flags,
      references: 1,
      state: 'open',
      // Main knows whose it is, and asks the process table; a host sees its own side only.
      exporter: 'unknown',
      openedAt: Date.now(),
      handle: args.handle,
    },
    base,
    key,
  };
  host.objects.add(host.objects.mappings, mapping);
  host.report.put('mappings', mapping.record);
  return mapping;
}
