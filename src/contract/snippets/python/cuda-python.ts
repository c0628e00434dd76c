/** NVIDIA's own bindings of the driver. */
import { type Library, never } from '#contract/snippets/library';
import { BLOCK_BYTES, type Plan } from '#contract/snippets/plan';
import { blocks, definitions, indent, lines } from '#contract/snippets/text';
import {
  copyDescriptor,
  eventOpening,
  exportConstants,
  importConstants,
  LINUX,
  opening,
  PYTHON,
  printing,
  waiting,
} from './shared';

const HOW = "with NVIDIA's CUDA Python (cuda.bindings)";

/** Of calls of cuda.bindings.driver. */
export const checkAnswer = `
def check(answer):
    """Takes the result off a driver call's answer, and raises it unless it is SUCCESS."""
    result, *values = answer
    if result != driver.CUresult.CUDA_SUCCESS:
        raise RuntimeError(f"{result!r}")
    return values[0] if values else None`;

const findDevice = `
def find_device(wanted):
    """By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES)."""
    for ordinal in range(check(driver.cuDeviceGetCount())):
        found = check(driver.cuDeviceGet(ordinal))
        if wanted.endswith(str(uuid.UUID(bytes=bytes(check(driver.cuDeviceGetUuid(found)).bytes)))):
            return found
    raise SystemExit(f"{wanted} is not here, or CUDA_VISIBLE_DEVICES hides it")`;

const start = `
check(driver.cuInit(0))
device = find_device(DEVICE)
context = check(driver.cuDevicePrimaryCtxRetain(device))  # the one that the runtime and all libraries use
check(driver.cuCtxSetCurrent(context))`;

const end = 'check(driver.cuDevicePrimaryCtxRelease(device))';

const FILE = 'driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR';
const FABRIC = 'driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_FABRIC';

const waitFor = (handle: string): string =>
  lines(
    `
shared_event = driver.CUipcEventHandle()
shared_event.reserved = ${handle}
event = check(driver.cuIpcOpenEventHandle(shared_event))`,
    waiting('driver.cuEventQuery(event)[0] == driver.CUresult.CUDA_ERROR_NOT_READY'),
    `
check(driver.cuEventQuery(event))  # raises anything else that it says
check(driver.cuEventDestroy(event))  # only this process's view of it`,
  );

const access = `
access = driver.CUmemAccessDesc()
access.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
access.location.id = int(device)
access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
check(driver.cuMemSetAccess(base, TOTAL, [access], 1))`;

function opened({ mechanism }: Plan): string {
  switch (mechanism) {
    case 'legacy':
      return `
handle = driver.CUipcMemHandle()
handle.reserved = HANDLE
# The only flag that the driver takes.
flags = driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
base = check(driver.cuIpcOpenMemHandle(handle, flags))`;
    case 'pool':
      return `
kind = ${FILE}
descriptor = copy_descriptor(EXPORTER, POOL)
pool = check(driver.cuMemPoolImportFromShareableHandle(descriptor, kind, 0))
os.close(descriptor)  # the pool has its own now
pointer = driver.CUmemPoolPtrExportData()
pointer.reserved = HANDLE
# For use on another device, cuMemPoolSetAccess comes first.
base = check(driver.cuMemPoolImportPointer(pool, pointer))`;
    case 'virtual':
      return lines(
        `
kind = ${FILE}
base, memories, at = check(driver.cuMemAddressReserve(TOTAL, 0, 0, 0)), [], 0
for number, size in PIECES:
    descriptor = copy_descriptor(EXPORTER, number)
    memory = check(driver.cuMemImportFromShareableHandle(descriptor, kind))
    os.close(descriptor)  # left open, it would keep the memory alive
    check(driver.cuMemMap(int(base) + at, size, 0, memory, 0))
    memories.append((memory, at, size))
    at += size`,
        access,
      );
    default:
      return lines(
        `
kind = ${FABRIC}
handle = driver.CUmemFabricHandle()
handle.data = HANDLE
memory = check(driver.cuMemImportFromShareableHandle(handle.getPtr(), kind))
base = check(driver.cuMemAddressReserve(TOTAL, 0, 0, 0))
check(driver.cuMemMap(base, TOTAL, 0, memory, 0))`,
        access,
      );
  }
}

function released({ mechanism }: Plan): string {
  switch (mechanism) {
    case 'legacy':
      return 'check(driver.cuIpcCloseMemHandle(base))  # one reference less; the exporter keeps its memory';
    case 'pool':
      return `
check(driver.cuMemFreeAsync(base, 0))  # before the exporter frees it; and first the pointer, then the pool
check(driver.cuStreamSynchronize(0))
check(driver.cuMemPoolDestroy(pool))`;
    case 'virtual':
      return `
for memory, at, size in memories:
    check(driver.cuMemUnmap(int(base) + at, size))
    check(driver.cuMemRelease(memory))
check(driver.cuMemAddressFree(base, TOTAL))`;
    default:
      return `
check(driver.cuMemUnmap(base, TOTAL))
check(driver.cuMemRelease(memory))
check(driver.cuMemAddressFree(base, TOTAL))`;
  }
}

function importer(plan: Plan): string {
  const { mechanism, event, first } = plan;
  const fetches = mechanism === 'pool' || mechanism === 'virtual';
  const waits = mechanism === 'event' || event !== undefined;
  const head = blocks(
    (mechanism === 'event' ? eventOpening : opening)(plan, 'importer', HOW),
    blocks(
      lines(fetches && 'import ctypes as c', fetches && 'import os', waits && 'import time', 'import uuid'),
      'from cuda.bindings import driver',
    ),
    importConstants(plan),
    definitions(checkAnswer, fetches ? copyDescriptor : '', findDevice, start),
  );
  if (mechanism === 'event') return blocks(head, waitFor('HANDLE'), lines('print("event: ready")', end));
  return blocks(
    head,
    opened(plan),
    lines(
      'try:',
      indent(
        lines(
          event !== undefined && waitFor('EVENT'),
          `
first = bytearray(${first})
check(driver.cuMemcpyDtoH(first, int(base) + OFFSET, len(first)))
print("first bytes:", first.hex(" "))`,
        ),
      ),
      'finally:',
      indent(released(plan).trim()),
    ),
    end,
  );
}

const fill = `
check(driver.cuMemsetD8(memory, 0, SIZE))
check(driver.cuMemcpyHtoD(memory, PATTERN, len(PATTERN)))`;

const finished =
  'check(driver.cuCtxSynchronize())  # an importer sees what is finished: wait here, or share an event as well';

const recorded = `
# An interprocess event cannot take times.
flags = driver.CUevent_flags.CU_EVENT_INTERPROCESS | driver.CUevent_flags.CU_EVENT_DISABLE_TIMING
event = check(driver.cuEventCreate(flags))
check(driver.cuEventRecord(event, 0))  # ready when everything before it is done
ready = check(driver.cuIpcGetEventHandle(event))`;

const physical = (type: string) => `
prop = driver.CUmemAllocationProp()
prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
prop.requestedHandleTypes = ${type}
prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
prop.location.id = int(device)
minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
unit = check(driver.cuMemGetAllocationGranularity(prop, minimum))
TOTAL = -(-SIZE // unit) * unit  # whole pages only
physical = check(driver.cuMemCreate(TOTAL, prop, 0))
memory = check(driver.cuMemAddressReserve(TOTAL, 0, 0, 0))
check(driver.cuMemMap(memory, TOTAL, 0, physical, 0))
${access.trim().replace('(base,', '(memory,')}`;

const unmapped = `
check(driver.cuMemUnmap(memory, TOTAL))
check(driver.cuMemRelease(physical))
check(driver.cuMemAddressFree(memory, TOTAL))`;

function exporter(plan: Plan): string {
  const { mechanism } = plan;
  const shares = plan.event !== undefined;
  const settled = shares ? recorded : finished;
  const event = shares ? { event: 'bytes(ready.reserved).hex()' } : {};
  const gone = shares && 'check(driver.cuEventDestroy(event))';
  const head = blocks(
    (mechanism === 'event' ? eventOpening : opening)(plan, 'exporter', HOW),
    blocks(lines('import json', 'import os', 'import sys', 'import uuid'), 'from cuda.bindings import driver'),
    exportConstants(plan),
    definitions(checkAnswer, findDevice, start),
  );
  switch (mechanism) {
    case 'legacy':
      return blocks(
        head,
        lines(
          `
# Whole blocks of 2 MiB: smaller allocations share one with others, and a handle opens all of it.
ROOM = -(-SIZE // ${BLOCK_BYTES}) * ${BLOCK_BYTES}
memory = check(driver.cuMemAlloc(ROOM))`,
          fill,
          settled,
          'handle = check(driver.cuIpcGetMemHandle(memory))',
        ),
        printing(plan, { handle: 'bytes(handle.reserved).hex()', allocationSize: 'ROOM', ...event }),
        lines(gone, 'check(driver.cuMemFree(memory))', end),
      );
    case 'pool':
      return blocks(
        head,
        lines(
          `
# Only a pool that was made for it can be exported; the device's own pool cannot.
kind = ${FILE}
props = driver.CUmemPoolProps()
props.allocType = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
props.handleTypes = kind
props.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
props.location.id = int(device)
pool = check(driver.cuMemPoolCreate(props))
memory = check(driver.cuMemAllocFromPoolAsync(SIZE, pool, 0))
check(driver.cuStreamSynchronize(0))  # an importer may not come before the allocation is done`,
          fill,
          settled,
          `
descriptor = int(check(driver.cuMemPoolExportToShareableHandle(pool, kind, 0)))
handle = check(driver.cuMemPoolExportPointer(memory))`,
        ),
        printing(plan, {
          handle: 'bytes(handle.reserved).hex()',
          descriptors: '[{"fd": descriptor, "bytes": None}]',
          allocationSize: 'SIZE',
          ...event,
        }),
        lines(
          '# After the importers have freed theirs.',
          'os.close(descriptor)',
          gone,
          'check(driver.cuMemFreeAsync(memory, 0))',
          'check(driver.cuStreamSynchronize(0))',
          'check(driver.cuMemPoolDestroy(pool))',
          end,
        ),
      );
    case 'virtual':
      return blocks(
        head,
        lines(
          physical(FILE),
          fill,
          settled,
          `
kind = ${FILE}
descriptor = int(check(driver.cuMemExportToShareableHandle(physical, kind, 0)))`,
        ),
        printing(plan, { descriptors: '[{"fd": descriptor, "bytes": TOTAL}]', allocationSize: 'TOTAL', ...event }),
        lines('os.close(descriptor)  # left open, it would keep the memory alive', gone, unmapped, end),
      );
    case 'fabric':
      return blocks(
        head,
        lines(
          physical(FABRIC),
          fill,
          settled,
          `
kind = ${FABRIC}
handle = check(driver.cuMemExportToShareableHandle(physical, kind, 0))`,
        ),
        printing(plan, { handle: 'bytes(handle.data).hex()', allocationSize: 'TOTAL', ...event }),
        lines(gone, unmapped, end),
      );
    default:
      return blocks(
        head,
        recorded,
        printing(plan, { handle: 'bytes(ready.reserved).hex()' }),
        lines('check(driver.cuEventDestroy(event))', end),
      );
  }
}

export const cudaPython: Library = {
  language: 'python',
  library: 'cuda-python',
  name: 'CUDA Python',
  cannot: never,
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    requires: [LINUX, PYTHON, 'cuda-bindings 12.6 or newer (pip install cuda-python)'],
  }),
};
