/**
 * The log of driver calls: what was called, about which object, with what result. Equal calls that repeat become one
 * record with a count, so a buffer that is read sixty times a second fills neither the log nor the port.
 */
import type { HostCall } from '#contract/host-protocol';

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

/** Calls made over and over by reading, following, animating and waiting. They fold also when they alternate. */
const REPEATING = new Set([
  'cuMemcpyDtoH_v2',
  'cuMemcpyHtoD_v2',
  'cuMemcpyDtoD_v2',
  'cuMemsetD8_v2',
  'cuMemsetD16_v2',
  'cuMemsetD32_v2',
  'cuStreamSynchronize',
  'cuEventQuery',
  'cuMemGetInfo_v2',
  'cuCtxSetCurrent',
]);

/** How many kinds of repeating calls may alternate and still fold. */
const FOLD_REACH = 6;

export class CallLog {
  /** The records that an equal call may still fold into, newest last: the last call, or the last repeating ones. */
  private open: HostCall[] = [];
  private readonly changed = new Set<HostCall>();
  /** Whether `changed` holds a record that nobody has seen yet, not only a higher count. */
  private fresh = false;
  private lastAt = 0;

  constructor(private readonly peerId: string) {}

  add(call: FinishedCall, note: CallNote | undefined): void {
    const args = note === undefined ? '' : typeof note.args === 'string' ? note.args : note.args(call.result);
    const objectId = note?.objectId;
    const same = this.open.find(
      (other) =>
        other.name === call.name && other.result === call.result && other.args === args && other.objectId === objectId,
    );
    if (same) {
      const folded: HostCall = { ...same, us: call.us, count: same.count + 1 };
      this.open[this.open.indexOf(same)] = folded;
      this.changed.delete(same);
      this.changed.add(folded);
      return;
    }
    // A folded record is recognised by when it began, so no two of this process may have begun at the same time.
    const at = Math.max(performance.timeOrigin + performance.now() - call.us / 1000, this.lastAt + 0.001);
    this.lastAt = at;
    const record: HostCall = {
      peerId: this.peerId,
      at,
      name: call.name,
      args,
      result: call.result,
      resultName: call.resultName,
      us: call.us,
      objectId,
      hint: call.hint,
      count: 1,
    };
    const repeating = REPEATING.has(call.name);
    this.open = repeating
      ? [...this.open.filter((other) => REPEATING.has(other.name)), record].slice(-FOLD_REACH)
      : [record];
    this.changed.add(record);
    this.fresh = true;
  }

  /** Whether there is a record to send that has not been sent before. */
  get hasNew(): boolean {
    return this.fresh;
  }

  get isEmpty(): boolean {
    return this.changed.size === 0;
  }

  /** New records, and those whose count has grown since they were last taken; oldest first. */
  take(): HostCall[] {
    const calls = [...this.changed].sort((a, b) => a.at - b.at);
    this.changed.clear();
    this.fresh = false;
    return calls;
  }
}
