/** What is known of something in a pasted text before the driver is asked. Pure. */
import type { PastedItem } from '#contract/calls/handles';
import { parseDescriptor, type ShareDescriptor } from '#contract/descriptor';
import type { Peer } from '#contract/records';
import { formatCount, formatSize } from '#contract/units';
import type { Table } from '../../../lib/ledger';
import { peerRuns } from '../../../lib/states';

/** How something is opened; `unknown` where the bytes do not say whether they are memory or an event. */
export type Way = ShareDescriptor['mechanism'] | 'unknown';

/** The descriptor of an item that is one. */
export function descriptorOf(item: PastedItem): ShareDescriptor | undefined {
  if (item.descriptor === undefined) return undefined;
  const reading = parseDescriptor(item.descriptor);
  return reading.ok ? reading.descriptor : undefined;
}

export function wayOfItem(item: PastedItem): Way {
  switch (item.kind) {
    case 'cuda-ipc-event':
      return 'event';
    case 'cuda-pool-pointer':
      return 'pool';
    case 'cuda-ipc-memory':
    case 'pytorch-storage':
      return 'legacy';
    case 'pytorch-expandable':
      return 'virtual';
    default:
      return descriptorOf(item)?.mechanism ?? 'unknown';
  }
}

export interface Known {
  /** `note`: neither good nor bad. */
  readonly sure: 'yes' | 'no' | 'unknown' | 'note';
  readonly text: string;
  readonly detail: string;
}

/** What the handle's pid means here. `selfId` is the process that would open it. */
export function exporterKnown(pid: number | undefined, peers: Table<'peers'>, selfId: string): Known {
  if (pid === undefined)
    return { sure: 'unknown', text: 'Exporter unknown', detail: 'the bytes do not have the layout that is known' };
  const same = [...peers.values()].filter((peer: Peer) => peer.pid === pid);
  const peer = same.find(peerRuns) ?? same.at(-1);
  if (peer === undefined || peer.role === 'outside')
    return { sure: 'unknown', text: `pid ${pid}`, detail: 'a process outside of this app' };
  if (peer.id === selfId)
    return { sure: 'no', text: `pid ${pid}`, detail: 'this process: the driver refuses to open it here' };
  if (!peerRuns(peer)) return { sure: 'no', text: `pid ${pid}`, detail: `${peer.name}, which is gone` };
  return { sure: 'yes', text: `pid ${pid}`, detail: `${peer.name}, alive, not this process` };
}

export interface Here {
  readonly peers: Table<'peers'>;
  readonly selfId: string;
  /** The device that it would be opened on. */
  readonly device: number;
  /** Whether the layout of handles was seen to hold with this driver: what the bytes say counts only then. */
  readonly layoutChecked: boolean;
}

/** All that is known of an item, the most important first. */
export function itemFacts(item: PastedItem, here: Here): readonly Known[] {
  const given = descriptorOf(item);
  const way = wayOfItem(item);
  const said = given !== undefined || here.layoutChecked;
  return [
    { sure: 'yes', text: item.source, detail: sizeWords(item) },
    ownExporter(exporterKnown(said ? (given?.exporter.pid ?? item.pid) : undefined, here.peers, here.selfId), way),
    // PyTorch's segments do not name their device: the descriptor that was made of them has the one that is chosen here.
    ...(given === undefined || item.kind === 'pytorch-expandable'
      ? [deviceKnown(item, here.device)]
      : [{ sure: 'yes' as const, text: `GPU ${here.device}`, detail: given.device.uuid }]),
    ...dataKnown(item, said),
    ...travelKnown(given),
    ...besides(item),
  ];
}

/** Only legacy handles and events name their process to the driver. */
const ownExporter = (known: Known, way: Way): Known =>
  known.sure === 'no' && known.detail.startsWith('this process') && (way === 'pool' || way === 'virtual')
    ? { ...known, sure: 'note', detail: 'this process' }
    : known;

function sizeWords({ size, offset, handle, descriptor, source }: PastedItem): string {
  if (size !== undefined && size > 0) return `${formatCount(size)} bytes at offset ${formatCount(offset ?? 0)}`;
  if (descriptor !== undefined) return '';
  return handle === null || source.startsWith('64 bytes') ? '' : '64 bytes';
}

const deviceKnown = ({ device }: PastedItem, chosen: number): Known => ({
  sure: device === undefined ? 'unknown' : 'yes',
  text: `GPU ${chosen}`,
  detail:
    device === undefined ? 'the handle does not say which' : `the text says device ${device}, as its program counts`,
});

function dataKnown({ dtype, shape, allocationSize }: PastedItem, said: boolean): Known[] {
  const known: Known[] = [];
  if (dtype !== undefined)
    known.push({
      sure: 'yes',
      text: `Values of ${dtype}`,
      detail: shape === undefined ? '' : shape.length === 0 ? 'one value' : `shape ${shape.join(' × ')}`,
    });
  if (said && allocationSize !== undefined && allocationSize > 0)
    known.push({ sure: 'yes', text: formatSize(allocationSize), detail: 'the allocation that it is in' });
  return known;
}

function travelKnown(given: ShareDescriptor | undefined): Known[] {
  const fds = given?.descriptors ?? [];
  if (given === undefined || fds.length === 0) return [];
  const numbers = fds.length > 4 ? `${fds.length} descriptors` : `fd ${fds.map(({ fd }) => fd).join(', ')}`;
  return [{ sure: 'note', text: numbers, detail: `copied out of process ${given.exporter.pid}, or sent by it` }];
}

/** What PyTorch sends beside the memory. */
function besides(item: PastedItem): Known[] {
  const known: Known[] = [];
  if (item.eventHandle !== undefined)
    known.push({
      sure: 'note',
      text: 'With an event',
      detail:
        item.eventSyncRequired === false
          ? 'not recorded: nothing to wait for'
          : 'it says when the bytes are complete: wait for it before reading',
    });
  if (item.refCounterFile !== undefined)
    known.push({
      sure: 'note',
      text: `Counted in ${item.refCounterFile}${item.refCounterOffset ? ` at ${item.refCounterOffset}` : ''}`,
      detail:
        'PyTorch counts readers there. Opening it here does not, so its program may use the memory again meanwhile',
    });
  return known;
}
