/** What can be done with an object of the handle table, as a menu. The table and Details show the same. */
import type { MenuItem, MenuItems } from '../ui/Menu';
import { act } from './act';
import {
  closeMapping,
  destroyEvent,
  exportBuffer,
  exportEvent,
  focusPeer,
  openBuffer,
  openEvent,
  recordEvent,
} from './actions';
import { copyText } from './clipboard';
import { copyHandle } from './copy-handle';
import { openDialog } from './dialogs';
import { type Group, groupsOf, liveExport } from './groups';
import type { Ledger } from './ledger';
import { peerRuns } from './states';
import { targetOf } from './target';

/** `selfId`: the Inspector's own peer, which alone can be told to do something. */
export function objectMenu(ledger: Ledger, id: string | undefined, selfId: string): MenuItems {
  const group = id === undefined ? undefined : groupsOf(ledger).of.get(id);
  if (id === undefined || group === undefined) return [];
  const sections: MenuItem[][] = [
    openItems(ledger, group, id, selfId),
    group.kind === 'memory' ? memoryItems(ledger, group, id, selfId) : eventItems(group, id, selfId),
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
  if (own && exported === undefined && group.owner === 'live') {
    const run = group.kind === 'memory' ? exportBuffer : exportEvent;
    items.push({ label: 'Export', icon: 'key', onSelect: () => void run(group.id, group.label) });
  }
  if (!own && exported !== undefined) {
    const mine = group.children.some(({ record }) => record.peerId === selfId && record.state === 'open');
    const run = group.kind === 'memory' ? openBuffer : openEvent;
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

function memoryItems(ledger: Ledger, group: Group, id: string, selfId: string): MenuItem[] {
  const items: MenuItem[] = [];
  if (group.ownerId === selfId && group.owner === 'live')
    items.push({ label: 'Fill…', onSelect: () => openDialog({ kind: 'fill', id: group.id }) });
  const target = targetOf(ledger, id, selfId);
  if (target.kind === 'readable')
    items.push({ label: 'Write…', onSelect: () => openDialog({ kind: 'write', id: target.id }) });
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
  if (exported !== undefined) {
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
    const label = group.kind === 'memory' ? 'Free…' : 'Destroy…';
    return [{ label, icon: 'cross', danger: true, onSelect: () => openDialog({ kind: 'free', id: group.id }) }];
  }
  const mine = group.children.filter(({ record }) => record.peerId === selfId && record.state === 'open');
  const child = mine.find(({ record }) => record.id === id) ?? mine[0];
  if (child === undefined) return [];
  const run = child.type === 'mapping' ? closeMapping : destroyEvent;
  return [{ label: 'Close in Inspector', icon: 'cross', onSelect: () => void run(child.record.id, group.label) }];
}

/** The event of the Inspector's own process behind a selected one: its own, or its import. */
export function ownEventId(group: Group, id: string, selfId: string): string | undefined {
  if (group.kind !== 'event') return undefined;
  if (group.ownerId === selfId && group.owner === 'live') return group.id;
  const mine = group.children.filter(({ record }) => record.peerId === selfId && record.state === 'open');
  return (mine.find(({ record }) => record.id === id) ?? mine[0])?.record.id;
}
