/**
 * One driver host, seen from main: requests and their answers, whether it hangs, and how it ends. Knows nothing of
 * windows or of the ledger; it tells its owner what happens.
 */
import type { DriverInfo } from '#contract/devices';
import type { FromHost, HostCall, HostChange, HostInit, HostRequest, Progress, ToHost } from '#contract/host-protocol';
import { fail, GpuIpcError, type IpcError, type Result } from '#contract/result';
import { deferred } from '../deferred';
import { driverFunctionOf } from './driver-function';
import { HOST_LOST_HINT } from './ending';
import type { HostEnding, HostTransport } from './transport';

/** A request that is not back after this time is shown as hanging. */
const HANGING_MS = 2_000;
const CHECK_MS = 250;
/** For how long a host may take to release what it holds. */
const SHUTDOWN_MS = 2_000;
/** For how long an ended host may take to be gone. */
const KILL_MS = 1_000;

export interface Hanging {
  /** Exported name of the driver function: `cuMemcpyDtoH_v2`. */
  readonly call: string;
  readonly since: number;
}

export interface HostListener {
  ready(pid: number, driver: DriverInfo): void;
  /** Records and calls, in order; always before the answer of the call that made them. */
  ledger(changes: readonly HostChange[], calls: readonly HostCall[]): void;
  /** An answer is about to be handed to the one who asked; it waits for the promise, if there is one. */
  answering(): Promise<void> | undefined;
  hanging(hanging: Hanging | undefined): void;
  /** How far a named job of this host is. */
  progress(progress: Progress): void;
  /** There is no driver for this host; it lives, and answers every request with this error. */
  failed(error: IpcError): void;
  contextLost(error: IpcError): void;
  ended(ending: HostEnding): void;
}

/** Hears nothing of a host. What to do when it is ready, whoever starts it says. */
export const nobody: Omit<HostListener, 'ready'> = {
  ledger: () => {},
  answering: () => undefined,
  hanging: () => {},
  progress: () => {},
  failed: () => {},
  contextLost: () => {},
  ended: () => {},
};

interface Pending {
  readonly name: HostRequest['name'];
  readonly at: number;
  readonly resolve: (result: Result<unknown>) => void;
}

/** The arguments of a request, by its name. */
export type RequestArgs<N extends HostRequest['name']> = Extract<HostRequest, { name: N }>['args'];

export class DriverHost {
  private readonly pending = new Map<number, Pending>();
  private nextId = 1;
  private calling: Hanging | undefined;
  private hung: Hanging | undefined;
  private lastMessageAt = Date.now();
  private isReady = false;
  private failure: IpcError | undefined;
  private ending: HostEnding | undefined;
  private check: NodeJS.Timeout | undefined;
  private readonly readiness = deferred<DriverInfo>();
  private readonly end = deferred<void>();

  constructor(
    private readonly transport: HostTransport,
    init: HostInit,
    private readonly listener: HostListener,
  ) {
    // Whoever does not ask for readiness hears of a failure through the calls.
    this.readiness.promise.catch(() => {});
    transport.onMessage((message) => this.receive(message));
    transport.onEnd((ending) => this.finish(ending));
    this.send(init);
    this.watch();
  }

  get placement(): HostTransport['placement'] {
    return this.transport.placement;
  }

  get hasEnded(): boolean {
    return this.ending !== undefined;
  }

  /** The driver in use; rejects with `no-driver` or `host-lost` when there will be none. */
  ready(): Promise<DriverInfo> {
    return this.readiness.promise;
  }

  /** Asks the host. Always resolves; with `host-lost` when the host goes before it answers. */
  request<N extends HostRequest['name']>(name: N, args: RequestArgs<N>): Promise<Result<unknown>> {
    if (this.failure !== undefined) return Promise.resolve(fail(this.failure));
    if (this.ending !== undefined) return Promise.resolve(fail(lost(this.ending)));
    const id = this.nextId;
    this.nextId += 1;
    return new Promise((resolve) => {
      this.pending.set(id, { name, at: Date.now(), resolve });
      this.send({ kind: 'call', id, name, args } as HostRequest);
      this.watch();
    });
  }

  /** Has the host release everything and end; ends it by force when that takes too long. False when even that fails. */
  async shutdown(): Promise<boolean> {
    if (this.ending !== undefined) return true;
    this.send({ kind: 'shutdown' });
    if (await this.endsWithin(SHUTDOWN_MS)) return true;
    return this.kill();
  }

  /** Ends the host by force. False when it is still there a second later, as a thread inside a driver call is. */
  async kill(): Promise<boolean> {
    if (this.ending === undefined) this.transport.kill();
    return this.endsWithin(KILL_MS);
  }

  private async endsWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLate = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), ms);
    });
    const inTime = await Promise.race([this.end.promise.then(() => true as const), tooLate]);
    clearTimeout(timer);
    return inTime;
  }

  private send(message: ToHost): void {
    if (this.ending === undefined) this.transport.send(message);
  }

  private receive(message: FromHost): void {
    this.lastMessageAt = Date.now();
    this.calling = undefined;
    this.setHung(undefined);
    switch (message.kind) {
      case 'ready':
        this.isReady = true;
        this.listener.ready(message.pid, message.driver);
        this.readiness.resolve(message.driver);
        break;
      case 'failed':
        this.fail(message.error);
        break;
      case 'answer': {
        const pending = this.pending.get(message.id);
        this.pending.delete(message.id);
        const before = this.listener.answering();
        if (before === undefined) pending?.resolve(message.result);
        else void before.then(() => pending?.resolve(message.result));
        break;
      }
      case 'ledger':
        this.listener.ledger(message.changes, message.calls);
        break;
      case 'calling':
        this.calling = { call: message.call, since: message.at };
        this.watch();
        break;
      case 'progress':
        this.listener.progress({ job: message.job, done: message.done, total: message.total });
        break;
      case 'context-lost':
        this.listener.contextLost(message.error);
        break;
      case 'done':
        break;
    }
  }

  /** No driver in this host: every request answers so, at once. */
  private fail(error: IpcError): void {
    this.isReady = true;
    this.failure = error;
    this.readiness.reject(new GpuIpcError(error));
    this.answerAll(error);
    this.listener.failed(error);
  }

  private finish(ending: HostEnding): void {
    if (this.ending !== undefined) return;
    this.ending = ending;
    clearInterval(this.check);
    this.check = undefined;
    this.listener.ended(ending);
    this.readiness.reject(new GpuIpcError(lost(ending)));
    this.answerAll(lost(ending));
    this.end.resolve();
  }

  private answerAll(error: IpcError): void {
    const waiting = [...this.pending.values()];
    this.pending.clear();
    for (const { resolve } of waiting) resolve(fail(error));
  }

  /** Looks after the oldest request for as long as there is one. */
  private watch(): void {
    if (this.check !== undefined || this.ending !== undefined) return;
    this.check = setInterval(() => {
      const suspect = this.suspect();
      if (suspect === undefined) {
        clearInterval(this.check);
        this.check = undefined;
      } else if (Date.now() - suspect.since >= HANGING_MS) this.setHung(suspect);
    }, CHECK_MS);
    this.check.unref();
  }

  /** The driver call that would be hanging if nothing came back. */
  private suspect(): Hanging | undefined {
    if (this.calling !== undefined) return this.calling;
    if (!this.isReady) return { call: 'cuInit', since: this.lastMessageAt };
    for (const request of this.pending.values()) {
      // A wait for an event polls, and work on whole contents goes step by step: they keep nobody else waiting and may
      // last as long as they have to.
      if (request.name === 'events.wait' || request.name.startsWith('contents.')) continue;
      return { call: driverFunctionOf(request.name), since: Math.max(request.at, this.lastMessageAt) };
    }
    return undefined;
  }

  private setHung(hung: Hanging | undefined): void {
    if (this.hung?.call === hung?.call && this.hung?.since === hung?.since) return;
    this.hung = hung;
    this.listener.hanging(hung);
  }
}

function lost(ending: HostEnding): IpcError {
  return {
    code: 'host-lost',
    message: `The process that would have answered is gone (${ending.words}).`,
    hint: HOST_LOST_HINT,
  };
}
