/** The rows of the driver-call log: calls, calls that run, and ends of processes between them. Pure. */
import type { Call, Peer } from '#contract/records';
import { shortResult } from '../../lib/format';
import type { Table } from '../../lib/ledger';

export type CallRow =
  | { readonly type: 'call'; readonly key: string; readonly at: number; readonly call: Call }
  /** A call that has not returned for a while, of the process that is in it. */
  | { readonly type: 'running'; readonly key: string; readonly at: number; readonly peer: Peer; readonly name: string }
  | { readonly type: 'ending'; readonly key: string; readonly at: number; readonly ending: Ending };

/** The end of a process as it was when it happened. */
export interface Ending {
  readonly peerId: string;
  readonly name: string;
  readonly role: Peer['role'];
  readonly at: number;
  /** `SIGKILL`, `exit code 1`, `closed`. */
  readonly how: string;
  /** What others still held then: `2 of its buffers and 1 event are still held elsewhere.`, or empty. */
  readonly left: string;
  readonly lost: boolean;
}

const NOT_READY = 600;

/** Waiting is not failing: NOT_READY is a result of its own. */
export const isFailure = ({ result }: Call): boolean => result !== 0 && result !== NOT_READY;
export const isWaiting = ({ result }: Call): boolean => result === NOT_READY;

export interface CallFilter {
  /** Words that must all occur, in lower case. */
  readonly words: readonly string[];
  readonly failedOnly: boolean;
}

export const wordsOf = (text: string): readonly string[] => text.toLowerCase().split(/\s+/).filter(Boolean);

/** Whether each word occurs in the function, process, arguments or result of a call. */
export function matches(call: Call, peerName: string, { words, failedOnly }: CallFilter): boolean {
  if (failedOnly && !isFailure(call)) return false;
  if (words.length === 0) return true;
  const text =
    `${call.name} ${peerName} ${call.args} ${shortResult(call.resultName, call.result)} ${call.result}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export interface CallRowsInput {
  readonly calls: readonly Call[];
  readonly endings: readonly Ending[];
  readonly peers: Table<'peers'>;
  readonly names: ReadonlyMap<string, string>;
  readonly filter: CallFilter;
  readonly newestFirst: boolean;
}

/**
 * Equal calls that follow each other in one process are one row, at the place of the first: the log stays calm while a
 * view reads ten times a second, also when other processes call in between. The duration is that of the newest.
 */
class Folder {
  private readonly last = new Map<string, { readonly row: { call: Call } & CallRow }>();

  /** The row of a call: a new one, or undefined when an earlier row now stands for it too. */
  add(call: Call): CallRow | undefined {
    const before = this.last.get(call.peerId)?.row;
    if (before !== undefined && sameCall(before.call, call)) {
      before.call = { ...before.call, count: before.call.count + call.count, us: call.us };
      return undefined;
    }
    const row = { type: 'call' as const, key: String(call.seq), at: call.at, call };
    this.last.set(call.peerId, { row });
    return row;
  }
}

const sameCall = (a: Call, b: Call): boolean =>
  a.name === b.name && a.args === b.args && a.result === b.result && a.objectId === b.objectId;

/** In the order of time, oldest first unless `newestFirst`; running calls are the newest. */
export function buildCallRows({
  calls,
  endings,
  peers,
  names,
  filter,
  newestFirst,
}: CallRowsInput): readonly CallRow[] {
  const rows: CallRow[] = [];
  const ends = filter.failedOnly
    ? []
    : endings.filter(({ name, how }) => includesAll(`${name} process ended ${how}`, filter.words));
  const folder = new Folder();
  let next = 0;
  const endUntil = (at: number) => {
    for (let ending = ends[next]; ending !== undefined && ending.at <= at; ending = ends[++next]) {
      rows.push({ type: 'ending', key: `end ${ending.peerId}`, at: ending.at, ending });
    }
  };
  for (const call of calls) {
    if (!matches(call, names.get(call.peerId) ?? '', filter)) continue;
    endUntil(call.at);
    const row = folder.add(call);
    if (row !== undefined) rows.push(row);
  }
  endUntil(Number.POSITIVE_INFINITY);
  if (!filter.failedOnly) {
    for (const peer of peers.values()) {
      if (peer.hanging === undefined || !includesAll(`${peer.hanging.call} ${peer.name} running`, filter.words))
        continue;
      rows.push({ type: 'running', key: `run ${peer.id}`, at: peer.hanging.since, peer, name: peer.hanging.call });
    }
  }
  return newestFirst ? rows.reverse() : rows;
}

const includesAll = (text: string, words: readonly string[]): boolean =>
  words.every((word) => text.toLowerCase().includes(word));

/** Lines that a row takes: a failure has a second one that says what it means. */
export const linesOf = (row: CallRow): 1 | 2 =>
  row.type === 'call' && isFailure(row.call) && row.call.hint !== undefined ? 2 : 1;
