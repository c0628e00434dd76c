/**
 * Work that takes its time: named, so that it can be watched and given up, and tied to what it works on, so that nothing
 * is freed or unmapped under it.
 */
import type { Progress } from '#contract/host-protocol';
import { GpuIpcError } from '#contract/result';

export interface JobOptions {
  readonly job?: string | undefined;
  /** Ids of the objects whose memory it reads or writes. */
  readonly objects?: readonly string[];
}

/** Ten times a second is as often as anybody can read. */
const PROGRESS_MS = 100;
/** A pause is as short as it can be for so many of them, then it gives the processor back. */
const SHORT_PAUSES = 200;

/** One piece of work while it runs. Fits the `Job` of the whole-buffer calls. */
export class RunningJob {
  private readonly controller = new AbortController();
  private toldAt = performance.now();
  private pauses = 0;
  private finish: () => void = () => {};
  /** Resolves when the work has ended, well or not. */
  readonly ended = new Promise<void>((resolve) => {
    this.finish = resolve;
  });

  constructor(
    readonly name: string | undefined,
    readonly objects: readonly string[],
    private readonly tell: (progress: Progress) => void,
  ) {}

  /** Ends it at its next step; whoever waits for it gets the reason. Only the first reason counts. */
  end(reason: unknown): void {
    this.controller.abort(reason);
  }

  /** Aborted when the job is ended. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get reason(): unknown {
    return this.controller.signal.aborted ? this.controller.signal.reason : undefined;
  }

  cancelled(): boolean {
    return this.controller.signal.aborted;
  }

  /** @throws the reason for which it was ended */
  check(): void {
    this.controller.signal.throwIfAborted();
  }

  /** Waits for what may never come, as the answer of a process that hangs: rejects as soon as the job is ended. */
  async unlessEnded<T>(promise: Promise<T>): Promise<T> {
    const { signal } = this;
    let end: () => void = () => {};
    const ended = new Promise<never>((_, reject) => {
      end = () => reject(signal.reason);
      if (signal.aborted) end();
      else signal.addEventListener('abort', end);
    });
    try {
      return await Promise.race([promise, ended]);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  /** At most ten times a second, and not for what is done before anybody could read it. */
  progress(done: number, total: number): void {
    this.pauses = 0;
    if (this.name === undefined || this.cancelled()) return;
    const now = performance.now();
    if (now - this.toldAt < PROGRESS_MS) return;
    this.toldAt = now;
    this.tell({ job: this.name, done, total });
  }

  /** Lets other work of the thread have its turn: for as short as possible at first, for a millisecond when nothing moves. */
  pause(): Promise<void> {
    this.pauses++;
    return new Promise((resolve) => {
      if (this.pauses > SHORT_PAUSES) setTimeout(resolve, 1);
      else setImmediate(resolve);
    });
  }

  /** To be called once, by who runs it. */
  hasEnded(): void {
    this.finish();
  }
}

export class Jobs {
  private readonly running = new Set<RunningJob>();

  constructor(private readonly tell: (progress: Progress) => void) {}

  /**
   * Runs work as a job. A job of the same name that still runs is ended first.
   * @throws what the work throws; the reason for which the job was ended, when it was
   */
  async run<T>({ job, objects = [] }: JobOptions, work: (job: RunningJob) => Promise<T>): Promise<T> {
    if (job !== undefined) this.cancel(job);
    const running = new RunningJob(job, objects, this.tell);
    this.running.add(running);
    try {
      return await work(running);
    } catch (thrown) {
      throw running.reason ?? thrown;
    } finally {
      this.running.delete(running);
      running.hasEnded();
    }
  }

  /** Ends the job of that name as `cancelled`; nothing when there is none. */
  cancel(name: string): void {
    for (const running of this.running) {
      if (running.name === name) running.end(cancelled());
    }
  }

  /** Ends every job that works on an object, and resolves when none of them touches it any more. */
  async endOf(objectId: string, reason: GpuIpcError): Promise<void> {
    for (;;) {
      const touching = [...this.running].filter(({ objects }) => objects.includes(objectId));
      if (touching.length === 0) return;
      for (const running of touching) running.end(reason);
      await Promise.all(touching.map(({ ended }) => ended));
    }
  }

  /** Ends all, and resolves when they have ended. */
  async endAll(reason: GpuIpcError): Promise<void> {
    const all = [...this.running];
    for (const running of all) running.end(reason);
    await Promise.all(all.map(({ ended }) => ended));
  }
}

const cancelled = (): GpuIpcError => new GpuIpcError({ code: 'cancelled', message: 'This was cancelled.' });
