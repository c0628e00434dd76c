/** Bytes that were typed and not written yet, with undo. Typing half a byte keeps its other half. */
import type { ByteRange } from '#contract/ranges';

interface Step {
  readonly offset: number;
  readonly before: number | undefined;
  readonly after: number | undefined;
}

/** One undo step: a byte that was typed, or all the bytes of a paste. */
type Change = readonly Step[];

export interface EditRun extends ByteRange {
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export class Edits {
  private readonly pending = new Map<number, number>();
  private done: Change[] = [];
  private undone: Change[] = [];
  /** Another number after every change, for those who draw what waits. */
  version = 0;

  /** Bytes that wait to be written. */
  get count(): number {
    return this.pending.size;
  }
  get canUndo(): boolean {
    return this.done.length > 0;
  }
  get canRedo(): boolean {
    return this.undone.length > 0;
  }

  /** The byte that waits at an offset; undefined where none does. */
  at(offset: number): number | undefined {
    return this.pending.get(offset);
  }

  set(offset: number, bytes: Uint8Array): void {
    const steps: Step[] = [];
    for (let i = 0; i < bytes.length; i++) {
      const at = offset + i;
      steps.push({ offset: at, before: this.pending.get(at), after: bytes[i] as number });
    }
    this.do(steps);
    this.undone = [];
  }

  /** Takes the last change back and answers where it was. */
  undo(): number | undefined {
    const change = this.done.pop();
    if (!change) return undefined;
    this.undone.push(change);
    for (const { offset, before } of change.toReversed()) this.put(offset, before);
    return change[0]?.offset;
  }

  redo(): number | undefined {
    const change = this.undone.pop();
    if (!change) return undefined;
    this.do(change);
    return change[0]?.offset;
  }

  discard(): void {
    this.version++;
    this.pending.clear();
    this.done = [];
    this.undone = [];
  }

  /** What waits, as runs without gaps, in order. */
  runs(): EditRun[] {
    const runs: { offset: number; bytes: number[] }[] = [];
    for (const [offset, byte] of [...this.pending].sort(([a], [b]) => a - b)) {
      const last = runs.at(-1);
      if (last && last.offset + last.bytes.length === offset) last.bytes.push(byte);
      else runs.push({ offset, bytes: [byte] });
    }
    return runs.map(({ offset, bytes }) => ({ offset, length: bytes.length, bytes: Uint8Array.from(bytes) }));
  }

  /**
   * A run was written over `before`: it waits no more, but for bytes that were typed anew meanwhile. Undo now first puts
   * `before` back as edits that wait, so what was written can be taken back with another write.
   */
  written(run: EditRun, before: Uint8Array | undefined): void {
    const written = new Set<number>();
    run.bytes.forEach((byte, i) => {
      const offset = run.offset + i;
      const waits = this.pending.get(offset);
      if (waits === undefined || waits === byte) written.add(offset);
    });
    for (const offset of written) this.put(offset, undefined);
    this.undone = [];
    // The steps that made the run must not bring back what is written already.
    this.done = this.done
      .map((change) => change.filter(({ offset }) => !written.has(offset)))
      .filter((change) => change.length > 0);
    if (before?.length !== run.length) return;
    const back = Array.from(before, (byte, i) => ({ offset: run.offset + i, before: byte, after: undefined }));
    const taken = back.filter(({ offset }) => written.has(offset));
    if (taken.length > 0) this.done.push(taken);
  }

  private do(change: Change): void {
    this.done.push(change);
    for (const { offset, after } of change) this.put(offset, after);
  }

  private put(offset: number, byte: number | undefined): void {
    this.version++;
    if (byte === undefined) this.pending.delete(offset);
    else this.pending.set(offset, byte);
  }
}
