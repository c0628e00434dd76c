/** CuPy: the runtime's legacy handles and events. */
import type { Library } from '#contract/snippets/library';
import { BLOCK_BYTES, type Plan } from '#contract/snippets/plan';
import { blocks, indent, lines } from '#contract/snippets/text';
import {
  eventOpening,
  exportConstants,
  importConstants,
  LINUX,
  numpyArray,
  opening,
  PYTHON,
  printing,
  tuple,
  waiting,
} from './shared';

const HOW = 'with CuPy';

/** Constants and imports. CuPy names devices by ordinal only, so the variable has to do it. */
const beginning = (modules: readonly string[], constants: string): string =>
  blocks(
    lines(...modules.map((module) => `import ${module}`)),
    constants,
    `
# By UUID: ordinals differ between processes. Set before CUDA is there, and then there is only this device.
os.environ["CUDA_VISIBLE_DEVICES"] = DEVICE

import cupy
from cupy.cuda import runtime`,
  );

const waitFor = (handle: string): string =>
  lines(
    `event = runtime.ipcOpenEventHandle(${handle})`,
    waiting('runtime.eventQuery(event) == 600', 'NOT_READY'),
    "runtime.eventDestroy(event)  # only this process's view of it",
  );

function importer(plan: Plan): { code: string; notes: readonly string[] } {
  const { mechanism, event, first } = plan;
  const isEvent = mechanism === 'event';
  const waits = isEvent || event !== undefined;
  const array = numpyArray(plan);
  const head = blocks(
    (isEvent ? eventOpening : opening)(plan, 'importer', HOW),
    beginning(['os', ...(waits ? ['time'] : [])], importConstants(plan)),
  );
  if (isEvent)
    return {
      code: blocks(head, 'runtime.free(0)  # makes the context', waitFor('HANDLE'), 'print("event: ready")'),
      notes: [],
    };
  const strides = array.strides === undefined ? '' : `, strides=${tuple(array.strides)}`;
  return {
    code: blocks(
      head,
      `
runtime.free(0)  # makes the context
base = runtime.ipcOpenMemHandle(HANDLE)  # with LAZY_ENABLE_PEER_ACCESS, the only flag that the driver takes`,
      lines(
        'try:',
        indent(
          lines(
            event !== undefined && waitFor('EVENT'),
            `
# Not CuPy's to free, and no longer than it is open.
memory = cupy.cuda.UnownedMemory(base, OFFSET + SIZE, owner=None)
start = cupy.cuda.MemoryPointer(memory, OFFSET)
array = cupy.ndarray(${tuple(array.shape)}, cupy.${array.dtype === 'bool' ? 'bool_' : array.dtype}, start${strides})
first = cupy.ndarray((${first},), cupy.uint8, start)
print("first bytes:", cupy.asnumpy(first).tobytes().hex(" "))
del array, first, start, memory`,
          ),
        ),
        'finally:',
        indent('runtime.ipcCloseMemHandle(base)  # one reference less; the exporter keeps its memory'),
      ),
    ),
    notes: array.notes,
  };
}

const recorded = `
flags = runtime.eventInterprocess | runtime.eventDisableTiming  # an interprocess event cannot take times
event = runtime.eventCreateWithFlags(flags)
runtime.eventRecord(event, cupy.cuda.Stream.null.ptr)  # ready when everything before it is done
ready = bytes(runtime.ipcGetEventHandle(event))`;

function exporter(plan: Plan): { code: string; notes: readonly string[] } {
  const isEvent = plan.mechanism === 'event';
  const shares = isEvent || plan.event !== undefined;
  const array = numpyArray({ ...plan, ...(plan.array && { array: { ...plan.array, strides: undefined } }) });
  const head = blocks(
    (isEvent ? eventOpening : opening)(plan, 'exporter', HOW),
    beginning(['json', 'os', 'sys'], exportConstants(plan)),
  );
  if (isEvent) {
    return {
      code: blocks(
        head,
        lines('runtime.free(0)  # makes the context', recorded),
        printing(plan, { handle: 'ready.hex()' }),
        'runtime.eventDestroy(event)',
      ),
      notes: [],
    };
  }
  return {
    code: blocks(
      head,
      lines(
        `
# Not from CuPy's pool: a handle opens the whole allocation, and there the pool has other arrays too. Whole blocks of
# 2 MiB, because the driver does the same to smaller ones.
cupy.cuda.set_allocator(None)
ROOM = -(-SIZE // ${BLOCK_BYTES}) * ${BLOCK_BYTES}
memory = cupy.cuda.alloc(ROOM)
data = cupy.ndarray((SIZE,), cupy.uint8, memory)
data[:] = 0
data[: len(PATTERN)] = cupy.frombuffer(PATTERN, dtype=cupy.uint8)`,
        plan.array &&
          `array = cupy.ndarray(${tuple(array.shape)}, cupy.${array.dtype === 'bool' ? 'bool_' : array.dtype}, memory)  # the same bytes as elements`,
        shares
          ? recorded
          : 'cupy.cuda.Device().synchronize()  # an importer sees what is finished: wait here, or share an event as well',
        'handle = bytes(runtime.ipcGetMemHandle(memory.ptr))',
      ),
      printing(plan, { handle: 'handle.hex()', allocationSize: 'ROOM', ...(shares ? { event: 'ready.hex()' } : {}) }),
      lines(shares && 'runtime.eventDestroy(event)', plan.array ? 'del array, data, memory' : 'del data, memory'),
    ),
    notes: array.notes,
  };
}

const bindings = 'CUDA Python (cuda.bindings) can, and CuPy then takes the address with cupy.cuda.UnownedMemory.';

export const cupy: Library = {
  language: 'python',
  library: 'cupy',
  name: 'CuPy',
  cannot: (mechanism) => {
    switch (mechanism) {
      case 'pool':
        return `CuPy has memory pools (MemoryAsyncPool) but no call that exports or imports one: it shares by legacy handle only. ${bindings}`;
      case 'virtual':
        return `CuPy has no calls for virtual memory: it shares by legacy handle only. ${bindings}`;
      case 'fabric':
        return `CuPy has no calls for fabric handles: it shares by legacy handle only. ${bindings}`;
      default:
        return undefined;
    }
  },
  write: (plan, side) => {
    const { code, notes } = side === 'importer' ? importer(plan) : exporter(plan);
    return {
      code: `${code}\n`,
      requires: [LINUX, PYTHON, 'CuPy 12 or newer (pip install cupy-cuda13x, or -cuda12x)'],
      notes: [
        ...notes,
        'CUDA_VISIBLE_DEVICES is how the device is chosen by its UUID here; in a program that uses more devices, look it up with another library.',
      ],
    };
  },
};
