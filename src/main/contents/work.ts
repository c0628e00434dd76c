/** Long work that main does for windows: by name for each of them, told to the one that asked, ended when the app ends. */
import type { Progress } from '#contract/host-protocol';
import { GpuIpcError } from '#contract/result';
import { Jobs, type RunningJob } from '#host/contents/jobs';
import type { DriverHost } from '../hosts/driver-host';
import type { WindowRecord } from '../windows/registry';

export interface ContentWorkOptions {
  /** Tells one window how far its work is. */
  readonly push: (windowId: number, progress: Progress) => void;
  readonly windows: () => readonly WindowRecord[];
}

export class ContentWork {
  private readonly jobs = new Map<number, Jobs>();
  /** Work that a host does for a window of another process: told by the host under a name of its own. */
  private readonly lent = new Map<string, RunningJob>();
  private lentNames = 0;
  private hasEnded = false;

  constructor(private readonly options: ContentWorkOptions) {}

  /** Runs work for a window; it is ended by `cancel`, by a second one of the same name, and with the app. */
  run<T>(caller: WindowRecord, job: string | undefined, work: (job: RunningJob) => Promise<T>): Promise<T> {
    if (this.hasEnded) return Promise.reject(closing());
    let jobs = this.jobs.get(caller.id);
    if (jobs === undefined) {
      jobs = new Jobs((progress) => this.options.push(caller.id, progress));
      this.jobs.set(caller.id, jobs);
    }
    return jobs.run({ job }, work);
  }

  cancel(caller: WindowRecord, job: string): void {
    this.jobs.get(caller.id)?.cancel(job);
  }

  /**
   * Has a host do work as part of a running one: what it tells becomes the progress of that one, and it ends with it. The
   * end is not waited for: a host that hangs in the driver would keep the app from closing.
   * @param ask makes the call, with the name that the host is to give its job
   */
  async lend<T>(host: Pick<DriverHost, 'request'>, running: RunningJob, ask: (job: string) => Promise<T>): Promise<T> {
    this.lentNames += 1;
    // No window can choose a name with a dot.
    const name = `${LENT}${this.lentNames}`;
    const end = (): void => void host.request('contents.endJob', { job: name });
    this.lent.set(name, running);
    running.signal.addEventListener('abort', end);
    try {
      running.check();
      return await running.unlessEnded(ask(name));
    } finally {
      running.signal.removeEventListener('abort', end);
      this.lent.delete(name);
    }
  }

  /** A host has told how far a job of its is. */
  told(peerId: string, progress: Progress): void {
    const lent = this.lent.get(progress.job);
    if (lent !== undefined) {
      lent.progress(progress.done, progress.total);
      return;
    }
    // The last words of work that has been ended.
    if (progress.job.startsWith(LENT)) return;
    for (const window of this.options.windows()) {
      if (window.peerId() === peerId) this.options.push(window.id, progress);
    }
  }

  /** Ends everything, and resolves when nothing is half written any more. */
  async end(): Promise<void> {
    this.hasEnded = true;
    await Promise.all([...this.jobs.values()].map((jobs) => jobs.endAll(closing())));
  }
}

const LENT = 'lent.';

const closing = (): GpuIpcError => new GpuIpcError({ code: 'cancelled', message: 'The app is closing.' });
