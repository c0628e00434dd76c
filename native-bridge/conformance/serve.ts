/** Answers requests for driver calls, in whatever process or thread this is loaded into. */
import { GpuIpcError } from '#contract/result';
import { asDevicePtr, openCuda, type Stream } from '../cuda/index';
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
