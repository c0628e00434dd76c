/**
 * The app's side of a check: this process makes shared memory and events through the bindings, and opens what a snippet
 * shared. One context on device 0 for the life of the process.
 */
import { readlinkSync } from 'node:fs';
import type { ShareDescriptor } from '#contract/descriptor';
import {
  AccessFlag,
  asEventHandle,
  asMemHandle,
  asPoolPointer,
  type Cuda,
  DEFAULT_STREAM,
  type DeviceId,
  type DevicePtr,
  EventFlag,
  HandleType,
  IpcMemFlag,
  offsetBy,
  openCuda,
  StreamFlag,
  WaitValueFlag,
} from '../cuda/index';
import { copyForeignDescriptor } from '../posix/foreign-descriptors';
import { closeDescriptor } from '../posix/libc';

const MiB = 1024 * 1024;
/** Every byte of what `unfinished` writes. */
const WRITTEN_LATE = 0x5c;

/** What every byte of shared memory holds: places that could be mistaken for one another do not look alike. */
const pattern = Uint8Array.from(
  { length: 4 * MiB },
  (_, index) => (index * 7 + (index >> 8) * 13 + (index >> 16) * 31) & 0xff,
);

/** Part of a descriptor: what does not follow from the memory itself. */
export type Meaning = Pick<ShareDescriptor, 'dtype' | 'shape' | 'strides' | 'label'>;

export interface Shared {
  readonly descriptor: ShareDescriptor;
  /** What an importer must find where the data begin. */
  readonly first: Uint8Array;
  readonly release: () => void;
}

export class OurSide {
  readonly #cuda: Cuda;
  readonly #device: DeviceId;
  readonly uuid: string;

  constructor(library: string) {
    this.#cuda = openCuda(library);
    this.#cuda.init();
    this.#device = this.#cuda.deviceGet(0);
    this.#cuda.ctxSetCurrent(this.#cuda.devicePrimaryCtxRetain(this.#device));
    const hex = Buffer.from(this.#cuda.deviceGetUuid(this.#device)).toString('hex');
    this.uuid = `GPU-${hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`;
  }

  /** Ends the context: on a real driver the tables of its events stay in /dev/shm else. */
  end(): void {
    this.#cuda.devicePrimaryCtxRelease(this.#device);
  }

  /** @param withEvent whether the descriptor names an event to wait for */
  legacy(offset: number, size: number, meaning: Meaning, withEvent: boolean): Shared {
    const room = 4 * MiB;
    const memory = this.#cuda.memAlloc(room);
    this.#fill(memory, room);
    const event = withEvent ? this.#recordedEvent() : undefined;
    const handle = toHex(this.#cuda.ipcGetMemHandle(memory));
    return {
      descriptor: {
        ...this.#base('legacy', offset, size, meaning),
        handle,
        allocationSize: room,
        ...(event && { event: event.handle }),
      },
      first: firstBytes(offset, size),
      release: () => {
        event?.destroy();
        this.#cuda.memFree(memory);
      },
    };
  }

  pool(offset: number, size: number, meaning: Meaning): Shared {
    const room = 4 * MiB;
    const pool = this.#cuda.memPoolCreate({ handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 });
    const descriptor = this.#cuda.memPoolExportToShareableHandle(pool);
    const memory = this.#cuda.memAllocFromPoolAsync(room, pool, DEFAULT_STREAM);
    this.#cuda.ctxSynchronize();
    this.#fill(memory, room);
    const handle = toHex(this.#cuda.memPoolExportPointer(memory));
    return {
      descriptor: {
        ...this.#base('pool', offset, size, meaning),
        handle,
        descriptors: [{ fd: descriptor, bytes: null }],
        allocationSize: room,
      },
      first: firstBytes(offset, size),
      release: () => {
        closeDescriptor(descriptor);
        this.#cuda.memFreeAsync(memory, DEFAULT_STREAM);
        this.#cuda.ctxSynchronize();
        this.#cuda.memPoolDestroy(pool);
      },
    };
  }

  /** Two physical memories side by side. */
  virtual(offset: number, size: number, meaning: Meaning): Shared {
    const piece = 2 * MiB;
    const room = 2 * piece;
    const of = { handleTypes: HandleType.POSIX_FILE_DESCRIPTOR, deviceOrdinal: 0 };
    const base = this.#cuda.memAddressReserve(room);
    const pieces = [0, piece].map((at) => {
      const memory = this.#cuda.memCreate(piece, of);
      this.#cuda.memMap(offsetBy(base, at), piece, memory);
      return { memory, descriptor: this.#cuda.memExportToShareableHandle(memory) };
    });
    this.#cuda.memSetAccess(base, room, 0, AccessFlag.READWRITE);
    this.#fill(base, room);
    return {
      descriptor: {
        ...this.#base('virtual', offset, size, meaning),
        descriptors: pieces.map(({ descriptor }) => ({ fd: descriptor, bytes: piece })),
        allocationSize: room,
      },
      first: firstBytes(offset, size),
      release: () => {
        this.#cuda.memUnmap(base, room);
        for (const { memory, descriptor } of pieces) {
          closeDescriptor(descriptor);
          this.#cuda.memRelease(memory);
        }
        this.#cuda.memAddressFree(base, room);
      },
    };
  }

  /**
   * Memory that is written only when `finish` is called, and an event that is not ready before. Until then nothing in
   * this process may free or unmap: the driver would wait for this stream, and nobody would end it.
   */
  unfinished(size: number, meaning: Meaning): Shared & { readonly finish: () => void } {
    const room = 2 * MiB;
    const memory = this.#cuda.memAlloc(room);
    const flag = this.#cuda.memAlloc(4);
    this.#cuda.memsetD8(memory, 0xee, room);
    this.#cuda.memsetD32(flag, 0, 1);
    this.#cuda.ctxSynchronize();
    const stream = this.#cuda.streamCreate(StreamFlag.NON_BLOCKING);
    const writer = this.#cuda.streamCreate(StreamFlag.NON_BLOCKING);
    const event = this.#cuda.eventCreate(EventFlag.INTERPROCESS | EventFlag.DISABLE_TIMING);
    this.#cuda.streamWaitValue32(stream, flag, 1, WaitValueFlag.GEQ);
    this.#cuda.eventRecord(event, stream);
    return {
      descriptor: {
        ...this.#base('legacy', 0, size, meaning),
        handle: toHex(this.#cuda.ipcGetMemHandle(memory)),
        allocationSize: room,
        event: toHex(this.#cuda.ipcGetEventHandle(event)),
      },
      first: new Uint8Array(Math.min(size, 16)).fill(WRITTEN_LATE),
      finish: () => {
        // A fill, because that waits for nothing here; a copy might.
        this.#cuda.memsetD8Async(memory, WRITTEN_LATE, room, writer);
        this.#cuda.streamWriteValue32(writer, flag, 1);
      },
      release: () => {
        this.#cuda.streamSynchronize(stream);
        this.#cuda.eventDestroy(event);
        for (const each of [stream, writer]) this.#cuda.streamDestroy(each);
        for (const each of [memory, flag]) this.#cuda.memFree(each);
      },
    };
  }

  /** Looks like fabric memory, and is none: for code that is compiled only. */
  likeFabric(): ShareDescriptor {
    return { ...this.#base('fabric', 0, 4096, {}), handle: '5a'.repeat(64), allocationSize: 2 * MiB };
  }

  event(): Shared {
    const { handle, destroy } = this.#recordedEvent();
    return { descriptor: { ...this.#base('event', 0, 0, {}), handle }, first: new Uint8Array(), release: destroy };
  }

  /**
   * Opens what somebody else's descriptor describes, reads the first bytes of the data, and lets go. Whatever event it
   * names has to be ready.
   */
  read(descriptor: ShareDescriptor, bytes: number): Uint8Array {
    if (descriptor.event !== undefined) this.#expectReady(descriptor.event);
    const { handle = '', descriptors = [], exporter, offset } = descriptor;
    const from = (base: DevicePtr): Uint8Array => {
      const into = new Uint8Array(bytes);
      this.#cuda.memcpyDtoH(into, offsetBy(base, offset), bytes);
      return into;
    };
    switch (descriptor.mechanism) {
      case 'legacy': {
        const base = this.#cuda.ipcOpenMemHandle(asMemHandle(fromHex(handle)), IpcMemFlag.LAZY_ENABLE_PEER_ACCESS);
        try {
          return from(base);
        } finally {
          this.#cuda.ipcCloseMemHandle(base);
        }
      }
      case 'pool': {
        const copied = copyForeignDescriptor(exporter.pid, descriptors[0]?.fd ?? -1);
        const pool = this.#cuda.memPoolImportFromShareableHandle(copied);
        closeDescriptor(copied);
        const base = this.#cuda.memPoolImportPointer(pool, asPoolPointer(fromHex(handle)));
        try {
          return from(base);
        } finally {
          this.#cuda.memFreeAsync(base, DEFAULT_STREAM);
          this.#cuda.ctxSynchronize();
          this.#cuda.memPoolDestroy(pool);
        }
      }
      case 'virtual': {
        const [piece, ...more] = descriptors;
        if (piece?.bytes == null || more.length > 0) throw new Error('one memory of a known size was expected');
        const copied = copyForeignDescriptor(exporter.pid, piece.fd);
        const memory = this.#cuda.memImportFromShareableHandle(copied);
        closeDescriptor(copied);
        const base = this.#cuda.memAddressReserve(piece.bytes);
        this.#cuda.memMap(base, piece.bytes, memory);
        this.#cuda.memSetAccess(base, piece.bytes, 0, AccessFlag.READWRITE);
        try {
          return from(base);
        } finally {
          this.#cuda.memUnmap(base, piece.bytes);
          this.#cuda.memRelease(memory);
          this.#cuda.memAddressFree(base, piece.bytes);
        }
      }
      case 'event':
        this.#expectReady(handle);
        return new Uint8Array();
      default:
        throw new Error(`this check does not open ${descriptor.mechanism} memory`);
    }
  }

  #expectReady(handle: string): void {
    const event = this.#cuda.ipcOpenEventHandle(asEventHandle(fromHex(handle)));
    const status = this.#cuda.eventQuery(event);
    this.#cuda.eventDestroy(event);
    if (status !== 'ready') throw new Error('the event is not ready, and everything before it was done');
  }

  #recordedEvent(): { readonly handle: string; readonly destroy: () => void } {
    const event = this.#cuda.eventCreate(EventFlag.INTERPROCESS | EventFlag.DISABLE_TIMING);
    this.#cuda.eventRecord(event, DEFAULT_STREAM);
    const handle = toHex(this.#cuda.ipcGetEventHandle(event));
    return { handle, destroy: () => this.#cuda.eventDestroy(event) };
  }

  #fill(memory: DevicePtr, bytes: number): void {
    this.#cuda.memcpyHtoD(memory, pattern, bytes);
    this.#cuda.ctxSynchronize();
  }

  #base(mechanism: ShareDescriptor['mechanism'], offset: number, size: number, meaning: Meaning): ShareDescriptor {
    return {
      format: 'gpu-ipc-descriptor',
      version: 1,
      mechanism,
      exporter: { pid: process.pid, pidNamespace: readlinkSync('/proc/self/ns/pid'), name: 'snippets-check' },
      device: { uuid: this.uuid, ordinal: 0 },
      offset,
      size,
      ...meaning,
    };
  }
}

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const fromHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const firstBytes = (offset: number, size: number): Uint8Array => pattern.slice(offset, offset + Math.min(size, 16));
