/** What a group of steps is, and what every group needs. */
import {
  type DevicePtr,
  EventFlag,
  type EventHandle,
  IpcMemFlag,
  type MemHandleBytes,
  type Stream,
  StreamFlag,
  WaitValueFlag,
} from '../cuda/index';
import { Peer } from './peer-client';
import type { Steps } from './report';

export interface Group {
  /** Name in driver-behaviour.json or recorded.json. */
  readonly name: string;
  readonly run: (steps: Steps) => Promise<void>;
}

export const KiB = 1024;
export const MiB = 1024 * KiB;

/** An address that no allocation has. */
export const NOBODYS = 0xdead_0000n as DevicePtr;
export const NULL_POINTER = 0n as DevicePtr;

/** A peer with the primary context of a device current. */
export async function peerWithContext(
  name: string,
  device = 0,
  env: Readonly<Record<string, string>> = {},
): Promise<Peer> {
  const peer = await Peer.start(name, env);
  await peer.must('init');
  const context = await peer.must('devicePrimaryCtxRetain', await peer.must('deviceGet', device));
  await peer.must('ctxSetCurrent', context);
  return peer;
}

/** A peer for calls that may crash a driver: the next one gets a new process when the last one ended its own. */
export function crashable(name: string): () => Promise<Peer> {
  let peer: Peer | undefined;
  return async () => {
    if (peer?.isRunning !== true) peer = await peerWithContext(name);
    return peer;
  };
}

/** Memory with every byte the same, finished writing. */
export async function filled(peer: Peer, bytes: number, value: number): Promise<DevicePtr> {
  const pointer = await peer.must('memAlloc', bytes);
  await fill(peer, pointer, value, bytes);
  return pointer;
}

async function fill(peer: Peer, pointer: DevicePtr, value: number, bytes: number): Promise<void> {
  await peer.must('memsetD8', pointer, value, bytes);
  await peer.must('ctxSynchronize');
}

/** Whether all of these bytes are `value`. */
export const all = (bytes: Uint8Array | undefined, value: number): boolean =>
  bytes !== undefined && bytes.length > 0 && bytes.every((byte) => byte === value);

export const equal = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && a.length === b.length && a.every((byte, index) => byte === b[index]);

/** The places where two handles differ. */
export const differences = (a: Uint8Array, b: Uint8Array): number[] =>
  [...a.keys()].filter((index) => a[index] !== b[index]);

export const zeroHandle = (): MemHandleBytes => new Uint8Array(64) as MemHandleBytes;

/**
 * Work on a stream that lasts until it is told to end: the stream waits for a flag in device memory. Works the same on
 * a real GPU and in the simulator, and does not depend on time.
 */
export class LongWork {
  private constructor(
    readonly peer: Peer,
    readonly stream: Stream,
    private readonly other: Stream,
    private readonly flag: DevicePtr,
  ) {}

  static async in(peer: Peer): Promise<LongWork> {
    const flag = await filled(peer, 4 * KiB, 0);
    const stream = await peer.must('streamCreate', StreamFlag.NON_BLOCKING);
    const other = await peer.must('streamCreate', StreamFlag.NON_BLOCKING);
    return new LongWork(peer, stream, other, flag);
  }

  /** Queues the wait; what is queued on `stream` afterwards does not begin before `finish`. */
  async begin(): Promise<void> {
    await this.peer.must('memsetD32Async', this.flag, 0, 1, this.other);
    await this.peer.must('streamSynchronize', this.other);
    await this.peer.must('streamWaitValue32', this.stream, this.flag, 1, WaitValueFlag.EQ);
  }

  /** Lets it end, without waiting for what is queued behind it. */
  async release(): Promise<void> {
    await this.peer.must('memsetD32Async', this.flag, 1, 1, this.other);
    await this.peer.must('streamSynchronize', this.other);
  }

  async finish(): Promise<void> {
    await this.release();
    await this.peer.must('streamSynchronize', this.stream);
  }
}

/** The flag without which the driver opens no memory. */
export const LAZY = IpcMemFlag.LAZY_ENABLE_PEER_ACCESS;

/** Flags of an event that can be exported. */
export const INTERPROCESS = EventFlag.INTERPROCESS | EventFlag.DISABLE_TIMING;

/** An interprocess event and its handle. */
export async function exportedEvent(peer: Peer) {
  const event = await peer.must('eventCreate', INTERPROCESS);
  return { event, handle: await peer.must('ipcGetEventHandle', event) };
}

/** Memory with every byte `value`, and its handle. */
export async function exportedMemory(peer: Peer, bytes: number, value: number) {
  const pointer = await filled(peer, bytes, value);
  return { pointer, handle: await peer.must('ipcGetMemHandle', pointer) };
}

export const NULL_EVENT = 0n as EventHandle;
export const NULL_STREAM = 0n as Stream;
