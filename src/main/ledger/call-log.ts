/**
 * The log of driver calls over all processes: numbered here, equal calls of one process folded into one record with a
 * count, and only the newest kept.
 */
import type { HostCall } from '#contract/host-protocol';
import type { Call } from '#contract/records';
import { FOLD_REACH, repeatingCalls } from '#contract/repeating-calls';

/** CUDA_ERROR_NOT_READY: an answer to "is it done yet", not a failure. */
const NOT_READY = 600;

export class CallLog {
  /** Call number `seq` stands at `seq % capacity`. */
  private readonly ring: (Call | undefined)[] = [];
  /** The records of each process that an equal call may still fold into: its last, or its last repeating ones. */
  private readonly open = new Map<string, Call[]>();
  private lastSeq = 0;
  private counted = 0;
  private failures = 0;

  constructor(private readonly capacity = 10_000) {}

  /**
   * Takes a call of a process, or several equal ones since it last reported, and answers the record that now stands for
   * them: a new one, or an earlier one with a higher count. Only calls of the same process are looked at, so that two
   * programs that poll by turns still fold.
   */
  add(call: HostCall, peerName: string): Call {
    this.counted += call.count;
    if (call.result !== 0 && call.result !== NOT_READY) this.failures += call.count;

    const open = this.open.get(call.peerId) ?? [];
    const before = open.find((other) => isEqual(other, call) && this.isKept(other));
    if (before !== undefined) {
      const counted = { ...before, us: call.us, count: before.count + call.count };
      open[open.indexOf(before)] = counted;
      return this.keep(counted);
    }
    this.lastSeq += 1;
    const record: Call = { ...call, seq: this.lastSeq, peerName };
    const others = repeatingCalls.has(call.name) ? open.filter(({ name }) => repeatingCalls.has(name)) : [];
    this.open.set(call.peerId, [...others, record].slice(-FOLD_REACH));
    return this.keep(record);
  }

  /** Calls since start, folded ones each counted. */
  get total(): number {
    return this.counted;
  }

  /** Of these, the ones that answered an error. */
  get failed(): number {
    return this.failures;
  }

  /** The kept records, oldest first. */
  kept(): Call[] {
    const calls: Call[] = [];
    for (let seq = Math.max(1, this.lastSeq - this.capacity + 1); seq <= this.lastSeq; seq += 1) {
      const call = this.ring[seq % this.capacity];
      if (call !== undefined) calls.push(call);
    }
    return calls;
  }

  /** The process is gone and calls no more. */
  forget(peerId: string): void {
    this.open.delete(peerId);
  }

  private keep(call: Call): Call {
    this.ring[call.seq % this.capacity] = call;
    return call;
  }

  private isKept({ seq }: Call): boolean {
    return this.ring[seq % this.capacity]?.seq === seq;
  }
}

function isEqual(a: Call, b: HostCall): boolean {
  return (
    a.name === b.name && a.args === b.args && a.result === b.result && a.objectId === b.objectId && a.hint === b.hint
  );
}
