/** What a trial does, one driver call after another: each with how long it took and what came of it. */
import { GpuIpcError, type IpcError } from '#contract/result';
import type { TrialProgress, TrialStep } from '#contract/trial-protocol';

export class Steps {
  private readonly list: TrialStep[] = [];
  private failure: IpcError | undefined;

  /**
   * One step.
   * @param what    the driver function, or what is done in words
   * @param detail  what it was about, or what its value tells
   * @throws the error of the step, which it has noted
   */
  do<T>(what: string, detail: string | ((value: T) => string), step: () => T): T {
    const began = performance.now();
    try {
      const value = step();
      const us = (performance.now() - began) * 1000;
      this.list.push({ what, ok: true, detail: typeof detail === 'string' ? detail : detail(value), us });
      return value;
    } catch (thrown) {
      if (!(thrown instanceof GpuIpcError)) throw thrown;
      this.failed(what, thrown.error, (performance.now() - began) * 1000);
      throw thrown;
    }
  }

  /** Notes a step that was done elsewhere. */
  done(what: string, detail: string, us: number): void {
    this.list.push({ what, ok: true, detail, us });
  }

  /** Does several steps. When one of them fails, that is in the list, and the rest is not done. */
  attempt(steps: () => void): boolean {
    try {
      steps();
      return true;
    } catch (thrown) {
      if (!(thrown instanceof GpuIpcError)) throw thrown;
      if (this.failure !== thrown.error) this.failed('', thrown.error);
      return false;
    }
  }

  /** Notes a step that failed elsewhere. */
  failed(what: string, error: IpcError, us?: number): void {
    this.failure ??= error;
    const detail = error.cuda === undefined ? error.message : `${error.cuda.name}: ${error.cuda.text}`;
    this.list.push({
      what: what || (error.call ?? 'the trial'),
      ok: false,
      detail,
      ...(us === undefined ? {} : { us }),
    });
  }

  get progress(): TrialProgress {
    return { steps: [...this.list], ...(this.failure === undefined ? {} : { error: this.failure }) };
  }
}
