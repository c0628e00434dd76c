/** Remembers how processes ended and what others held of them then, for as long as the window lives. */
import { useEffect, useState } from 'react';
import type { Peer } from '#contract/records';
import { count, list } from '../../lib/format';
import { type Group, groupsOf } from '../../lib/groups';
import { ledgerNow, useLedger } from '../../lib/ledger-store';
import { peerRuns } from '../../lib/states';
import type { Ending } from './call-rows';

/** Older ends are dropped, as old calls are. */
const MOST = 200;

/** `2 of its buffers and 1 event are still held elsewhere.`; empty when nothing is. */
export function leftText(peerId: string, groups: readonly Group[]): string {
  const held = groups.filter(
    (group) =>
      group.ownerId === peerId &&
      group.children.some(({ record }) => record.state === 'open' && record.peerId !== peerId),
  );
  const buffers = held.filter(({ kind }) => kind === 'memory').length;
  const events = held.filter(({ kind }) => kind === 'event').length;
  const pools = held.filter(({ kind }) => kind === 'pool').length;
  const physicals = held.filter(({ kind }) => kind === 'physical').length;
  if (held.length === 0) return '';
  const parts = [
    buffers > 0 && (buffers === 1 ? '1 of its buffers' : `${buffers} of its buffers`),
    events > 0 && count(events, 'event'),
    pools > 0 && count(pools, 'pool'),
    physicals > 0 && count(physicals, 'physical memory', 'physical memories'),
  ];
  return `${list(parts.filter((part) => part !== false))} ${held.length === 1 ? 'is' : 'are'} still held elsewhere.`;
}

export function useEndings(): readonly Ending[] {
  const peers = useLedger((ledger) => ledger.peers);
  const [endings, setEndings] = useState<readonly Ending[]>([]);
  useEffect(() => {
    const groups = groupsOf(ledgerNow()).list;
    setEndings((before) => {
      const fresh = [...peers.values()].filter(
        (peer) => peer.role !== 'outside' && !peerRuns(peer) && !before.some(({ peerId }) => peerId === peer.id),
      );
      return fresh.length === 0
        ? before
        : [...before, ...fresh.map((peer) => endingOf(peer, groups))].sort((a, b) => a.at - b.at).slice(-MOST);
    });
  }, [peers]);
  return endings;
}

function endingOf(peer: Peer, groups: readonly Group[]): Ending {
  return {
    peerId: peer.id,
    name: peer.name,
    role: peer.role,
    at: peer.endedAt ?? Date.now(),
    how: peer.ending ?? peer.state,
    left: leftText(peer.id, groups),
    lost: peer.state === 'lost',
  };
}
