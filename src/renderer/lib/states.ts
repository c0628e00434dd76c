/** States in words that a person understands, with the sign for each. */
import type { Peer } from '#contract/records';
import type { EventStatus } from '#contract/values';
import type { Mark } from '../ui/StateMark';
import type { Tone } from '../ui/tone';
import { type Child, type EventGroup, type Group, liveExport, type PhysicalGroup, type PoolGroup } from './groups';

export interface State {
  readonly mark: Mark;
  readonly word: string;
  readonly tone?: Tone;
}

/** Of memory or an event as a whole. */
export function groupState(group: Group): State {
  const held = group.references > 0;
  if (group.kind === 'pool') return poolState(group);
  if (group.kind === 'physical') return physicalState(group);
  if (group.owner === 'unknown') return held ? { mark: 'unknown', word: 'Unknown' } : { mark: 'ring', word: 'Closed' };
  if (group.owner === 'freed') {
    if (!held) return { mark: 'ring', word: group.kind === 'event' ? 'Destroyed' : 'Freed' };
    return { mark: 'half', word: group.kind === 'event' ? 'Destroyed, open' : 'Freed, mapped' };
  }
  if (group.owner === 'gone') {
    if (!held) return { mark: 'ring', word: 'Gone' };
    const never = group.kind === 'event' && group.event?.status === 'not-ready';
    return { mark: 'broken', word: never ? 'Never ready' : 'Exporter gone' };
  }
  if (group.kind === 'event') {
    const word = eventStatus(group);
    if (word === 'ready') return { mark: 'ready', word: 'Ready' };
    if (word === 'not-ready') return { mark: 'wait', word: 'Not ready' };
    if (group.event === undefined) return held ? { mark: 'live', word: 'Open' } : { mark: 'ring', word: 'Closed' };
    return { mark: 'ring', word: 'Not recorded' };
  }
  if (group.allocation === undefined)
    return held ? { mark: 'live', word: 'Live, shared' } : { mark: 'ring', word: 'Closed' };
  if (held) return { mark: 'live', word: 'Live, shared' };
  if (group.allocation.chunks?.length === 0) return { mark: 'ring', word: 'No memory yet' };
  const newest = group.exports.at(-1);
  if (newest?.state === 'closed') return { mark: 'ring', word: 'Descriptors closed' };
  return liveExport(group) === undefined ? { mark: 'ring', word: 'Not exported' } : { mark: 'live', word: 'Exported' };
}

function poolState(group: PoolGroup): State {
  const elsewhere = group.references > 0 || (group.owner !== 'live' && group.allocations.length > 0);
  if (group.owner === 'gone')
    return elsewhere ? { mark: 'broken', word: 'Exporter gone' } : { mark: 'ring', word: 'Gone' };
  if (group.owner === 'freed')
    return elsewhere ? { mark: 'half', word: 'Destroyed, open' } : { mark: 'ring', word: 'Destroyed' };
  if (group.owner === 'unknown')
    return elsewhere ? { mark: 'unknown', word: 'Unknown' } : { mark: 'ring', word: 'Closed' };
  if (elsewhere) return { mark: 'live', word: 'Live, shared' };
  return shareState(group);
}

function physicalState(group: PhysicalGroup): State {
  const held = group.references > 0;
  if (group.owner === 'gone') return held ? { mark: 'broken', word: 'Exporter gone' } : { mark: 'ring', word: 'Gone' };
  if (group.owner === 'freed') {
    if (held) return { mark: 'half', word: 'Released, open' };
    return group.places.length > 0 ? { mark: 'half', word: 'Released, mapped' } : { mark: 'ring', word: 'Released' };
  }
  if (group.owner === 'unknown') return held ? { mark: 'unknown', word: 'Unknown' } : { mark: 'ring', word: 'Closed' };
  if (held) return { mark: 'live', word: 'Live, shared' };
  const shared = shareState(group);
  if (liveExport(group) !== undefined || group.exports.at(-1)?.state === 'closed') return shared;
  return group.places.length === 0 ? { mark: 'ring', word: 'Not mapped' } : { mark: 'live', word: 'Mapped' };
}

function shareState(group: Group): State {
  if (liveExport(group) !== undefined) return { mark: 'live', word: 'Exported' };
  if (group.exports.at(-1)?.state === 'closed') return { mark: 'ring', word: 'Descriptors closed' };
  return { mark: 'ring', word: 'Not exported' };
}

/** The status as whoever asked last saw it; ready when one of them saw that. Undefined when nobody has asked. */
function eventStatus(group: EventGroup): EventStatus | undefined {
  const seen = [
    group.event?.status,
    ...group.children.map(({ record }) => ('status' in record ? record.status : null)),
  ];
  return seen.includes('ready') ? 'ready' : seen.includes('not-ready') ? 'not-ready' : undefined;
}

/** Of one process's mapping or event import. */
export function childState({ record }: Child): State {
  if (record.state === 'closed') return { mark: 'ring', word: 'Closed' };
  if ('physical' in record && record.physical.state === 'released') return { mark: 'half', word: 'Released, mapped' };
  if ('waiting' in record && record.waiting !== undefined) return { mark: 'wait', word: 'Waiting' };
  return { mark: 'live', word: 'Open' };
}

/** Of a process: `alive`, `starting`, `exited`, `killed`. */
export function peerState(peer: Peer): State {
  if (peer.state === 'starting') return { mark: 'wait', word: 'starting' };
  if (peer.state === 'exited') return { mark: 'ring', word: 'exited' };
  if (peer.state === 'lost') return { mark: 'broken', word: peer.ending === 'SIGKILL' ? 'killed' : 'lost' };
  if (peer.hanging !== undefined) return { mark: 'wait', word: 'waiting' };
  return { mark: 'live', word: peer.role === 'outside' ? 'outside' : 'alive' };
}

export const peerRuns = (peer: Peer | undefined): boolean => peer?.state === 'alive' || peer?.state === 'starting';

/** What became of a process, as a sentence part: `was killed`, `has exited`, `crashed (exit code 139)`. */
export function peerEnding(peer: Peer): string {
  if (peer.state === 'exited') return 'has exited';
  if (peer.ending === 'SIGKILL') return 'was killed';
  return peer.ending === undefined ? 'is gone' : `ended (${peer.ending})`;
}
