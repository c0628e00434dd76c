/**
 * Launching on a device: modules loaded when first needed, and lanes. A lane is what one job needs for itself: a stream
 * that does not wait for the default stream, memory for results on the device, and page-locked memory that they are
 * copied to behind the kernel. So nothing here blocks: an event says when both are done.
 */
import { GpuIpcError } from '#contract/result';
import {
  type Cuda,
  type DevicePtr,
  EventFlag,
  type EventHandle,
  type Kernel,
  MemHostRegisterFlag,
  type Module,
  offsetBy,
  type Stream,
  StreamFlag,
} from '#native/cuda/index';
import { type KernelModule, kernelModules } from '#native/kernels/modules';
import type { Session } from '../session';
import type { Job } from './types';

/** Of a lane's memory on the device, and as much on the host. */
export const RESULT_BYTES = 4 * 1024 * 1024;

/** CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT */
const MULTIPROCESSORS = 16;

/** Bytes that a launch works on: at first, at least, at most. How long the last one took says how many it is next. */
const REAL_CHUNK = { first: 4 * 1024 ** 3, least: 64 * 1024 ** 2, most: 16 * 1024 ** 3 };
const SIMULATED_CHUNK = { first: 8 * 1024 ** 2, least: 1024 ** 2, most: 256 * 1024 ** 2 };
const CHUNK_MS = 100;
/** What every chunk is a multiple of: so many bytes hold whole groups of any type. */
const CHUNK_UNIT = 1024 ** 2;

export const cancelled = (): GpuIpcError =>
  new GpuIpcError({ code: 'cancelled', message: 'This was cancelled before it was done.' });

/** An argument of a kernel: 64 bits. */
export type KernelArgument = bigint | number;

const bitsOfDouble = new DataView(new ArrayBuffer(8));
/** A double as the 64 bits of a kernel's argument. */
export function asDouble(value: number): bigint {
  bitsOfDouble.setFloat64(0, value, true);
  return bitsOfDouble.getBigUint64(0, true);
}
/** A single in the low half of an argument. */
export function asSingle(value: number): bigint {
  bitsOfDouble.setFloat32(0, value, true);
  return BigInt(bitsOfDouble.getUint32(0, true));
}

export interface Lane {
  readonly stream: Stream;
  readonly event: EventHandle;
  /** On the device. */
  readonly memory: DevicePtr;
  /** Where `memory` is copied to. */
  readonly host: Uint8Array<ArrayBuffer>;
  readonly registered: boolean;
}

export class KernelDevice {
  readonly multiprocessors: number;
  private readonly modules = new Map<KernelModule, Module>();
  private readonly kernels = new Map<string, Kernel>();
  private readonly lanes: Lane[] = [];
  private readonly free: Lane[] = [];
  private released = false;

  constructor(
    private readonly session: Session,
    private readonly ordinal: number,
  ) {
    const device = session.device(ordinal);
    const count = session.call({ args: `multiprocessors of device ${ordinal}` }, (cuda) =>
      cuda.deviceGetAttribute(MULTIPROCESSORS, device),
    );
    this.multiprocessors = count ?? 1;
  }

  /** Does a job with a lane of its own. */
  async withLane<T>(work: (lane: Lane) => Promise<T>): Promise<T> {
    const lane = this.free.pop() ?? this.newLane();
    try {
      return await work(lane);
    } finally {
      this.free.push(lane);
    }
  }

  /**
   * Queues work on a lane and waits until it is done.
   * @param queue launches and copies; everything on `lane.stream`
   * @throws GpuIpcError `cancelled`, before it was queued or after it is done
   */
  async step(lane: Lane, job: Job, args: string, queue: (cuda: Cuda) => void): Promise<void> {
    if (this.released || job.cancelled()) throw cancelled();
    this.session.use(this.ordinal);
    this.session.call({ args }, (cuda) => {
      queue(cuda);
      cuda.eventRecord(lane.event, lane.stream);
    });
    while (!this.isDone(lane, args)) {
      await job.pause();
      if (this.released) throw cancelled();
    }
    if (job.cancelled()) throw cancelled();
  }

  /** Launches a kernel of a module on a lane. Call it from the `queue` of a step. */
  launch(
    lane: Lane,
    module: KernelModule,
    name: string,
    { blocks, threads }: { blocks: number; threads: number },
    values: readonly KernelArgument[],
  ): void {
    const kernel = this.kernel(module, name);
    this.session.cuda.launchKernel(kernel, {
      grid: [blocks, 1, 1],
      block: [threads, 1, 1],
      stream: lane.stream,
      arguments: values.map((value) => BigInt.asUintN(64, BigInt(value))),
    });
  }

  /** Copies part of a lane's device memory to the same place of its host memory, in the order of its stream. */
  readBack(lane: Lane, offset: number, bytes: number): void {
    const into = lane.host.subarray(offset, offset + bytes);
    this.session.cuda.memcpyDtoHAsync(into, offsetBy(lane.memory, offset), lane.stream);
  }

  /** Copies bytes from the lane's host memory to the same place on the device. */
  upload(lane: Lane, offset: number, bytes: number): void {
    const from = lane.host.subarray(offset, offset + bytes);
    this.session.cuda.memcpyHtoDAsync(offsetBy(lane.memory, offset), from, lane.stream);
  }

  /** Sizes of chunks that take a fraction of a second each. */
  chunks(): { next(): number; took(bytes: number, ms: number): void } {
    const { first, least, most } = this.session.info.kind === 'simulator' ? SIMULATED_CHUNK : REAL_CHUNK;
    let size = first;
    return {
      next: () => size,
      took: (bytes, ms) => {
        const wanted = (bytes / Math.max(ms, 0.1)) * CHUNK_MS;
        const units = Math.floor(Math.min(most, Math.max(least, wanted, size / 8), size * 8) / CHUNK_UNIT);
        size = Math.max(1, units) * CHUNK_UNIT;
      },
    };
  }

  /** Gives everything back. The context has to be alive. */
  release(): void {
    if (this.released) return;
    this.released = true;
    this.session.use(this.ordinal);
    const about = { args: `whole-buffer kernels of device ${this.ordinal}` };
    for (const lane of this.lanes) {
      this.session.call(about, (cuda) => {
        cuda.streamDestroy(lane.stream);
        cuda.eventDestroy(lane.event);
        cuda.memFree(lane.memory);
        if (lane.registered) cuda.memHostUnregister(lane.host);
      });
    }
    for (const module of this.modules.values()) this.session.call(about, (cuda) => cuda.moduleUnload(module));
    this.lanes.length = 0;
    this.free.length = 0;
    this.modules.clear();
    this.kernels.clear();
  }

  private isDone(lane: Lane, args: string): boolean {
    return this.session.call({ args }, (cuda) => cuda.eventQuery(lane.event)) === 'ready';
  }

  private kernel(module: KernelModule, name: string): Kernel {
    const known = this.kernels.get(name);
    if (known !== undefined) return known;
    let loaded = this.modules.get(module);
    if (loaded === undefined) {
      loaded = this.session.call({ args: `kernels ${module}`, slow: true }, (cuda) =>
        cuda.moduleLoadData(kernelModules[module]),
      );
      this.modules.set(module, loaded);
    }
    const from = loaded;
    const kernel = this.session.call({ args: `kernel ${name}` }, (cuda) => cuda.moduleGetFunction(from, name));
    this.kernels.set(name, kernel);
    return kernel;
  }

  private newLane(): Lane {
    this.session.use(this.ordinal);
    const about = { args: `whole-buffer kernels of device ${this.ordinal}` };
    return this.session.call(about, (cuda) => {
      const stream = cuda.streamCreate(StreamFlag.NON_BLOCKING);
      const event = cuda.eventCreate(EventFlag.DISABLE_TIMING);
      const memory = cuda.memAlloc(RESULT_BYTES);
      const host = new Uint8Array(RESULT_BYTES);
      let registered = true;
      try {
        cuda.memHostRegister(host, MemHostRegisterFlag.PORTABLE);
      } catch {
        // Then a copy waits for the kernel before it, and the thread with it: the log has the failure.
        registered = false;
      }
      const lane = { stream, event, memory, host, registered };
      this.lanes.push(lane);
      return lane;
    });
  }
}
