/**
 * The answer to a question that may take long: what is being asked, the last answer with the question it belongs to,
 * why it failed. One question at a time; a new one cancels the one before. Knows nothing of windows or React.
 */
import type { IpcError, Result } from '#contract/result';
import { Signal } from './signal';

export interface Answered<Q, T> {
  readonly question: Q;
  readonly value: T;
}

export interface Running<Q> {
  readonly question: Q;
  /** Its name, for cancelling it. */
  readonly job: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

export interface LongAnswerOptions<Q, T> {
  /** Must not reject. */
  readonly ask: (question: Q, job: string) => Promise<Result<T>>;
  readonly cancel: (job: string) => void;
  /** The same for questions with the same answer. */
  readonly keyOf: (question: Q) => string;
}

let jobs = 0;
/** A name for a long piece of work, unlike that of any other of this app. */
export const newJob = (): string => `job-${Date.now().toString(36)}-${++jobs}`;

export class LongAnswer<Q, T> {
  readonly onChange = new Signal();
  private last: Answered<Q, T> | undefined;
  private now: Running<Q> | undefined;
  private failed: { readonly key: string; readonly error: IpcError } | undefined;
  private given: string | undefined;

  constructor(private readonly options: LongAnswerOptions<Q, T>) {}

  /** The last answer, to whichever question. */
  get answer(): Answered<Q, T> | undefined {
    return this.last;
  }
  get running(): Running<Q> | undefined {
    return this.now;
  }

  /** The answer to this question, and to no other. */
  answerTo(question: Q): T | undefined {
    return this.last !== undefined && this.options.keyOf(this.last.question) === this.options.keyOf(question)
      ? this.last.value
      : undefined;
  }

  /** Why this question was not answered the last time. */
  failureOf(question: Q): IpcError | undefined {
    return this.failed?.key === this.options.keyOf(question) ? this.failed.error : undefined;
  }

  /** Why the last question that failed was not answered, whichever it was. */
  get failure(): IpcError | undefined {
    return this.failed?.error;
  }

  /** The last failure is known, or no longer of interest. */
  forgetFailure(): void {
    if (this.failed === undefined) return;
    this.failed = undefined;
    this.onChange.emit();
  }

  /** Whether this question is being asked now. */
  isAsking(question: Q): boolean {
    return this.now !== undefined && this.options.keyOf(this.now.question) === this.options.keyOf(question);
  }

  /** Whether this question was answered, has failed, was given up or is being asked: it need not be asked by itself. */
  isSettled(question: Q): boolean {
    const key = this.options.keyOf(question);
    return (
      this.isAsking(question) || this.answerTo(question) !== undefined || this.failed?.key === key || this.given === key
    );
  }

  /** Asks, unless the same is being asked already. Resolves with the answer, undefined without one. */
  async ask(question: Q): Promise<T | undefined> {
    if (this.isAsking(question)) return undefined;
    this.stop();
    const running: Running<Q> = { question, job: newJob(), startedAt: Date.now() };
    this.now = running;
    this.given = undefined;
    this.onChange.emit();
    const result = await this.options.ask(question, running.job);
    // Another question has taken its place, or it was given up.
    if (this.now !== running) return undefined;
    this.now = undefined;
    if (result.ok) {
      this.last = { question, value: result.value };
      this.failed = undefined;
    } else if (result.error.code === 'cancelled') this.given = this.options.keyOf(question);
    else this.failed = { key: this.options.keyOf(question), error: result.error };
    this.onChange.emit();
    return result.ok ? result.value : undefined;
  }

  /** Gives up what is being asked. What was answered before stays. */
  cancel(): void {
    if (this.now === undefined) return;
    this.given = this.options.keyOf(this.now.question);
    this.stop();
    this.onChange.emit();
  }

  private stop(): void {
    if (this.now === undefined) return;
    this.options.cancel(this.now.job);
    this.now = undefined;
  }
}
