/** States in words that a person understands, with the sign for each. */
import type { Peer } from '#contract/records';
import type { EventStatus } from '#contract/values';
import type { Mark } from '../ui/StateMark';
import type { Tone } from '../ui/tone';
import { type Child, type EventGroup, type Group, liveExport } from './groups';

export interface State {
  readonly mark: Mark;
  readonly word: string;
  readonly tone?: Tone;
}

/** Of memory or an event as a whole. */
export function groupState(group: Group): State {
  const held = group.references > 0;
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
  return liveExport(group) === undefined ? { mark: 'ring', word: 'Not exported' } : { mark: 'live', word: 'Exported' };
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
