/** What can be done with an object of the handle table, as a menu. The table and Details show the same. */
import type { MenuItem, MenuItems } from '../ui/Menu';
import { act } from './act';
import {
  closeMapping,
  destroyEvent,
  destroyPool,
  exportBuffer,
  exportEvent,
  exportPhysical,
  exportPool,
  focusPeer,
  importPhysical,
  importPool,
  openBuffer,
  openEvent,
  recordEvent,
  releasePhysical,
} from './actions';
import { copyText } from './clipboard';
import { copyHandle } from './copy-handle';
import { openDialog } from './dialogs';
import { type Child, type Group, groupsOf, liveExport, type MemoryGroup } from './groups';
import type { Ledger } from './ledger';
import { peerRuns } from './states';
import { targetOf } from './target';

/** `selfId`: the Inspector's own peer, which alone can be told to do something. */
export function objectMenu(ledger: Ledger, id: string | undefined, selfId: string): MenuItems {
  const group = id === undefined ? undefined : groupsOf(ledger).of.get(id);
  if (id === undefined || group === undefined) return [];
  const sections: MenuItem[][] = [
    openItems(ledger, group, id, selfId),
    kindItems(ledger, group, id, selfId),
    takeItems(ledger, group, id),
    endItems(group, id, selfId),
  ];
  return sections
    .filter((items) => items.length > 0)
    .flatMap((items, index) => (index === 0 ? items : ['line' as const, ...items]));
}

function openItems(ledger: Ledger, group: Group, id: string, selfId: string): MenuItem[] {
  const items: MenuItem[] = [];
  const exported = liveExport(group);
  const own = group.ownerId === selfId;
  if (own && exported === undefined && exportable(group)) {
    items.push({ label: 'Export', icon: 'key', onSelect: () => exportOwn(group) });
  }
  if (!own && exported !== undefined) {
    const mine = group.children.some(({ record }) => record.peerId === selfId && record.state === 'open');
    const run = openers[group.kind];
    items.push({
      label: mine ? 'Open again' : 'Open in Inspector',
      icon: 'import',
      onSelect: () => void run(exported.id, group.device, group.label),
    });
  }
  const holder = group.children.find(({ record }) => record.id === id)?.record.peerId ?? group.ownerId;
  const peer = holder === undefined ? undefined : ledger.peers.get(holder);
  if (peer !== undefined && (peer.role === 'producer' || peer.role === 'consumer') && peerRuns(peer)) {
    items.push({ label: `Show the window of ${peer.name}`, icon: 'screen', onSelect: () => void focusPeer(peer.id) });
  }
  return items;
}

/** How an object of each kind is exported, and opened elsewhere. */
const exporters = { memory: exportBuffer, event: exportEvent, pool: exportPool, physical: exportPhysical } as const;
export const exportOwn = ({ kind, id, label }: Group): void => void exporters[kind](id, label);
export const openers = { memory: openBuffer, event: openEvent, pool: importPool, physical: importPhysical } as const;

/** Whether its owner can export it: some memory can never be shared, and a range without memory not yet. */
export function exportable(group: Group): boolean {
  if (group.owner !== 'live') return false;
  switch (group.kind) {
    case 'event':
      return true;
    case 'pool':
      return group.pool?.shareable === true;
    case 'physical':
      return group.physical !== undefined && group.physical.shareable !== 'none';
    case 'memory':
      return (
        group.allocation !== undefined &&
        !['managed', 'pinned', 'mapped', 'default-pool'].includes(group.allocation.memory) &&
        group.allocation.chunks?.length !== 0
      );
  }
}

function kindItems(ledger: Ledger, group: Group, id: string, selfId: string): MenuItem[] {
  switch (group.kind) {
    case 'memory':
      return memoryItems(ledger, group, id, selfId);
    case 'event':
      return eventItems(group, id, selfId);
    case 'pool':
      return group.ownerId === selfId && group.owner === 'live'
        ? [
            {
              label: 'New buffer in it…',
              icon: 'buffer',
              onSelect: () => openDialog({ kind: 'new-buffer', poolId: group.id }),
            },
          ]
        : [];
    case 'physical': {
      const own = ownPhysicalId(group, id, selfId);
      return own === undefined
        ? []
        : [{ label: 'Map…', icon: 'plus', onSelect: () => openDialog({ kind: 'map', physicalId: own }) }];
    }
  }
}

/** Physical memory that the Inspector can map: its own, or its import, as long as it has not released it. */
export function ownPhysicalId(group: Group, id: string, selfId: string): string | undefined {
  if (group.kind !== 'physical') return undefined;
  if (group.ownerId === selfId) return group.owner === 'live' ? group.id : undefined;
  const mine = group.children.flatMap(({ record }) =>
    'physical' in record && record.peerId === selfId && record.physical.state === 'live' ? [record.id] : [],
  );
  return mine.find((one) => one === id) ?? mine[0];
}

function memoryItems(ledger: Ledger, group: MemoryGroup, id: string, selfId: string): MenuItem[] {
  const items: MenuItem[] = [];
  if (group.ownerId === selfId && group.owner === 'live')
    items.push({ label: 'Fill…', onSelect: () => openDialog({ kind: 'fill', id: group.id }) });
  const target = targetOf(ledger, id, selfId);
  if (target.kind === 'readable')
    items.push({ label: 'Write…', onSelect: () => openDialog({ kind: 'write', id: target.id }) });
  if (group.ownerId === selfId && group.owner === 'live' && group.allocation?.memory === 'virtual')
    items.push({ label: 'Map memory…', icon: 'plus', onSelect: () => openDialog({ kind: 'map', rangeId: group.id }) });
  const subject = ledger.mappings.has(id) || ledger.allocations.has(id) ? id : undefined;
  if (subject !== undefined)
    items.push({
      label: 'How can this be shared?',
      icon: 'question',
      onSelect: () => openDialog({ kind: 'verdict', id: subject }),
    });
  return items;
}

function eventItems(group: Group, id: string, selfId: string): MenuItem[] {
  const own = ownEventId(group, id, selfId);
  if (own === undefined) return [];
  return [{ label: 'Record', icon: 'event', onSelect: () => void recordEvent(own, group.label) }];
}

function takeItems(ledger: Ledger, group: Group, id: string): MenuItem[] {
  const items: MenuItem[] = [];
  const exported = liveExport(group);
  if (exported !== undefined && exported.kind !== 'pool') {
    // Virtual memory travels by file descriptors alone.
    if (exported.mechanism !== 'virtual')
      items.push({ label: 'Copy handle as hex', icon: 'copy', onSelect: () => void copyHandle(exported.id, 'hex') });
    items.push(
      { label: 'Code for the other side…', onSelect: () => openDialog({ kind: 'code', id: exported.id }) },
      { label: 'Descriptor…', onSelect: () => openDialog({ kind: 'code', id: exported.id, show: 'descriptor' }) },
    );
  }
  const address = ledger.mappings.get(id)?.address ?? (group.kind === 'memory' ? group.allocation?.address : undefined);
  if (address !== undefined)
    items.push({
      label: 'Copy address',
      detail: address,
      onSelect: () => void act('Copy the address', () => copyText(address), 'The address is copied'),
    });
  return items;
}

function endItems(group: Group, id: string, selfId: string): MenuItem[] {
  if (group.ownerId === selfId && group.owner === 'live') {
    return [
      {
        label: `${endVerb[group.kind]}…`,
        icon: 'cross',
        danger: true,
        onSelect: () => openDialog({ kind: 'free', id: group.id }),
      },
    ];
  }
  const mine = group.children.filter(({ record }) => record.peerId === selfId && record.state === 'open');
  const child = mine.find(({ record }) => record.id === id) ?? mine[0];
  if (child === undefined) return [];
  return [{ label: 'Close in Inspector', icon: 'cross', onSelect: () => closeChild(child, group.label) }];
}

/** What its owner does to end an object. */
export const endVerb = { memory: 'Free', event: 'Destroy', pool: 'Destroy', physical: 'Release' } as const;

const closers = {
  mapping: closeMapping,
  eventImport: destroyEvent,
  poolImport: destroyPool,
  physicalImport: releasePhysical,
} as const;

/** Lets go of what this process has open. */
export const closeChild = ({ type, record }: Child, label: string): void => void closers[type](record.id, label);

/** The event of the Inspector's own process behind a selected one: its own, or its import. */
export function ownEventId(group: Group, id: string, selfId: string): string | undefined {
  if (group.kind !== 'event') return undefined;
  if (group.ownerId === selfId && group.owner === 'live') return group.id;
  const mine = group.children.filter(({ record }) => record.peerId === selfId && record.state === 'open');
  return (mine.find(({ record }) => record.id === id) ?? mine[0])?.record.id;
}
