/** The test's side of a peer process: start, call, wait, kill. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { CudaCalls } from '../cuda/index';
import type { Answer, Commands, Request } from './protocol';
import { bundled, driverLibrary } from './setting';

/** A driver call has this long; then its process is killed and the step has the result TIMEOUT. */
const CALL_TIMEOUT_MS = 20_000;
const START_TIMEOUT_MS = 30_000;

/** Result of one driver call in a peer. Besides CUresult names: MISSING, TIMEOUT, DIED and ERROR. */
export interface Outcome<T> {
  readonly result: string;
  /** What the binding returned; undefined when the call failed. */
  readonly value: T | undefined;
  readonly detail?: string | undefined;
}

type Functions = CudaCalls & Commands;
type Name = keyof Functions;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Kills every peer that is still there. */
export async function killPeers(): Promise<void> {
  const ended = [...running].map((child) => (isOver(child) ? undefined : once(child, 'exit')));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
}

const isOver = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

export class Peer {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer | 'died') => void>();
  #nextId = 1;

  private constructor(
    readonly name: string,
    child: ChildProcess,
  ) {
    this.#child = child;
    running.add(child);
    child.on('message', (answer: Answer) => this.#settle(answer.id, answer));
    child.on('exit', () => {
      running.delete(child);
      for (const id of [...this.#waiting.keys()]) this.#settle(id, 'died');
    });
  }

  /** Starts a process that has loaded the driver library and done nothing else. */
  static async start(name: string, env: Readonly<Record<string, string>> = {}): Promise<Peer> {
    const child = fork(bundled('peer'), [driverLibrary()], {
      env: { ...process.env, ...env },
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const peer = new Peer(name, child);
    const ready = await peer.#answer(0, START_TIMEOUT_MS);
    if (typeof ready === 'string') throw new Error(`peer ${name} did not start: ${ready}`);
    return peer;
  }

  get isRunning(): boolean {
    return !isOver(this.#child);
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Makes one driver call in the peer. Never rejects: what went wrong is in the outcome. */
  async call<N extends Name>(
    name: N,
    ...args: Parameters<Functions[N]>
  ): Promise<Outcome<Awaited<ReturnType<Functions[N]>>>> {
    if (isOver(this.#child)) return { result: 'DIED', value: undefined, detail: `${this.name} is not running` };
    const id = this.#nextId++;
    const answered = this.#answer(id, CALL_TIMEOUT_MS);
    this.#child.send({ id, call: name, args } satisfies Request);
    const answer = await answered;
    if (answer === 'timeout') {
      await this.kill();
      return { result: 'TIMEOUT', value: undefined, detail: `${name} in ${this.name}` };
    }
    if (answer === 'died') {
      return { result: 'DIED', value: undefined, detail: `${name} ended ${this.name}: ${this.#child.signalCode}` };
    }
    return {
      result: answer.missing === true ? 'MISSING' : answer.error === undefined ? (answer.result ?? 'NONE') : 'ERROR',
      value: answer.value as Awaited<ReturnType<Functions[N]>>,
      detail: answer.error,
    };
  }

  /** Makes a call that has to succeed for the step to make sense, and answers its value. */
  async must<N extends Name>(name: N, ...args: Parameters<Functions[N]>): Promise<Awaited<ReturnType<Functions[N]>>> {
    const { result, value, detail } = await this.call(name, ...args);
    if (result === 'CUDA_SUCCESS' || result === 'NONE') return value as Awaited<ReturnType<Functions[N]>>;
    throw new Error(
      `preparing: ${name} in ${this.name} answered ${result}${detail === undefined ? '' : ` (${detail})`}`,
    );
  }

  /** SIGKILL; resolves when the process is gone. */
  async kill(): Promise<void> {
    if (isOver(this.#child)) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Normal end, with everything the driver does at process exit. */
  async exit(): Promise<void> {
    if (isOver(this.#child)) return;
    const ended = once(this.#child, 'exit');
    await this.call('exit');
    await ended;
  }

  #answer(id: number, timeoutMs: number): Promise<Answer | 'died' | 'timeout'> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        resolve('timeout');
      }, timeoutMs);
      this.#waiting.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
    });
  }

  #settle(id: number, answer: Answer | 'died'): void {
    const settle = this.#waiting.get(id);
    this.#waiting.delete(id);
    settle?.(answer);
  }
}
