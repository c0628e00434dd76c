/** What a process has, in one line of its card. Pure. */

import type { Peer } from '#contract/records';
import { formatSize } from '#contract/units';
import { count } from '../../lib/format';
import { countedBytes, exists, type Group, liveExport } from '../../lib/groups';
import { peerRuns } from '../../lib/states';

/**
 * `1 buffer · 2 mappings`; for exporters `shares 3 · held by 3`; for ended ones what others still hold of them:
 * `256 MiB still mapped`.
 */
export function holdingsOf(peer: Peer, groups: readonly Group[]): string {
  let buffers = 0;
  let shares = 0;
  let mappings = 0;
  let events = 0;
  let pools = 0;
  let physicals = 0;
  let leftBytes = 0;
  let leftEvents = 0;
  const holders = new Set<string>();
  for (const group of groups) {
    if (!exists(group)) continue;
    const owns = group.ownerId === peer.id;
    if (owns && group.kind === 'memory') buffers += 1;
    if (owns && group.kind === 'event') events += 1;
    if (owns && group.kind === 'pool') pools += 1;
    if (owns && group.kind === 'physical') physicals += 1;
    if (owns && (liveExport(group) !== undefined || group.references > 0)) shares += 1;
    if (owns && group.references > 0) {
      leftBytes += countedBytes(group);
      if (group.kind === 'event') leftEvents += 1;
    }
    for (const { type, record } of group.children) {
      if (record.state !== 'open') continue;
      if (owns) holders.add(record.peerId);
      if (record.peerId !== peer.id) continue;
      if (type === 'mapping') mappings += 1;
      else if (type === 'eventImport') events += 1;
      else if (type === 'poolImport') pools += 1;
      else physicals += 1;
    }
  }
  if (!peerRuns(peer)) {
    if (leftBytes > 0) return `${formatSize(leftBytes)} still mapped`;
    return leftEvents > 0 ? `${count(leftEvents, 'event')} still open` : (peer.ending ?? 'nothing left');
  }
  if (peer.role === 'producer' || peer.role === 'outside') {
    if (shares > 0)
      return [`shares ${shares}`, holders.size > 0 && `held by ${holders.size}`].filter(Boolean).join(' · ');
  }
  const parts = [
    buffers > 0 && count(buffers, 'buffer'),
    mappings > 0 && count(mappings, 'mapping'),
    events > 0 && count(events, 'event'),
    pools > 0 && count(pools, 'pool'),
    physicals > 0 && `${physicals} physical`,
  ];
  return parts.filter(Boolean).join(' · ') || 'nothing open';
}
