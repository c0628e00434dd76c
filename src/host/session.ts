/**
 * The driver as the host uses it: loaded once, primary contexts retained when first needed, every call logged with
 * what it is about, failures explained, and a lost context noticed.
 */
import type { DriverInfo } from '#contract/devices';
import type { HostInit, HostPort } from '#contract/host-protocol';
import { GpuIpcError, type IpcError } from '#contract/result';
import {
  type Context,
  type Cuda,
  type DeviceId,
  hintFor,
  isSticky,
  loadDriver,
  NOT_READY,
  resultFromTable,
  type Situation,
  shortResult,
} from '#native/cuda/index';
import type { CallLog, CallNote } from './call-log';
import { invalid } from './problems';
import type { Report } from './report';

/** What a driver call is about, and what is known that explains a failure. */
export interface About extends CallNote {
  readonly situation?: Situation | (() => Situation);
  /** A copy or another call that takes long because of its size: announced like the calls that may always block. */
  readonly slow?: boolean;
}

/** Driver functions that may block for long, and are announced before they are called. */
const MAY_BLOCK = new Set([
  'cuInit',
  'cuDevicePrimaryCtxRetain',
  'cuDevicePrimaryCtxRelease_v2',
  'cuMemAlloc_v2',
  'cuMemAllocFromPoolAsync',
  'cuMemFreeAsync',
  'cuMemPoolCreate',
  'cuMemPoolDestroy',
  'cuMemPoolTrimTo',
  'cuMemPoolSetAccess',
  'cuMemPoolImportFromShareableHandle',
  'cuMemPoolImportPointer',
  'cuMemCreate',
  'cuMemMap',
  'cuMemUnmap',
  'cuMemSetAccess',
  'cuMemRelease',
  'cuMemImportFromShareableHandle',
  'cuMemFree_v2',
  'cuIpcGetMemHandle',
  'cuIpcOpenMemHandle_v2',
  'cuIpcCloseMemHandle',
  'cuIpcGetEventHandle',
  'cuIpcOpenEventHandle',
  'cuMemHostRegister_v2',
  'cuMemHostUnregister',
  'cuStreamSynchronize',
  'cuStreamDestroy_v2',
]);

/** Copies from this size on are announced: they take milliseconds. */
export const SLOW_COPY_BYTES = 16 * 1024 * 1024;

export class Session {
  readonly cuda: Cuda;
  readonly info: DriverInfo;
  readonly deviceCount: number;
  private readonly contexts = new Map<number, Context>();
  private current: number | undefined;
  private about: About | undefined;
  private summary: { calls: number; us: number } | undefined;
  private loaded: Cuda | undefined;
  private lostError: IpcError | undefined;

  /** Loads the driver. GpuIpcError `no-driver` when none answers. */
  constructor(
    init: HostInit,
    private readonly port: HostPort,
    private readonly log: CallLog,
    private readonly report: Report,
  ) {
    const { cuda, info } = loadDriver({
      driver: init.driver,
      simulatorPath: init.simulatorPath,
      starting: (name) => this.starting(name),
      observer: (name, _args, result, us) => this.finished(name, result, us),
    });
    this.cuda = cuda;
    this.loaded = cuda;
    this.info = info;
    this.deviceCount = this.call({ args: '' }, (driver) => driver.deviceGetCount());
  }

  /** Makes driver calls that are about one thing. Failures get the hint of their situation. */
  call<T>(about: About, calls: (cuda: Cuda) => T): T {
    const outer = this.about;
    this.about = about;
    try {
      return calls(this.cuda);
    } catch (thrown) {
      throw explained(thrown, about);
    } finally {
      this.about = outer;
    }
  }

  /** Makes many small calls of one function that become one record of the log. */
  summarised<T>(name: string, note: (calls: number) => CallNote, calls: (cuda: Cuda) => T): T {
    const summary = { calls: 0, us: 0 };
    this.summary = summary;
    try {
      return calls(this.cuda);
    } finally {
      this.summary = undefined;
      if (summary.calls > 0) this.record(name, 0, summary.us, note(summary.calls));
    }
  }

  /** Makes the primary context of a device current, after retaining it when it is the first time. */
  use(ordinal: number): void {
    if (this.current === ordinal) return;
    let context = this.contexts.get(ordinal);
    if (context === undefined) {
      const device = this.device(ordinal);
      context = this.call({ args: `device ${ordinal}` }, (cuda) => cuda.devicePrimaryCtxRetain(device));
      this.contexts.set(ordinal, context);
    }
    const made = context;
    this.call({ args: `context of device ${ordinal}` }, (cuda) => cuda.ctxSetCurrent(made));
    this.current = ordinal;
  }

  hasContext(ordinal: number): boolean {
    return this.contexts.has(ordinal);
  }

  /** Ordinals of the devices whose context is retained. */
  get devicesInUse(): number[] {
    return [...this.contexts.keys()];
  }

  /** The driver's device for an ordinal; `invalid-argument` when there is none. */
  device(ordinal: number): DeviceId {
    if (!(ordinal >= 0 && ordinal < this.deviceCount)) {
      const has = this.deviceCount === 1 ? 'one device, number 0' : `devices 0 to ${this.deviceCount - 1}`;
      throw invalid(`There is no device ${ordinal}. This process sees ${has}.`);
    }
    return this.call({ args: `device ${ordinal}` }, (cuda) => cuda.deviceGet(ordinal));
  }

  /** The error that every call answers once the context is lost. */
  get lost(): IpcError | undefined {
    return this.lostError;
  }

  /** Gives the primary contexts back. What still lives in them ends with them. */
  release(): void {
    for (const ordinal of this.contexts.keys()) {
      const device = this.device(ordinal);
      this.call({ args: `device ${ordinal}` }, (cuda) => cuda.devicePrimaryCtxRelease(device));
    }
    this.contexts.clear();
    this.current = undefined;
  }

  private starting(name: string): void {
    if (this.about?.slow !== true && !MAY_BLOCK.has(name)) return;
    this.port.post({ kind: 'calling', call: name, at: Date.now() });
  }

  private finished(name: string, result: number, us: number): void {
    if (this.summary && !isSticky(result)) {
      this.summary.calls++;
      this.summary.us += us;
      return;
    }
    this.record(name, result, us, this.about);
  }

  private record(name: string, result: number, us: number, about: About | undefined): void {
    const described = this.loaded?.describeResult(result) ?? resultFromTable(result);
    const failed = result !== 0 && result !== NOT_READY;
    const hint = failed ? hintFor(name, result, situationOf(about)) : undefined;
    this.log.add({ name, result, resultName: described.name, us, hint }, about);
    this.report.called();
    if (failed && isSticky(result)) this.lose(name, described);
  }

  private lose(call: string, cuda: { result: number; name: string; text: string }): void {
    if (this.lostError) return;
    this.lostError = {
      code: 'host-lost',
      message: `The CUDA context of this process is lost since ${call} answered ${shortResult(cuda)}: ${cuda.text}.`,
      hint: 'Every further call fails until this process is replaced by a new one.',
      call,
      cuda,
    };
    this.port.post({ kind: 'context-lost', error: this.lostError });
  }
}

const situationOf = (about: About | undefined): Situation | undefined =>
  typeof about?.situation === 'function' ? about.situation() : about?.situation;

/** The same error with the hint that fits the situation. */
function explained(thrown: unknown, about: About): unknown {
  if (!(thrown instanceof GpuIpcError) || thrown.error.cuda === undefined || thrown.error.call === undefined)
    return thrown;
  const hint = hintFor(thrown.error.call, thrown.error.cuda.result, situationOf(about));
  return hint === undefined || hint === thrown.error.hint ? thrown : new GpuIpcError({ ...thrown.error, hint });
}
