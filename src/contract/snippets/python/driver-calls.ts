/** The driver through ctypes: for the snippets that need no package, and those of libraries that know only some of it. */
import type { Plan } from '#contract/snippets/plan';
import { BLOCK_BYTES } from '#contract/snippets/plan';
import { blocks, definitions, indent, lines } from '#contract/snippets/text';
import { copyDescriptor, printing, waiting } from './shared';

export const loading = `
cuda = c.CDLL("libcuda.so.1")


def check(name, *arguments):
    """Calls a driver function; raises with the driver's own name of what went wrong."""
    result = getattr(cuda, name)(*arguments)
    if result != 0:
        text = c.c_char_p()
        cuda.cuGetErrorName(result, c.byref(text))
        raise RuntimeError(f"{name}: {(text.value or b'error').decode()} ({result})")`;

export const handleStructure = `
class Handle(c.Structure):
    """CUipcMemHandle and CUipcEventHandle: 64 bytes, passed by value."""

    _fields_ = [("bytes", c.c_ubyte * 64)]`;

const findDevice = `
def find_device(wanted):
    """By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES)."""
    count, found, raw = c.c_int(), c.c_int(), (c.c_ubyte * 16)()
    check("cuDeviceGetCount", c.byref(count))
    for ordinal in range(count.value):
        check("cuDeviceGet", c.byref(found), ordinal)
        check("cuDeviceGetUuid_v2", raw, found)
        if wanted.endswith(str(uuid.UUID(bytes=bytes(raw)))):
            return found
    raise SystemExit(f"{wanted} is not here, or CUDA_VISIBLE_DEVICES hides it")`;

const starting = `
check("cuInit", 0)
device = find_device(DEVICE)
context = c.c_void_p()
check("cuDevicePrimaryCtxRetain", c.byref(context), device)  # the one that the runtime and all libraries use
check("cuCtxSetCurrent", context)`;

const ending = 'check("cuDevicePrimaryCtxRelease_v2", device)';

/** Opens and waits for the event whose 64 bytes the Python variable `name` holds. */
export const waitForEvent = (name: string): string =>
  lines(
    `
event = c.c_void_p()
check("cuIpcOpenEventHandle", c.byref(event), Handle.from_buffer_copy(${name}))`,
    waiting('cuda.cuEventQuery(event) == 600', 'NOT_READY'),
    `
check("cuEventQuery", event)  # raises anything else that it says
check("cuEventDestroy_v2", event)  # only this process's view of it`,
  );

const sharedAccess = `
access = (c.c_int * 3)(1, device.value, 3)  # CUmemAccessDesc: on a device, this one, read and write
check("cuMemSetAccess", base, c.c_size_t(TOTAL), access, c.c_size_t(1))`;

/** Until `base` is the start of the shared memory in this process. */
function opened({ mechanism }: Plan): string {
  switch (mechanism) {
    case 'legacy':
      return `
base = c.c_uint64()  # CUdeviceptr
# The flag 1, LAZY_ENABLE_PEER_ACCESS, is the only one that the driver takes.
check("cuIpcOpenMemHandle_v2", c.byref(base), Handle.from_buffer_copy(HANDLE), 1)`;
    case 'pool':
      return `
pool, base = c.c_void_p(), c.c_uint64()
descriptor = copy_descriptor(EXPORTER, POOL)
# Type 1, POSIX_FILE_DESCRIPTOR: the number itself takes the place of a pointer.
check("cuMemPoolImportFromShareableHandle", c.byref(pool), c.c_void_p(descriptor), 1, c.c_uint64(0))
os.close(descriptor)  # the pool has its own now
# For use on another device, cuMemPoolSetAccess comes first.
check("cuMemPoolImportPointer", c.byref(base), pool, HANDLE)`;
    case 'virtual':
      return `
base, memories, at = c.c_uint64(), [], 0
check("cuMemAddressReserve", c.byref(base), c.c_size_t(TOTAL), c.c_size_t(0), c.c_uint64(0), c.c_uint64(0))
for number, size in PIECES:
    memory, descriptor = c.c_uint64(), copy_descriptor(EXPORTER, number)
    # Type 1, POSIX_FILE_DESCRIPTOR: the number itself takes the place of a pointer.
    check("cuMemImportFromShareableHandle", c.byref(memory), c.c_void_p(descriptor), 1)
    os.close(descriptor)  # left open, it would keep the memory alive
    check("cuMemMap", c.c_uint64(base.value + at), c.c_size_t(size), c.c_size_t(0), memory, c.c_uint64(0))
    memories.append((memory, at, size))
    at += size
${sharedAccess.trim()}`;
    default:
      return `
base, memory = c.c_uint64(), c.c_uint64()
check("cuMemAddressReserve", c.byref(base), c.c_size_t(TOTAL), c.c_size_t(0), c.c_uint64(0), c.c_uint64(0))
check("cuMemImportFromShareableHandle", c.byref(memory), HANDLE, 8)  # 8, FABRIC: a pointer to the 64 bytes
check("cuMemMap", base, c.c_size_t(TOTAL), c.c_size_t(0), memory, c.c_uint64(0))
${sharedAccess.trim()}`;
  }
}

/** The reverse of `opened`. */
function released({ mechanism }: Plan): string {
  switch (mechanism) {
    case 'legacy':
      return 'check("cuIpcCloseMemHandle", base)  # one reference less; the exporter keeps its memory';
    case 'pool':
      return `
check("cuMemFreeAsync", base, None)  # before the exporter frees it; and first the pointer, then the pool
check("cuStreamSynchronize", None)
check("cuMemPoolDestroy", pool)`;
    case 'virtual':
      return `
for memory, at, size in memories:
    check("cuMemUnmap", c.c_uint64(base.value + at), c.c_size_t(size))
    check("cuMemRelease", memory)
check("cuMemAddressFree", base, c.c_size_t(TOTAL))`;
    default:
      return `
check("cuMemUnmap", base, c.c_size_t(TOTAL))
check("cuMemRelease", memory)
check("cuMemAddressFree", base, c.c_size_t(TOTAL))`;
  }
}

/** What an importer needs in front of its constants. */
export function importsFor(plan: Plan, more: readonly string[] = []): string {
  const { mechanism, event } = plan;
  const fetches = mechanism === 'pool' || mechanism === 'virtual';
  const names = ['uuid', ...(fetches ? ['os'] : []), ...(mechanism === 'event' || event ? ['time'] : [])];
  return blocks(lines('import ctypes as c', ...names.sort().map((name) => `import ${name}`)), lines(...more));
}

/** Functions, device and context. */
export function preparing(plan: Plan): string {
  const { mechanism, event } = plan;
  const byValue = mechanism === 'legacy' || mechanism === 'event' || event !== undefined;
  return definitions(
    loading,
    byValue ? handleStructure : '',
    mechanism === 'pool' || mechanism === 'virtual' ? copyDescriptor : '',
    findDevice,
    starting,
  );
}

/** Opens, waits for the event if there is one, runs `use` with `data` as the address of the data, releases. */
export function openedAround(plan: Plan, use: string): string {
  return blocks(
    opened(plan),
    lines(
      'try:',
      indent(lines(plan.event !== undefined && waitForEvent('EVENT'), 'data = base.value + OFFSET', use)),
      'finally:',
      indent(released(plan).trim()),
    ),
    ending,
  );
}

/** For the event mechanism: waits for HANDLE. */
export const eventImporter = (): string => blocks(waitForEvent('HANDLE'), lines('print("event: ready")', ending));

const fill = `
check("cuMemsetD8_v2", memory, 0, c.c_size_t(SIZE))
check("cuMemcpyHtoD_v2", memory, PATTERN, c.c_size_t(len(PATTERN)))`;

const finished = 'check("cuCtxSynchronize")  # an importer sees what is finished: wait here, or share an event as well';

const recorded = `
event, ready = c.c_void_p(), Handle()
check("cuEventCreate", c.byref(event), 6)  # INTERPROCESS, which needs DISABLE_TIMING
check("cuEventRecord", event, None)  # ready when everything before it is done
check("cuIpcGetEventHandle", c.byref(ready), event)`;

const physical = (type: number) => `
prop = (c.c_int * 8)(1, ${type}, 1, device.value)  # CUmemAllocationProp: PINNED, ${type === 8 ? 'FABRIC' : 'POSIX_FILE_DESCRIPTOR'}, on a device, this one
unit = c.c_size_t()
check("cuMemGetAllocationGranularity", c.byref(unit), prop, 0)
TOTAL = -(-SIZE // unit.value) * unit.value  # whole pages only
physical, memory = c.c_uint64(), c.c_uint64()
check("cuMemCreate", c.byref(physical), c.c_size_t(TOTAL), prop, c.c_uint64(0))
check("cuMemAddressReserve", c.byref(memory), c.c_size_t(TOTAL), c.c_size_t(0), c.c_uint64(0), c.c_uint64(0))
check("cuMemMap", memory, c.c_size_t(TOTAL), c.c_size_t(0), physical, c.c_uint64(0))
${sharedAccess.trim().replace('base,', 'memory,')}`;

const unmapped = `
check("cuMemUnmap", memory, c.c_size_t(TOTAL))
check("cuMemRelease", physical)
check("cuMemAddressFree", memory, c.c_size_t(TOTAL))`;

/** Everything after the constants of an exporter without packages. */
export function exporter(plan: Plan): string {
  const { mechanism } = plan;
  const shares = plan.event !== undefined;
  const settled = shares ? recorded : finished;
  const event = shares ? { event: 'bytes(ready.bytes).hex()' } : {};
  const gone = shares && 'check("cuEventDestroy_v2", event)';
  const byValue = mechanism === 'legacy' || mechanism === 'event' || shares;
  const start = definitions(loading, byValue ? handleStructure : '', findDevice, starting);
  switch (mechanism) {
    case 'legacy':
      return blocks(
        start,
        lines(
          `
# Whole blocks of 2 MiB: smaller allocations share one with others, and a handle opens all of it.
ROOM = -(-SIZE // ${BLOCK_BYTES}) * ${BLOCK_BYTES}
memory, handle = c.c_uint64(), Handle()
check("cuMemAlloc_v2", c.byref(memory), c.c_size_t(ROOM))`,
          fill,
          settled,
          'check("cuIpcGetMemHandle", c.byref(handle), memory)',
        ),
        printing(plan, { handle: 'bytes(handle.bytes).hex()', allocationSize: 'ROOM', ...event }),
        lines(gone, 'check("cuMemFree_v2", memory)', ending),
      );
    case 'pool':
      return blocks(
        start,
        lines(
          `
# Only a pool that was made for it can be exported; the device's own pool cannot.
props = (c.c_int * 22)(1, 1, 1, device.value)  # CUmemPoolProps: PINNED, POSIX_FILE_DESCRIPTOR, on a device, this one
pool, memory = c.c_void_p(), c.c_uint64()
check("cuMemPoolCreate", c.byref(pool), props)
check("cuMemAllocFromPoolAsync", c.byref(memory), c.c_size_t(SIZE), pool, None)
check("cuStreamSynchronize", None)  # an importer may not come before the allocation is done`,
          fill,
          settled,
          `
descriptor, handle = c.c_int(), (c.c_ubyte * 64)()  # CUmemPoolPtrExportData
check("cuMemPoolExportToShareableHandle", c.byref(descriptor), pool, 1, c.c_uint64(0))
check("cuMemPoolExportPointer", handle, memory)`,
        ),
        printing(plan, {
          handle: 'bytes(handle).hex()',
          descriptors: '[{"fd": descriptor.value, "bytes": None}]',
          allocationSize: 'SIZE',
          ...event,
        }),
        lines(
          '# After the importers have freed theirs.',
          'os.close(descriptor.value)',
          gone,
          'check("cuMemFreeAsync", memory, None)',
          'check("cuStreamSynchronize", None)',
          'check("cuMemPoolDestroy", pool)',
          ending,
        ),
      );
    case 'virtual':
      return blocks(
        start,
        lines(
          physical(1),
          fill,
          settled,
          `
descriptor = c.c_int()
check("cuMemExportToShareableHandle", c.byref(descriptor), physical, 1, c.c_uint64(0))`,
        ),
        printing(plan, {
          descriptors: '[{"fd": descriptor.value, "bytes": TOTAL}]',
          allocationSize: 'TOTAL',
          ...event,
        }),
        lines('os.close(descriptor.value)  # left open, it would keep the memory alive', gone, unmapped, ending),
      );
    case 'fabric':
      return blocks(
        start,
        lines(
          physical(8),
          fill,
          settled,
          `
handle = (c.c_ubyte * 64)()  # CUmemFabricHandle
check("cuMemExportToShareableHandle", handle, physical, 8, c.c_uint64(0))`,
        ),
        printing(plan, { handle: 'bytes(handle).hex()', allocationSize: 'TOTAL', ...event }),
        lines(gone, unmapped, ending),
      );
    default:
      return blocks(
        start,
        recorded,
        printing(plan, { handle: 'bytes(ready.bytes).hex()' }),
        lines('check("cuEventDestroy_v2", event)', ending),
      );
  }
}
