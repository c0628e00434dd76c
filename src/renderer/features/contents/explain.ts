/** Why the bytes of a selected object cannot be read here, in words, and what to do next. Pure. */
import type { Peer } from '#contract/records';
import { type Group, groupsOf, type MemoryGroup } from '../../lib/groups';
import type { Ledger } from '../../lib/ledger';
import { peerEnding, peerRuns } from '../../lib/states';
import type { Target } from '../../lib/target';

export type NextStep =
  | { readonly kind: 'open'; readonly exportId: string; readonly device: number; readonly label: string }
  | { readonly kind: 'window'; readonly peerId: string; readonly name: string }
  | { readonly kind: 'import' };

export interface Explanation {
  readonly title: string;
  readonly text: string;
  readonly next: NextStep | undefined;
  /** It ended, as opposed to: it was never open here. */
  readonly over: boolean;
}

const nameOf = (peer: Peer | undefined): string => peer?.name ?? 'another process';

/** The window of a process, when it is one of ours and runs. */
function windowOf(peer: Peer | undefined): NextStep | undefined {
  if (peer === undefined || !peerRuns(peer)) return undefined;
  if (peer.role !== 'producer' && peer.role !== 'consumer') return undefined;
  return { kind: 'window', peerId: peer.id, name: peer.name };
}

/** Undefined for what can be read, and for events and nothing at all. */
export function explain(ledger: Ledger, objectId: string, target: Target, selfId: string): Explanation | undefined {
  if (target.kind === 'none') return withoutBytes(groupsOf(ledger).of.get(objectId));
  if (target.kind !== 'elsewhere' && target.kind !== 'over') return undefined;
  const { group } = target;
  const label = group.label || 'this memory';
  const owner = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const self = ledger.peers.get(selfId);
  const mine = group.children.find(({ record }) => record.peerId === selfId);
  if (self?.state === 'lost' || self?.state === 'exited') {
    return {
      title: `The Inspector’s own CUDA process ${peerEnding(self)}`,
      text: 'Its mappings and buffers went with it. Memory of other processes can be opened again.',
      next: openStep(target, label),
      over: true,
    };
  }
  if (target.kind === 'over') return { ...overText(group, label, owner, selfId), next: undefined, over: true };
  const open = openStep(target, label);
  if (mine?.record.state === 'closed') {
    return {
      title: `${label} is closed in Inspector`,
      text: open
        ? 'The memory still exists. Open it again to read it.'
        : `Others still hold it, but ${whyNoHandle(group, owner)}.`,
      next: open ?? holderStep(ledger, group),
      over: true,
    };
  }
  if (open) {
    return {
      title: `${label} is not open in Inspector`,
      text: `${nameOf(owner)} exports it. Opening its handle maps the same memory here and adds a reference until you close it.`,
      next: open,
      over: false,
    };
  }
  if (group.owner === 'unknown') {
    const holder = group.children.find(({ record }) => record.id === objectId) ?? group.children[0];
    return {
      title: `${label} is not open in Inspector`,
      text: `${nameOf(ledger.peers.get(holder?.record.peerId ?? ''))} opened it from a handle of another program. Import the same handle to read it here.`,
      next: { kind: 'import' },
      over: false,
    };
  }
  if (group.owner === 'live') {
    return {
      title: `${label} is not exported`,
      text: `Only ${nameOf(owner)} can read it until it exports the buffer.`,
      next: windowOf(owner),
      over: false,
    };
  }
  return {
    title:
      group.owner === 'freed'
        ? `${nameOf(owner)} freed ${label}`
        : `${nameOf(owner)} ${owner ? peerEnding(owner) : 'is gone'}`,
    text: `The bytes live on where they are still mapped, but ${whyNoHandle(group, owner)}.`,
    next: holderStep(ledger, group),
    over: false,
  };
}

/** Pools and physical memory have no address that could be read: what to look at instead. */
function withoutBytes(group: Group | undefined): Explanation | undefined {
  if (group?.kind === 'pool')
    return {
      title: `${group.label || 'A pool'} has no bytes of its own`,
      text: 'Select a buffer that is allocated in it: Details lists them.',
      next: undefined,
      over: false,
    };
  if (group?.kind === 'physical')
    return {
      title: `${group.label || 'Physical memory'} has no address`,
      text: 'Its bytes are seen where it is mapped: select one of its places in Details, or map it.',
      next: undefined,
      over: false,
    };
  return undefined;
}

function openStep(target: Target, label: string): NextStep | undefined {
  if (target.kind !== 'elsewhere' || target.openable === undefined) return undefined;
  return { kind: 'open', exportId: target.openable.id, device: target.group.device, label };
}

function whyNoHandle(group: MemoryGroup, owner: Peer | undefined): string {
  if (group.owner === 'freed') return 'its handle does not open freed memory again, and may open newer memory instead';
  if (group.owner === 'gone') return `the driver knows no exporter for its handle since ${nameOf(owner)} ended`;
  return 'there is no handle to open it with';
}

/** Somebody whose window still shows the bytes. */
function holderStep(ledger: Ledger, group: MemoryGroup): NextStep | undefined {
  for (const { record } of group.children) {
    if (record.state !== 'open') continue;
    const step = windowOf(ledger.peers.get(record.peerId));
    if (step) return step;
  }
  return undefined;
}

function overText(
  group: MemoryGroup,
  label: string,
  owner: Peer | undefined,
  selfId: string,
): { title: string; text: string } {
  const held = group.children.length > 0 ? 'Nobody holds it any more' : 'Nobody else had it open';
  if (group.owner === 'gone')
    return {
      title: `${nameOf(owner)} ${owner ? peerEnding(owner) : 'is gone'}`,
      text: `${held}: the memory of ${label} is gone.`,
    };
  if (group.owner === 'freed') {
    const who = group.ownerId === selfId ? 'Inspector' : nameOf(owner);
    return { title: `${who} freed ${label}`, text: `${held}: the bytes are gone.` };
  }
  return {
    title: `${label} is closed`,
    text: 'No process of this app has it open. Import its handle again to read it.',
  };
}
