/**
 * Which bytes changed between reads, and how fresh each change is. A change is full for 400 ms after the read that
 * saw it, then a thin line that fades; 1.6 s after the read it is gone.
 */

/** 0: no cue. 1: just changed. 2 to 4: fading. */
export type ChangeStage = 0 | 1 | 2 | 3 | 4;

/** Milliseconds after the read at which a stage ends; the same figures as `--t-change` in tokens.css. */
const STAGE_ENDS = [400, 800, 1200, 1600] as const;
const FADE_MS = 1600;

/** What a byte is known as. `unreadable`: the last attempt failed and there are no older bytes to show. */
export const UNREAD = 0;
export const READ = 1;
export const UNREADABLE = 2;

/**
 * Numbers the reads and knows how long ago each was. Its time stands still while paused, so cues freeze. With
 * `reducedMotion` nothing fades: full until the next read, thin for one read more.
 */
export class ChangeClock {
  reducedMotion = false;
  private reads = 0;
  /** Times of the reads that still have a cue; `times[0]` is that of read number `first`. */
  private times: number[] = [];
  private first = 1;
  private frozenAt: number | undefined;
  private lost = 0;

  constructor(private readonly now: () => number) {}

  /** Number of the newest read, 0 before the first. */
  get lastRead(): number {
    return this.reads;
  }

  /** The clock that stands still while paused, in milliseconds. */
  time(): number {
    return (this.frozenAt ?? this.now()) - this.lost;
  }

  freeze(): void {
    this.frozenAt ??= this.now();
  }

  thaw(): void {
    if (this.frozenAt === undefined) return;
    this.lost += this.now() - this.frozenAt;
    this.frozenAt = undefined;
  }

  /** Lets all cues end now: what the next read sees is then all that carries one. */
  expire(): void {
    this.lost -= FADE_MS;
  }

  /** Counts a new read and returns its number. */
  tick(): number {
    this.prune();
    this.reads++;
    if (this.times.length === 0) this.first = this.reads;
    this.times.push(this.time());
    return this.reads;
  }

  /** The cue of a change that read number `read` saw; 0 is no read. */
  stage(read: number): ChangeStage {
    if (read === 0) return 0;
    if (this.reducedMotion) {
      const since = this.reads - read;
      return since === 0 ? 1 : since === 1 ? 2 : 0;
    }
    const at = this.times[read - this.first];
    if (at === undefined) return 0;
    const age = this.time() - at;
    for (let stage = 0; stage < STAGE_ENDS.length; stage++) {
      if (age < (STAGE_ENDS[stage] as number)) return (stage + 1) as ChangeStage;
    }
    return 0;
  }

  /** The oldest read whose changes may still have a cue: everything before it is stage 0. */
  firstActive(): number {
    if (this.reducedMotion) return Math.max(1, this.reads - 1);
    this.prune();
    return this.times.length === 0 ? this.reads + 1 : this.first;
  }

  /** Milliseconds until some stage may change; `undefined` when nothing fades (or time stands still). */
  nextChange(): number | undefined {
    if (this.reducedMotion || this.frozenAt !== undefined) return undefined;
    this.prune();
    const now = this.time();
    let next: number | undefined;
    for (const at of this.times) {
      for (const end of STAGE_ENDS) {
        const left = at + end - now;
        if (left > 0 && (next === undefined || left < next)) next = left;
      }
    }
    return next;
  }

  private prune(): void {
    const now = this.time();
    let gone = 0;
    while (gone < this.times.length && now - (this.times[gone] as number) >= FADE_MS) gone++;
    if (gone > 0) {
      this.times.splice(0, gone);
      this.first += gone;
    }
  }
}

/** A run of memory with, for each byte, what it was at the last read and which read last saw it change. */
export class ByteChanges {
  readonly bytes: Uint8Array;
  /** UNREAD, READ or UNREADABLE for each byte. */
  readonly known: Uint8Array;
  /** Number of the read that last saw the byte change, 0 when none did. */
  readonly changedAt: Uint32Array;

  constructor(readonly length: number) {
    this.bytes = new Uint8Array(length);
    this.known = new Uint8Array(length);
    this.changedAt = new Uint32Array(length);
  }

  /** Takes over what read number `read` saw from byte `at` on. Returns how many bytes are different from before. */
  apply(at: number, bytes: Uint8Array, read: number): number {
    const { bytes: mine, known, changedAt } = this;
    let changed = 0;
    for (let i = 0; i < bytes.length; i++) {
      const to = at + i;
      const byte = bytes[i] as number;
      if (known[to] === READ) {
        if (mine[to] === byte) continue;
        changedAt[to] = read;
        changed++;
      } else {
        // The first sight of a byte is not a change: nobody knows what was there.
        known[to] = READ;
        changedAt[to] = 0;
      }
      mine[to] = byte;
    }
    return changed;
  }

  /** A read failed: bytes that were never read are unreadable, the others stay as they are. */
  fail(at: number, length: number): void {
    for (let i = at; i < at + length; i++) if (this.known[i] !== READ) this.known[i] = UNREADABLE;
  }
}
