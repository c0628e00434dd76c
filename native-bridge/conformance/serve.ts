/** Answers requests for driver calls, in whatever process or thread this is loaded into. */
import { openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { GpuIpcError } from '#contract/result';
import { asDevicePtr, openCuda, type Stream } from '../cuda/index';
import { DescriptorChannel, DescriptorListener } from '../posix/descriptor-channel';
import { copyForeignDescriptor } from '../posix/foreign-descriptors';
import { closeDescriptor } from '../posix/libc';
import type { Answer, Commands, Request } from './protocol';

/**
 * Opens a driver library and nothing more: no initialisation, no context.
 * @returns a function that makes one call and reports its result; it never throws
 */
export function serve(library: string): (request: Request) => Answer {
  let last: number | undefined;
  const cuda = openCuda(library, {
    observer: (_name, _args, result) => {
      last = result;
    },
  });

  const buffers = new Map<string, Uint8Array>();
  const buffer = (name: string): Uint8Array => {
    const found = buffers.get(name);
    if (found === undefined) throw new Error(`no buffer ${name}`);
    return found;
  };

  let listener: DescriptorListener | undefined;

  const commands: Commands = {
    read: (pointer, bytes) => {
      // At least one byte: an empty typed array has no address.
      const into = new Uint8Array(Math.max(bytes, 1));
      cuda.memcpyDtoH(into, asDevicePtr(pointer), bytes);
      return into.subarray(0, bytes);
    },
    register: (name, bytes) => {
      if (!buffers.has(name)) buffers.set(name, new Uint8Array(bytes));
      cuda.memHostRegister(buffer(name));
    },
    unregister: (name) => cuda.memHostUnregister(buffer(name)),
    readInto: (name, pointer, bytes) => {
      cuda.memcpyDtoH(buffer(name), asDevicePtr(pointer), bytes);
      return buffer(name).slice(0, bytes);
    },
    readAsync: (name, pointer, bytes, stream) =>
      cuda.memcpyDtoHAsync(buffer(name), asDevicePtr(pointer), stream as Stream, bytes),
    writeAsync: (name, pointer, bytes, stream) =>
      cuda.memcpyHtoDAsync(asDevicePtr(pointer), buffer(name), stream as Stream, bytes),
    contents: (name) => buffer(name).slice(),
    listen: (name) => {
      listener?.close();
      listener = DescriptorListener.at(name);
    },
    sendDescriptors: (name, descriptors, payload) => {
      const channel = DescriptorChannel.connect(name);
      try {
        channel.send({ payload, descriptors });
      } finally {
        channel.close();
      }
    },
    receiveDescriptors: () => {
      // The sender has done its part before the test asks: nothing to wait for.
      const channel = listener?.accept();
      const message = channel?.receive();
      channel?.close();
      if (message === undefined || message === 'end') throw new Error('no peer sent anything');
      return message;
    },
    copyDescriptor: copyForeignDescriptor,
    closeDescriptor,
    openFile: (path) => openSync(path, 'r'),
    readFile: (descriptor) => {
      const into = new Uint8Array(4096);
      return into.slice(0, readSync(descriptor, into, 0, into.length, 0));
    },
    openDescriptors: () => readdirSync('/proc/self/fd').flatMap((number) => openDescriptor(number) ?? []),
    exit: () => {
      setImmediate(() => process.exit(0));
    },
  };
  const functions = { ...cuda, ...commands } as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;

  return ({ id, call, args }) => {
    last = undefined;
    let value: unknown;
    let error: string | undefined;
    let missing = false;
    try {
      value = functions[call]?.(...args);
    } catch (thrown) {
      missing = thrown instanceof GpuIpcError && thrown.error.code === 'unsupported';
      if (!(thrown instanceof GpuIpcError && thrown.error.code === 'driver-error')) {
        error = thrown instanceof Error ? thrown.message : String(thrown);
      }
    }
    const result = last === undefined ? undefined : cuda.describeResult(last).name;
    return { id, result, value, ...(error === undefined ? {} : { error }), missing };
  };
}

/** `7 → /dev/null`; undefined for the descriptor of the listing itself, which is closed by now. */
function openDescriptor(number: string): string | undefined {
  try {
    return `${number} → ${readlinkSync(`/proc/self/fd/${number}`)}`;
  } catch {
    return undefined;
  }
}
