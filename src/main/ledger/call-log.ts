/**
 * The log of driver calls over all processes: numbered here, equal calls in a row of one process folded into one record
 * with a count, and only the newest kept.
 */
import type { HostCall } from '#contract/host-protocol';
import type { Call } from '#contract/records';

/** CUDA_ERROR_NOT_READY: an answer to "is it done yet", not a failure. */
const NOT_READY = 600;

export class CallLog {
  /** Call number `seq` stands at `seq % capacity`. */
  private readonly ring: (Call | undefined)[] = [];
  /** The newest record of each process: the one that an equal call folds into. */
  private readonly newestOf = new Map<string, Call>();
  private lastSeq = 0;
  private counted = 0;
  private failures = 0;

  constructor(private readonly capacity = 10_000) {}

  /**
   * Takes one call of a process and answers the record that now stands for it: a new one, or the one before with a
   * higher count. Folding looks at the calls of the same process only, so that two programs that poll by turns still
   * fold.
   */
  add(call: HostCall, peerName: string): Call {
    this.counted += call.count;
    if (call.result !== 0 && call.result !== NOT_READY) this.failures += call.count;

    const before = this.newestOf.get(call.peerId);
    if (before !== undefined && this.ring[before.seq % this.capacity] === before && isEqual(before, call)) {
      return this.keep({ ...before, us: call.us, count: before.count + call.count });
    }
    this.lastSeq += 1;
    return this.keep({ ...call, seq: this.lastSeq, peerName });
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
    const first = Math.max(1, this.lastSeq - this.capacity + 1);
    const calls: Call[] = [];
    for (let seq = first; seq <= this.lastSeq; seq += 1) {
      const call = this.ring[seq % this.capacity];
      if (call !== undefined) calls.push(call);
    }
    return calls;
  }

  /** The process is gone and calls no more. */
  forget(peerId: string): void {
    this.newestOf.delete(peerId);
  }

  private keep(call: Call): Call {
    this.ring[call.seq % this.capacity] = call;
    this.newestOf.set(call.peerId, call);
    return call;
  }
}

function isEqual(a: Call, b: HostCall): boolean {
  return (
    a.name === b.name && a.args === b.args && a.result === b.result && a.objectId === b.objectId && a.hint === b.hint
  );
}
