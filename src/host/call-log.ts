/**
 * The log of driver calls: what was called, about which object, with what result. Equal calls that repeat become one
 * record with a count, so a buffer that is read sixty times a second fills neither the log nor the port.
 */
import type { HostCall } from '#contract/host-protocol';
import { FOLD_REACH, repeatingCalls } from '#contract/repeating-calls';
import { timeOfDay } from './clock';

/** What a call is about, said by who makes it; the driver only sees addresses. */
export interface CallNote {
  /** For people, labels instead of handles: `activations, flags 1`. May depend on the result. */
  readonly args: string | ((result: number) => string);
  readonly objectId?: string;
}

export interface FinishedCall {
  readonly name: string;
  readonly result: number;
  readonly resultName: string;
  readonly us: number;
  readonly hint?: string;
}

interface Kind {
  readonly key: string;
  readonly repeating: boolean;
  /** The record that calls of this kind are counted in until it is sent. */
  waiting?: { -readonly [K in keyof HostCall]: HostCall[K] };
}

export class CallLog {
  /** The kinds of call that an equal one may still fold into: the last one, or the last repeating ones. */
  private open: Kind[] = [];
  private waiting: HostCall[] = [];
  private unseen = false;

  constructor(private readonly peerId: string) {}

  add(call: FinishedCall, note: CallNote | undefined): void {
    const args = note === undefined ? '' : typeof note.args === 'string' ? note.args : note.args(call.result);
    const objectId = note?.objectId;
    const key = `${call.name} ${call.result} ${objectId} ${args} ${call.hint}`;
    let kind = this.open.find((other) => other.key === key);
    if (!kind) {
      const repeating = repeatingCalls.has(call.name);
      kind = { key, repeating };
      const before = repeating ? this.open.filter((other) => other.repeating) : [];
      this.open = [...before, kind].slice(-FOLD_REACH);
      this.unseen = true;
    }
    if (kind.waiting) {
      kind.waiting.count++;
      kind.waiting.us = call.us;
      return;
    }
    kind.waiting = {
      peerId: this.peerId,
      at: timeOfDay() - call.us / 1000,
      name: call.name,
      args,
      result: call.result,
      resultName: call.resultName,
      us: call.us,
      objectId,
      hint: call.hint,
      count: 1,
    };
    this.waiting.push(kind.waiting);
  }

  /** Whether a call waits that is not the repetition of one already sent. */
  get hasNew(): boolean {
    return this.unseen;
  }

  get isEmpty(): boolean {
    return this.waiting.length === 0;
  }

  /** What was called since the last time, oldest first; each record counts the calls since then. */
  take(): HostCall[] {
    const calls = this.waiting;
    this.waiting = [];
    this.unseen = false;
    for (const kind of this.open) kind.waiting = undefined;
    return calls;
  }
}
