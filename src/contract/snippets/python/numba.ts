/** Numba: the driver's legacy handles. */
import type { Library } from '#contract/snippets/library';
import { BLOCK_BYTES, type Plan } from '#contract/snippets/plan';
import { blocks, definitions, indent, lines } from '#contract/snippets/text';
import { handleStructure, loading, waitForEvent } from './driver-calls';
import {
  contiguous,
  exportConstants,
  importConstants,
  LINUX,
  numpyArray,
  opening,
  PYTHON,
  printing,
  tuple,
} from './shared';

const HOW = 'with Numba';

const findDevice = `
def find_device(wanted):
    """By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES)."""
    for device in cuda.list_devices():
        if wanted.lower().endswith(device.uuid.lower().removeprefix("gpu-")):
            return device.id
    raise SystemExit(f"{wanted} is not here, or CUDA_VISIBLE_DEVICES hides it")`;

/** Numba's own name for its module is the one that the ctypes pieces use for the library. */
const asLibrary = (code: string): string =>
  code
    .replaceAll('cuda = c.CDLL', 'libcuda = c.CDLL')
    .replaceAll('getattr(cuda,', 'getattr(libcuda,')
    .replaceAll(/\bcuda\.cu/g, 'libcuda.cu');

function importer(plan: Plan): { code: string; notes: readonly string[] } {
  const found = numpyArray(plan);
  // Without dimensions Numba makes no array.
  const array = found.shape.length === 0 ? { ...found, shape: [1], strides: [found.itemBytes] } : found;
  const steps = array.strides ?? contiguous(array);
  const waits = plan.event !== undefined;
  return {
    code: blocks(
      opening(plan, 'importer', HOW),
      blocks(
        lines(waits && 'import ctypes as c', waits && 'import time'),
        lines('import numpy as np', 'from numba import cuda'),
      ),
      importConstants(plan),
      definitions(
        waits && `# Numba knows no interprocess events: the driver is asked itself.\n${asLibrary(loading).trim()}`,
        waits && handleStructure,
        findDevice,
        lines(
          'cuda.select_device(find_device(DEVICE))',
          'cuda.current_context()',
          waits && asLibrary(waitForEvent('EVENT')),
        ),
      ),
      lines(
        '# Closed when the block ends: one reference less, and the exporter keeps its memory.',
        `with cuda.open_ipc_array(
    HANDLE, shape=${tuple(array.shape)}, dtype=np.dtype("${array.dtype}"), strides=${tuple(steps)}, offset=OFFSET
) as array:`,
        indent(
          array.dtype === 'uint8' && array.shape.length === 1 && array.strides === undefined
            ? `print("first bytes:", array[:${plan.first}].copy_to_host().tobytes().hex(" "))`
            : `
# The same memory as bytes.
raw = cuda.cudadrv.devicearray.DeviceNDArray((${plan.first},), (1,), np.dtype("uint8"), gpu_data=array.gpu_data)
print("first bytes:", raw.copy_to_host().tobytes().hex(" "))`.trim(),
        ),
      ),
    ),
    notes: [
      ...found.notes,
      ...(waits ? ['Numba knows no interprocess events: the driver is asked itself, through ctypes.'] : []),
    ],
  };
}

function exporter(plan: Plan): { code: string; notes: readonly string[] } {
  return {
    code: blocks(
      opening(plan, 'exporter', HOW),
      blocks(lines('import json', 'import os', 'import sys'), lines('import numpy as np', 'from numba import cuda')),
      exportConstants(plan),
      definitions(
        findDevice,
        `
cuda.select_device(find_device(DEVICE))
# Whole blocks of 2 MiB: smaller allocations share one with others, and a handle opens all of it.
ROOM = -(-SIZE // ${BLOCK_BYTES}) * ${BLOCK_BYTES}
data = np.zeros(ROOM, dtype=np.uint8)
data[: len(PATTERN)] = np.frombuffer(PATTERN, dtype=np.uint8)
array = cuda.to_device(data)
cuda.synchronize()  # an importer sees what is finished
shared = cuda.current_context().get_ipc_handle(array.gpu_data)
handle = bytes(getattr(shared.handle, "reserved", shared.handle))  # with NVIDIA's bindings, or without`,
      ),
      printing(plan, { handle: 'handle.hex()', offset: 'shared.offset' }),
      'del shared, array',
    ),
    notes:
      plan.event === undefined
        ? []
        : [
            'Numba knows no interprocess events: the descriptor is printed when the data have been written, without one.',
          ],
  };
}

const bindings = 'CUDA Python (cuda.bindings) can, and Numba then takes the address through the CUDA array interface.';

export const numba: Library = {
  language: 'python',
  library: 'numba',
  name: 'Numba',
  cannot: (mechanism) => {
    switch (mechanism) {
      case 'pool':
        return `Numba opens legacy handles only (open_ipc_array): it has no memory pools. ${bindings}`;
      case 'virtual':
        return `Numba opens legacy handles only (open_ipc_array): it has no calls for virtual memory. ${bindings}`;
      case 'fabric':
        return `Numba opens legacy handles only (open_ipc_array): it has no calls for fabric handles. ${bindings}`;
      case 'event':
        return 'Numba has events, but can neither export nor open one. CUDA Python (cuda.bindings), CuPy and PyTorch can.';
      default:
        return undefined;
    }
  },
  write: (plan, side) => {
    const { code, notes } = side === 'importer' ? importer(plan) : exporter(plan);
    return {
      code: `${code}\n`,
      requires: [LINUX, PYTHON, 'NumPy', 'Numba 0.57 or newer, with numba-cuda or its own CUDA target'],
      notes,
    };
  },
};
