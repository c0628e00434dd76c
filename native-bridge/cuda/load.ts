/**
 * Which driver: the machine's own, or the simulator. Says what was tried and why a real one was not taken, in words for
 * the window.
 */
import { existsSync, readFileSync } from 'node:fs';
import type { DriverInfo } from '#contract/devices';
import { GpuIpcError, type IpcError } from '#contract/result';
import type { CallObserver } from './declare';
import { type Cuda, openCuda, versionText } from './driver';
import { kernelDriverRelease } from './release';
import { NO_DEVICE, shortResult } from './results';

/** Oldest driver that has every function this app cannot do without (cuIpcOpenMemHandle_v2 came with it). */
const OLDEST_CUDA = 11_000;

export interface LoadOptions {
  /** `auto` takes the simulator when no real driver answers. */
  readonly driver: 'auto' | 'real' | 'simulator';
  /** Absolute path of the simulator library, whether or not it exists. */
  readonly simulatorPath: string;
  /** Sees every driver call, also those made here. Must not make driver calls itself. */
  readonly observer?: CallObserver | undefined;
  /** Told before each driver call. */
  readonly starting?: ((name: string) => void) | undefined;
  readonly platform?: NodeJS.Platform;
  /** For tests: the name of the real library, instead of the platform's. */
  readonly realLibrary?: string;
}

export interface LoadedDriver {
  /** Initialised: cuInit has succeeded, and there is at least one device. */
  readonly cuda: Cuda;
  readonly info: DriverInfo;
}

type Attempts = DriverInfo['attempts'];
type Tried = { readonly driver: LoadedDriver } | { readonly why: string; readonly error: IpcError };

/**
 * Loads and initialises a driver for this thread.
 * @throws GpuIpcError `no-driver` when none answers; its message says why
 */
export function loadDriver(options: LoadOptions): LoadedDriver {
  const attempts: Attempts = [];
  let reason: string | undefined;

  if (options.driver === 'simulator') {
    reason = 'The simulator was asked for (GPU_IPC_DRIVER=simulator).';
    attempts.push({ what: 'Real driver', ok: null, detail: 'Not tried: the simulator was asked for.' });
  } else {
    const real = tryReal(options, attempts);
    if ('driver' in real) return real.driver;
    if (options.driver === 'real') {
      throw noDriver(`No NVIDIA driver: ${lowerFirst(real.why)}`, real.error, attempts, installDriver(options));
    }
    reason = real.why;
  }

  const simulator = trySimulator(options, attempts, reason);
  if ('driver' in simulator) return simulator.driver;
  throw noDriver(
    options.driver === 'auto'
      ? `No driver could be loaded. NVIDIA driver: ${lowerFirst(reason)} Simulator: ${lowerFirst(simulator.why)}`
      : `The simulator could not be loaded: ${lowerFirst(simulator.why)}`,
    options.driver === 'auto' ? simulator.error : { ...simulator.error, hint: undefined },
    attempts,
    simulator.error.cuda?.result === NO_DEVICE
      ? 'Set GPU_IPC_SIM_DEVICES to 1 or more, and let CUDA_VISIBLE_DEVICES name one of them.'
      : 'Build the simulator: npm run setup.',
  );
}

function installDriver({ platform = process.platform }: LoadOptions): string | undefined {
  return platform === 'linux'
    ? 'Install an NVIDIA driver for CUDA 11.0 or later, or start with GPU_IPC_DRIVER=simulator.'
    : undefined;
}

/** Name of the driver library for the dynamic loader; undefined where NVIDIA makes none. */
export function realLibraryName(platform: NodeJS.Platform = process.platform): string | undefined {
  if (platform === 'win32') return 'nvcuda.dll';
  return platform === 'linux' ? 'libcuda.so.1' : undefined;
}

function tryReal(options: LoadOptions, attempts: Attempts): Tried {
  const platform = options.platform ?? process.platform;
  const library = options.realLibrary ?? realLibraryName(platform);
  if (library === undefined) {
    const system = platform === 'darwin' ? 'macOS' : platform;
    return failed(attempts, 'Real driver', `There is no CUDA driver for ${system}.`);
  }

  const release = kernelDriverRelease();
  attempts.push(
    release === undefined
      ? {
          what: 'NVIDIA kernel module',
          ok: platform === 'linux' ? false : null,
          detail: 'Not loaded, or not visible here.',
        }
      : { what: 'NVIDIA kernel module', ok: true, detail: release },
  );

  const opened = open(library, options, attempts, (message) =>
    explainRealLoadFailure(library, message, release, platform),
  );
  if ('why' in opened) return opened;
  const { cuda } = opened;
  const found = initialise(cuda, attempts, release);
  if (typeof found !== 'string') return found;
  return {
    driver: {
      cuda,
      info: {
        kind: 'real',
        version: found,
        path: loadedPath(library),
        ...(release === undefined ? {} : { release }),
        ...(existsSync(options.simulatorPath) ? {} : { noSimulator: notBuilt(platform) }),
        attempts,
      },
    },
  };
}

function trySimulator(options: LoadOptions, attempts: Attempts, reason: string): Tried {
  const opened = open(options.simulatorPath, options, attempts, (message) =>
    isMissing(message) ? notBuilt(options.platform) : `It cannot be loaded: ${message}.`,
  );
  if ('why' in opened) return opened;
  const found = initialise(opened.cuda, attempts, undefined);
  if (typeof found !== 'string') return found;
  const info: DriverInfo = { kind: 'simulator', version: found, path: options.simulatorPath, reason, attempts };
  return { driver: { cuda: opened.cuda, info } };
}

function open(
  library: string,
  options: LoadOptions,
  attempts: Attempts,
  explain: (message: string) => string,
): { readonly cuda: Cuda } | { readonly why: string; readonly error: IpcError } {
  try {
    const cuda = openCuda(library, { observer: options.observer, starting: options.starting });
    attempts.push({ what: library, ok: true, detail: 'Loaded.' });
    return { cuda };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return failed(attempts, library, explain(message.replace(/^Failed to load shared library: /, '')));
  }
}

/** cuDriverGetVersion, cuInit and cuDeviceGetCount; the version as `13.0` when all is well. */
function initialise(
  cuda: Cuda,
  attempts: Attempts,
  release: string | undefined,
): string | { readonly why: string; readonly error: IpcError } {
  let version: number;
  try {
    version = cuda.driverGetVersion();
  } catch (error) {
    return failed(attempts, 'cuDriverGetVersion', 'The library does not answer as a CUDA driver.', toError(error));
  }
  if (version < OLDEST_CUDA) {
    const why = `The driver${release === undefined ? '' : ` ${release}`} is too old: it supports CUDA ${versionText(version)}, and 11.0 is needed.`;
    return failed(attempts, 'cuDriverGetVersion', why);
  }
  attempts.push({ what: 'cuDriverGetVersion', ok: true, detail: `CUDA ${versionText(version)}` });

  try {
    cuda.init();
    attempts.push({ what: 'cuInit', ok: true, detail: 'SUCCESS' });
  } catch (error) {
    const ipc = toError(error);
    return failed(attempts, 'cuInit', explainInitFailure(ipc), ipc);
  }

  let count: number;
  try {
    count = cuda.deviceGetCount();
  } catch (error) {
    const ipc = toError(error);
    return failed(attempts, 'cuDeviceGetCount', ipc.message, ipc);
  }
  if (count === 0) return failed(attempts, 'cuDeviceGetCount', 'The driver works but finds no GPU for this process.');
  attempts.push({ what: 'cuDeviceGetCount', ok: true, detail: count === 1 ? '1 device' : `${count} devices` });
  return versionText(version);
}

function explainRealLoadFailure(
  library: string,
  message: string,
  release: string | undefined,
  platform: NodeJS.Platform,
): string {
  if (!isMissing(message)) return `${library} was found but cannot be loaded: ${message}.`;
  return release === undefined
    ? `${library} was not found${platform === 'linux' ? ', and no NVIDIA kernel module is seen' : ''}.`
    : `${library} was not found, although the kernel module ${release} is loaded. In a container, start it with its GPUs (docker run --gpus all).`;
}

const notBuilt = (platform: NodeJS.Platform = process.platform): string =>
  platform === 'linux'
    ? 'It has not been built, which takes a C compiler: install gcc, then run npm run setup.'
    : 'It has not been built: it is for Linux only.';

const isMissing = (message: string): boolean =>
  /no such file|cannot find|could not be found|module could not/i.test(message);

function explainInitFailure({ cuda, message, hint }: IpcError): string {
  if (cuda === undefined) return message;
  if (cuda.result === NO_DEVICE) return 'The driver is installed but finds no GPU for this process (NO_DEVICE 100).';
  return `The driver does not start: ${shortResult(cuda)}, ${cuda.text}.${hint === undefined ? '' : ` ${hint}`}`;
}

function failed(
  attempts: Attempts,
  what: string,
  why: string,
  error?: IpcError,
): { readonly why: string; readonly error: IpcError } {
  attempts.push({ what, ok: false, detail: why });
  return { why, error: error ?? { code: 'no-driver', message: why } };
}

/** @param next  what to do, where the cause does not say it itself */
function noDriver(message: string, cause: IpcError, attempts: Attempts, next: string | undefined): GpuIpcError {
  const tried = `Tried in order. ${attempts.map(({ what, detail }) => `${what}: ${detail}`).join(' ')}`;
  return new GpuIpcError({
    code: 'no-driver',
    message,
    hint: cause.hint ?? (next === undefined ? tried : `${next} ${tried}`),
    ...(cause.call === undefined ? {} : { call: cause.call }),
    ...(cause.cuda === undefined ? {} : { cuda: cause.cuda }),
  });
}

function toError(error: unknown): IpcError {
  if (error instanceof GpuIpcError) return error.error;
  return { code: 'no-driver', message: error instanceof Error ? error.message : String(error) };
}

/** The file behind a library name, as the kernel mapped it; the name itself where that cannot be read. */
function loadedPath(library: string): string {
  try {
    const maps = readFileSync('/proc/self/maps', 'utf8');
    const stem = library.replace(/\.1$/, '');
    const line = maps.split('\n').find((candidate) => candidate.includes(`/${stem}`) || candidate.endsWith(library));
    return line?.slice(line.indexOf('/')) ?? library;
  } catch {
    return library;
  }
}

const lowerFirst = (sentence: string): string =>
  /^[A-Z][a-z]/.test(sentence) ? `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}` : sentence;
