/** What is being saved or loaded, and what came of it: one piece of work at a time for a memory. */
import type { CallArgs } from '#contract/calls';
import type { IpcError } from '#contract/result';
import { formatBytes } from '#contract/units';
import { announce } from '../../../lib/announce';
import { newJob } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import { Signal } from '../model/signal';

export type TransferState =
  | { readonly kind: 'none' }
  /** A copy was made: what to know of it. */
  | { readonly kind: 'said'; readonly text: string }
  | {
      readonly kind: 'running';
      readonly job: string;
      readonly doing: string;
      readonly done: number;
      readonly total: number | undefined;
    }
  | { readonly kind: 'failed'; readonly doing: string; readonly error: IpcError }
  | {
      readonly kind: 'loaded';
      readonly text: string;
      /** What was there before, while it is known; writes it back. */
      readonly before: { readonly offset: number; readonly bytes: Uint8Array<ArrayBuffer> } | undefined;
    };

/** So much of what a file replaces is kept, so that it can be put back. */
export const UNDO_BYTES = 16 * 1024 * 1024;

export class Transfer {
  readonly onChange = new Signal();
  private now: TransferState = { kind: 'none' };

  constructor(private readonly session: MemorySession) {}

  get state(): TransferState {
    return this.now;
  }

  say(text: string): void {
    announce(text);
    this.set({ kind: 'said', text });
  }

  close(): void {
    if (this.now.kind !== 'running') this.set({ kind: 'none' });
  }

  cancel(): void {
    if (this.now.kind === 'running') void window.gpuIpc.contents.cancel({ job: this.now.job });
  }

  /** Asks where, and writes a range into that file. */
  async save(args: Omit<CallArgs<'contents.save'>, 'id' | 'job'>): Promise<void> {
    if (this.now.kind === 'running') return;
    const { id } = this.session.source;
    const doing = 'Save';
    const result = await this.follow(doing, (job) => window.gpuIpc.contents.save({ id, job, ...args }));
    if (!result.ok) this.failed(doing, result.error);
    else if (result.value.path === null) this.set({ kind: 'none' });
    else {
      const { bytes, path, note } = result.value;
      this.say([`${formatBytes(bytes)} saved to ${path}.`, note].filter(Boolean).join(' '));
    }
  }

  /** Asks which file, and writes it into the memory from an offset on. What it replaces is kept, if it is not too much. */
  async load(offset: number): Promise<void> {
    if (this.now.kind === 'running') return;
    const { session } = this;
    const { id } = session.source;
    const doing = 'Load';
    const length = Math.min(UNDO_BYTES, session.size - offset);
    const kept = await window.gpuIpc.memory.read({ id, offset, length });
    const result = await this.follow(doing, (job) => window.gpuIpc.contents.load({ id, offset, job }));
    session.step();
    if (!result.ok) this.failed(doing, result.error);
    else if (result.value.path === null) this.set({ kind: 'none' });
    else {
      const { bytes, path, note } = result.value;
      const text = [`${formatBytes(bytes)} loaded from ${path}.`, note].filter(Boolean).join(' ');
      announce(text);
      const before =
        kept.ok && bytes <= kept.value.bytes.length
          ? { offset, bytes: new Uint8Array(kept.value.bytes.subarray(0, bytes)) }
          : undefined;
      this.set({ kind: 'loaded', text, before });
    }
  }

  /** Writes back what the last file replaced. */
  async undoLoad(): Promise<void> {
    if (this.now.kind !== 'loaded' || this.now.before === undefined) return;
    const { offset, bytes } = this.now.before;
    const result = await window.gpuIpc.buffers.write({ id: this.session.source.id, offset, bytes });
    this.session.step();
    if (result.ok) this.say(`${formatBytes(bytes.length)} are as they were before.`);
    else this.failed('Put back', result.error);
  }

  private async follow<T>(doing: string, work: (job: string) => Promise<T>): Promise<T> {
    const job = newJob();
    this.set({ kind: 'running', job, doing, done: 0, total: undefined });
    const end = window.gpuIpc.contents.subscribe((progress) => {
      if (progress.job !== job) return;
      this.set({ kind: 'running', job, doing, done: progress.done, total: progress.total });
    });
    try {
      return await work(job);
    } finally {
      end();
      this.set({ kind: 'none' });
    }
  }

  private failed(doing: string, error: IpcError): void {
    if (error.code === 'cancelled') this.say(`${doing} was cancelled.`);
    else this.set({ kind: 'failed', doing, error });
  }

  private set(state: TransferState): void {
    this.now = state;
    this.onChange.emit();
  }
}

const transfers = new WeakMap<MemorySession, Transfer>();

export function transferOf(session: MemorySession): Transfer {
  const known = transfers.get(session) ?? new Transfer(session);
  transfers.set(session, known);
  return known;
}
