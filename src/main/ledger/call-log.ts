/** The log of driver calls over all processes: numbered here, and only the newest kept. */
import type { HostCall } from '#contract/host-protocol';
import type { Call } from '#contract/records';

/** CUDA_ERROR_NOT_READY: an answer to "is it done yet", not a failure. */
const NOT_READY = 600;

/** How many of its newest records a process may still count up. A host folds over fewer. */
const COUNTING = 16;

export class CallLog {
  /** Call number `seq` stands at `seq % capacity`. */
  private readonly ring: (Call | undefined)[] = [];
  /** The newest records of each process by when they began, which is how a host names one that it counts up. */
  private readonly counting = new Map<string, Map<number, Call>>();
  private lastSeq = 0;
  private counted = 0;
  private failures = 0;

  constructor(private readonly capacity = 10_000) {}

  /**
   * Takes one call of a process and answers the record that now stands for it. A host folds equal calls: the same call
   * again, with the same beginning and a higher count, is that record as it is now.
   */
  add(call: HostCall, peerName: string): Call {
    const records = this.recordsOf(call.peerId);
    const before = records.get(call.at);
    const more = call.count - (before?.count ?? 0);
    this.counted += more;
    if (call.result !== 0 && call.result !== NOT_READY) this.failures += more;

    const isKept = before !== undefined && this.ring[before.seq % this.capacity]?.seq === before.seq;
    if (!isKept) this.lastSeq += 1;
    const record: Call = { ...call, seq: isKept ? before.seq : this.lastSeq, peerName };
    this.ring[record.seq % this.capacity] = record;
    // Last in the order of the map: what is counted up stays, what is not leaves.
    records.delete(call.at);
    records.set(call.at, record);
    const oldest = records.keys().next();
    if (records.size > COUNTING && !oldest.done) records.delete(oldest.value);
    return record;
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
    this.counting.delete(peerId);
  }

  private recordsOf(peerId: string): Map<number, Call> {
    const records = this.counting.get(peerId) ?? new Map<number, Call>();
    this.counting.set(peerId, records);
    return records;
  }
}
