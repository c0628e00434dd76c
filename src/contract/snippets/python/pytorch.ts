/** PyTorch: tensors over memory that the driver opened, and its own events. */
import { type DtypeId, dtypes } from '#contract/dtypes';
import type { Library } from '#contract/snippets/library';
import { extentOf, type Plan } from '#contract/snippets/plan';
import { blocks, definitions, lines } from '#contract/snippets/text';
import { handleStructure, importsFor, loading, openedAround, preparing } from './driver-calls';
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

const HOW = 'with PyTorch';

/** What PyTorch calls an element type; those without a name of their own in the array interface get it by view. */
const torchNames: Readonly<Record<DtypeId, string | undefined>> = {
  u8: 'uint8',
  i8: 'int8',
  u16: 'uint16',
  i16: 'int16',
  u32: 'uint32',
  i32: 'int32',
  u64: 'uint64',
  i64: 'int64',
  f16: 'float16',
  bf16: 'bfloat16',
  f32: 'float32',
  f64: 'float64',
  f8e4m3: 'float8_e4m3fn',
  f8e5m2: 'float8_e5m2',
  bool: 'bool',
  c64: 'complex64',
  c128: 'complex128',
  i4: undefined,
  u4: undefined,
};

/** `<f4`: how the CUDA array interface spells it. */
function typeString(dtype: DtypeId): string {
  const { bytes, kind, numpy } = dtypes[dtype];
  // Types without a name there travel as integers of the same size: signed, which every version of PyTorch has.
  if (numpy === null) return bytes === 1 ? '|u1' : `<i${bytes}`;
  const letter = { unsigned: 'u', signed: 'i', float: 'f', bool: 'b', complex: 'c' }[kind];
  return `${bytes === 1 ? '|' : '<'}${letter}${bytes}`;
}

const sharedClass = `
class Shared:
    """Memory that is somebody else's, for any library that knows the CUDA array interface."""

    def __init__(self, address, shape, kind, strides=None):
        self.__cuda_array_interface__ = {
            "data": (address, False), "shape": shape, "typestr": kind, "strides": strides, "version": 3,
        }`;

/** Python: the tensor of the plan, from `data`. */
function tensor(plan: Plan): string {
  const { array } = plan;
  if (array === undefined || dtypes[array.dtype].perUnit > 1) return 'tensor = raw';
  const { shape, strides } = numpyArray(plan, false);
  const byStep = strides === undefined ? '' : `, ${tuple(strides)}`;
  const made = `torch.as_tensor(Shared(data, ${tuple(shape)}, "${typeString(array.dtype)}"${byStep}), device=place)`;
  const view = dtypes[array.dtype].numpy === null ? `.view(torch.${torchNames[array.dtype]})` : '';
  return `tensor = ${made}${view}`;
}

const eventImports = blocks('import time', 'import torch');

const findDevice = `
def find_device(wanted):
    """By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES)."""
    for ordinal in range(torch.cuda.device_count()):
        if wanted.endswith(str(torch.cuda.get_device_properties(ordinal).uuid)):
            return torch.device("cuda", ordinal)
    raise SystemExit(f"{wanted} is not here, or CUDA_VISIBLE_DEVICES hides it")`;

const waitFor = (handle: string, place: string): string =>
  lines(
    `event = torch.cuda.Event.from_ipc_handle(${place}, ${handle})`,
    waiting('not event.query()'),
    "del event  # only this process's view of it",
  );

function importer(plan: Plan): string {
  if (plan.mechanism === 'event') {
    return blocks(
      eventOpening(plan, 'importer', HOW),
      eventImports,
      importConstants(plan),
      definitions(
        findDevice,
        `
place = find_device(DEVICE)
torch.empty(1, device=place)  # makes the context`,
      ),
      waitFor('HANDLE', 'place'),
      'print("event: ready")',
    );
  }
  const use = `
# A view, no copy. Nothing may use it once the memory is closed.
place = torch.device("cuda", device.value)  # PyTorch counts as the driver does
raw = torch.as_tensor(Shared(data, (SIZE,), "|u1"), device=place)
${tensor(plan)}
print(tensor.dtype, tuple(tensor.shape), tensor.stride())
print("first bytes:", bytes(raw[:${plan.first}].tolist()).hex(" "))
torch.cuda.synchronize(place)
del tensor, raw`;
  return blocks(
    opening(plan, 'importer', HOW),
    importsFor(plan, ['import torch']),
    importConstants(plan),
    definitions(preparing(plan), sharedClass, openedAround(plan, use)),
  );
}

/** Python: `tensor`, the bytes of `raw` as elements. */
function typed({ array }: Plan): string {
  const name = array && torchNames[array.dtype];
  if (array === undefined || name === undefined) return 'tensor = raw';
  const { bytes } = dtypes[array.dtype];
  const form =
    array.strides === undefined
      ? `.view(${tuple(array.shape)})`
      : `.as_strided(${tuple(array.shape)}, ${tuple(array.strides)})`;
  return `tensor = raw[:${extentOf(array) * bytes}].view(torch.${name})${form}`;
}

function exporter(plan: Plan): string {
  const isEvent = plan.mechanism === 'event';
  const shares = isEvent || plan.event !== undefined;
  const recorded = `
event = torch.cuda.Event(interprocess=True)
event.record()  # ready when everything before it is done
ready = event.ipc_handle()`;
  const head = blocks(
    (isEvent ? eventOpening : opening)(plan, 'exporter', HOW),
    blocks(lines(!isEvent && 'import ctypes as c', 'import json', 'import os', 'import sys'), 'import torch'),
    exportConstants(plan),
    definitions(
      !isEvent && loading,
      !isEvent && handleStructure,
      findDevice,
      `
place = find_device(DEVICE)
torch.cuda.set_device(place)`,
    ),
  );
  if (isEvent) return blocks(head, recorded, printing(plan, { handle: 'ready.hex()' }), 'del event');
  return blocks(
    head,
    lines(
      `
raw = torch.zeros(SIZE, dtype=torch.uint8, device=place)
raw[: len(PATTERN)] = torch.frombuffer(bytearray(PATTERN), dtype=torch.uint8).to(place)
${typed(plan)}`,
      shares
        ? recorded
        : 'torch.cuda.synchronize(place)  # an importer sees what is finished: wait here, or share an event as well',
      `
# PyTorch puts many tensors into one allocation, and a handle opens all of it: the offset belongs to the descriptor.
handle, base, room = Handle(), c.c_uint64(), c.c_size_t()
address = c.c_uint64(raw.data_ptr())
check("cuMemGetAddressRange_v2", c.byref(base), c.byref(room), address)
check("cuIpcGetMemHandle", c.byref(handle), address)`,
    ),
    printing(plan, {
      handle: 'bytes(handle.bytes).hex()',
      offset: 'address.value - base.value',
      allocationSize: 'room.value',
      ...(shares ? { event: 'ready.hex()' } : {}),
    }),
    lines('del tensor, raw', shares && 'del event'),
  );
}

const own =
  'CUDA Python (cuda.bindings) or ctypes can, and PyTorch then uses the memory through the CUDA array interface.';

export const pytorch: Library = {
  language: 'python',
  library: 'pytorch',
  name: 'PyTorch',
  cannot: (mechanism, side) => {
    if (side === 'importer') return undefined;
    switch (mechanism) {
      case 'pool':
        return `PyTorch allocates no memory from a pool that can be exported (cudaMallocAsync takes the device's own). ${own}`;
      case 'virtual':
        return `PyTorch shares its virtual memory (expandable segments) through its own protocol only. ${own}`;
      case 'fabric':
        return `PyTorch exports no fabric handles of tensors (only of its symmetric memory, by its own protocol). ${own}`;
      default:
        return undefined;
    }
  },
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    // NumPy reads the element type of the array interface.
    requires: [LINUX, PYTHON, 'PyTorch 2.4 or newer, with CUDA', ...(plan.mechanism === 'event' ? [] : ['NumPy'])],
    notes:
      plan.mechanism === 'event'
        ? []
        : side === 'importer'
          ? [
              'The driver opens the memory, not PyTorch: its own way (_new_shared_cuda) takes handles of PyTorch only, with a counter file beside them.',
            ]
          : [
              'With expandable segments (PYTORCH_CUDA_ALLOC_CONF) a tensor has no legacy handle: the driver answers INVALID_VALUE.',
            ],
  }),
};
