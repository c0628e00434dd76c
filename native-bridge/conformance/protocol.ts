/** What a test and a peer process say to each other: one request, one answer, over Node's child process channel. */
import type { CudaCalls } from '../cuda/index';

export interface Request {
  readonly id: number;
  /** A binding by its name (`memAlloc`), or one of the commands below. */
  readonly call: keyof CudaCalls | keyof Commands;
  readonly args: readonly unknown[];
}

export interface Answer {
  readonly id: number;
  /** Full name of the CUresult of the last driver call that was made; undefined when none was. */
  readonly result: string | undefined;
  readonly value: unknown;
  /** Something other than a CUresult went wrong. */
  readonly error?: string;
  /** The driver library has no such function. */
  readonly missing?: boolean;
}

/** What a peer can do besides calling a binding: things that need memory of the peer itself. */
export interface Commands {
  /** cuMemcpyDtoH_v2 of `bytes` bytes (0 too) into new memory. */
  read: (pointer: bigint, bytes: number) => Uint8Array;
  /** cuMemHostRegister_v2 of a buffer that the peer keeps under a name. */
  register: (name: string, bytes: number) => void;
  /** cuMemHostUnregister of it. */
  unregister: (name: string) => void;
  /** cuMemcpyDtoH_v2 into it. */
  readInto: (name: string, pointer: bigint, bytes: number) => Uint8Array;
  /** cuMemcpyDtoHAsync_v2 into it, and cuMemcpyHtoDAsync_v2 out of it. */
  readAsync: (name: string, pointer: bigint, bytes: number, stream: bigint) => void;
  writeAsync: (name: string, pointer: bigint, bytes: number, stream: bigint) => void;
  /** What is in it now. */
  contents: (name: string) => Uint8Array;
  /** Waits at a socket with this name for descriptors from other peers. */
  listen: (name: string) => void;
  /** Sends descriptors to it in one message; they stay open here. */
  sendDescriptors: (name: string, descriptors: readonly number[], payload: Uint8Array) => void;
  /** What the next peer sent. */
  receiveDescriptors: () => { readonly payload: Uint8Array; readonly descriptors: readonly number[] };
  /** Copies a descriptor out of another process. */
  copyDescriptor: (pid: number, descriptor: number) => number;
  closeDescriptor: (descriptor: number) => void;
  /** A descriptor of a file, and what can be read from one. */
  openFile: (path: string) => number;
  readFile: (descriptor: number) => Uint8Array;
  /** What is open: descriptor and where it leads. */
  openDescriptors: () => readonly string[];
  /** Ends the process normally. */
  exit: () => void;
}
