import './details.css';
import { useEffect, useRef } from 'react';
import { announce } from '../../lib/announce';
import { useApp } from '../../lib/app-store';
import { type Group, groupsOf } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { useSelection } from '../../lib/selection-store';
import { groupState } from '../../lib/states';
import { EmptyState } from '../../ui/EmptyState';
import { DeviceDetails } from './DeviceDetails';
import { EventDetails } from './EventDetails';
import { MemoryDetails } from './MemoryDetails';
import { PeerDetails } from './PeerDetails';
import { PoolDetails } from './pool/PoolDetails';
import { PhysicalDetails } from './virtual/PhysicalDetails';

/** Who holds it: everything about what is selected. What is wrong with it comes first. */
export function Details() {
  return (
    // A region by name; it scrolls, so the keyboard has to be able to come in.
    <aside className="details" role="region" aria-label="Details" data-area="details">
      <Selected />
    </aside>
  );
}

function Selected() {
  const selection = useSelection((store) => store.selection);
  const devices = useApp((store) => store.devices);
  const peer = useLedger((ledger) => (selection?.kind === 'peer' ? ledger.peers.get(selection.id) : undefined));
  const group = useLedger((ledger) =>
    selection?.kind === 'object' ? groupsOf(ledger).of.get(selection.id) : undefined,
  );
  useStateAnnouncement(group);
  if (selection?.kind === 'object' && group !== undefined) {
    switch (group.kind) {
      case 'memory':
        return <MemoryDetails key={group.id} group={group} selectedId={selection.id} />;
      case 'event':
        return <EventDetails key={group.id} group={group} selectedId={selection.id} />;
      case 'pool':
        return <PoolDetails key={group.id} group={group} selectedId={selection.id} />;
      case 'physical':
        return <PhysicalDetails key={group.id} group={group} selectedId={selection.id} />;
    }
  }
  if (peer !== undefined) return <PeerDetails peer={peer} />;
  const device = devices.find(
    ({ ordinal }) => ordinal === (selection?.kind === 'device' ? selection.ordinal : undefined),
  );
  if (device !== undefined) return <DeviceDetails device={device} />;
  return (
    <EmptyState title={selection === undefined ? 'Nothing is selected' : 'It is no longer here'}>
      {selection === undefined
        ? 'Select a buffer, an event, a process or a device.'
        : 'What was selected has been closed and has left the list.'}
    </EmptyState>
  );
}

/** Tells screen readers when the state of the selected object changes. */
function useStateAnnouncement(group: Group | undefined): void {
  const last = useRef<{ readonly id: string; readonly word: string } | undefined>(undefined);
  const word = group === undefined ? undefined : groupState(group).word;
  useEffect(() => {
    if (group === undefined || word === undefined) {
      last.current = undefined;
      return;
    }
    if (last.current?.id === group.id && last.current.word !== word) announce(`${group.label}: ${word}`);
    last.current = { id: group.id, word };
  }, [group, word]);
}
