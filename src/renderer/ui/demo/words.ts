/** Sentences that both demo windows say. Pure. */
import type { Call, Peer } from '#contract/records';
import type { Holder } from './holding';

/** `a`, `a and b`, `a, b and c`; from the fifth on `a, b, c and 2 more`. */
export function list(items: readonly string[]): string {
  if (items.length > 4) return `${items.slice(0, 3).join(', ')} and ${items.length - 3} more`;
  if (items.length < 2) return items[0] ?? '';
  return `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`;
}

/** `1 reference`, `2 references`. */
export function references(count: number): string {
  return count === 1 ? '1 reference' : `${count} references`;
}

/** `the reference`, `both references`, `all 3 references`. */
export function allReferences(count: number): string {
  if (count === 1) return 'the reference';
  return count === 2 ? 'both references' : `all ${count} references`;
}

/** `Consumer 1 holds 2 references`, `Consumer 1 and Consumer 2 hold 3 references`, `nobody holds it`. */
export function holding(holders: readonly Holder[]): string {
  if (holders.length === 0) return 'nobody holds it';
  const total = holders.reduce((count, holder) => count + holder.references, 0);
  return `${list(holders.map((holder) => holder.name))} ${holders.length === 1 ? 'holds' : 'hold'} ${references(total)}`;
}

/** How a process ended, for the middle of a sentence: `was killed with SIGKILL`, `ended with exit code 1`, `ended`. */
export function ended(peer: Pick<Peer, 'state' | 'ending'>): string {
  const how = peer.ending;
  if (how === undefined || how === '') return peer.state === 'lost' ? 'is gone' : 'ended';
  if (/^SIG[A-Z0-9]+$/.test(how)) return how === 'SIGKILL' ? 'was killed (SIGKILL)' : `crashed (${how})`;
  if (/^exit code \d+$/.test(how)) return `ended with ${how}`;
  return `ended: ${how}`;
}

/** Which calls of the log are meant. */
export interface WantedCall {
  readonly peerId: string;
  readonly names: readonly string[];
  readonly objectId?: string;
  /** Not begun after this, milliseconds since 1970. */
  readonly until?: number;
}

/** The newest of them that succeeded; `undefined` when there is none, or the log no longer has it. */
export function newestCall(calls: readonly Call[], { peerId, names, objectId, until }: WantedCall): Call | undefined {
  return calls.findLast(
    (call) =>
      call.peerId === peerId &&
      call.result === 0 &&
      names.includes(call.name) &&
      (objectId === undefined || call.objectId === objectId) &&
      (until === undefined || call.at <= until),
  );
}

/** First letter as a capital, for words that begin a sentence. */
export function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
