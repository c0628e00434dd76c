/**
 * A peer process of the conformance tests. It makes exactly the driver calls it is told to and reports their results;
 * it never initialises the driver or makes a context by itself. Argument 1: path of the driver library.
 */
import { GpuIpcError } from '#contract/result';
import { asDevicePtr, openCuda } from '../cuda/index';
import type { Answer, Commands, Request } from './protocol';

const library = process.argv[2];
if (library === undefined || process.send === undefined) throw new Error('start this with fork and a library');
const send = process.send.bind(process);

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
  exit: () => {
    setImmediate(() => process.exit(0));
  },
};

const functions = { ...cuda, ...commands } as unknown as Readonly<Record<string, (...args: unknown[]) => unknown>>;

process.on('message', ({ id, call, args }: Request) => {
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
  send({ id, result, value, ...(error === undefined ? {} : { error }), missing } satisfies Answer);
});
process.on('disconnect', () => process.exit(1));
send({ id: 0, result: undefined, value: process.pid } satisfies Answer);
