/** C++ with the driver API (cuda.h): everything that can be shared. */
import { type Library, never } from '#contract/snippets/library';
import type { Plan } from '#contract/snippets/plan';
import { blocks, indent, lines } from '#contract/snippets/text';
import {
  arrayComment,
  copyDescriptor,
  exportConstants,
  fromHex,
  importConstants,
  opening,
  printFirst,
  printing,
  toHex,
} from './shared';

const HOW = 'with the driver API';
const BUILD = 'g++ -std=c++17 snippet.cpp -I/usr/local/cuda/include -lcuda';

const check = `
#define CHECK(call) check(call, #call)
void check(CUresult result, const char *call) {
  if (result == CUDA_SUCCESS) return;
  const char *name = nullptr;
  cuGetErrorName(result, &name);
  std::fprintf(stderr, "%s: %s\\n", call, name ? name : "error");
  std::exit(1);
}`;

const findDevice = `
// By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES).
CUdevice find_device() {
  int count = 0;
  CHECK(cuDeviceGetCount(&count));
  for (int ordinal = 0; ordinal < count; ordinal++) {
    CUdevice device;
    CUuuid uuid;
    CHECK(cuDeviceGet(&device, ordinal));
    CHECK(cuDeviceGetUuid(&uuid, device));
    if (std::memcmp(uuid.bytes, DEVICE, sizeof DEVICE) == 0) return device;
  }
  std::fprintf(stderr, "the device is not here, or CUDA_VISIBLE_DEVICES hides it\\n");
  std::exit(1);
}`;

const start = `
CHECK(cuInit(0));
const CUdevice device = find_device();
CUcontext context;
CHECK(cuDevicePrimaryCtxRetain(&context, device));  // the one that the runtime and all libraries use
CHECK(cuCtxSetCurrent(context));`;

const end = 'CHECK(cuDevicePrimaryCtxRelease(device));';

const waitFor = `
// Asked again and again, not waited for: the event of an exporter that was killed is never ready.
void wait_for(const char *text) {
  CUevent event;
  CHECK(cuIpcOpenEventHandle(&event, from_hex<CUipcEventHandle>(text)));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (cuEventQuery(event) == CUDA_ERROR_NOT_READY) {
    if (std::chrono::steady_clock::now() > deadline) {
      std::fprintf(stderr, "the exporter has not recorded its event\\n");
      std::exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(cuEventQuery(event));  // anything else that it says
  CHECK(cuEventDestroy(event));  // only this process's view of it
}`;

const access = (base: string) => `
CUmemAccessDesc access{};  // mapped memory is for nobody until this
access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
access.location.id = device;
access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
CHECK(cuMemSetAccess(${base}, TOTAL, &access, 1));`;

const AS_POINTER = 'reinterpret_cast<void *>(static_cast<intptr_t>(descriptor))';

function opened({ mechanism }: Plan): string {
  switch (mechanism) {
    case 'legacy':
      return `
CUdeviceptr base;  // the flag is the only one that the driver takes
CHECK(cuIpcOpenMemHandle(&base, from_hex<CUipcMemHandle>(HANDLE), CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS));`;
    case 'pool':
      return `
const int descriptor = copy_descriptor(EXPORTER, POOL);
CUmemoryPool pool;  // the number itself takes the place of a pointer
CHECK(cuMemPoolImportFromShareableHandle(&pool, ${AS_POINTER},
                                         CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
close(descriptor);  // the pool has its own now
auto pointer = from_hex<CUmemPoolPtrExportData>(HANDLE);
CUdeviceptr base;  // for use on another device, cuMemPoolSetAccess comes first
CHECK(cuMemPoolImportPointer(&base, pool, &pointer));`;
    case 'virtual':
      return lines(
        `
CUdeviceptr base;
CHECK(cuMemAddressReserve(&base, TOTAL, 0, 0, 0));
std::vector<CUmemGenericAllocationHandle> memories;
size_t at = 0;
for (const Piece &piece : PIECES) {
  const int descriptor = copy_descriptor(EXPORTER, piece.descriptor);
  CUmemGenericAllocationHandle memory;  // the number itself takes the place of a pointer
  CHECK(cuMemImportFromShareableHandle(&memory, ${AS_POINTER},
                                       CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
  close(descriptor);  // left open, it would keep the memory alive
  CHECK(cuMemMap(base + at, piece.size, 0, memory, 0));
  memories.push_back(memory);
  at += piece.size;
}`,
        access('base'),
      );
    default:
      return lines(
        `
auto handle = from_hex<CUmemFabricHandle>(HANDLE);
CUmemGenericAllocationHandle memory;
CHECK(cuMemImportFromShareableHandle(&memory, &handle, CU_MEM_HANDLE_TYPE_FABRIC));
CUdeviceptr base;
CHECK(cuMemAddressReserve(&base, TOTAL, 0, 0, 0));
CHECK(cuMemMap(base, TOTAL, 0, memory, 0));`,
        access('base'),
      );
  }
}

function released({ mechanism }: Plan): string {
  switch (mechanism) {
    case 'legacy':
      return 'CHECK(cuIpcCloseMemHandle(base));  // one reference less; the exporter keeps its memory';
    case 'pool':
      return `
CHECK(cuMemFreeAsync(base, nullptr));  // before the exporter frees it; and first the pointer, then the pool
CHECK(cuStreamSynchronize(nullptr));
CHECK(cuMemPoolDestroy(pool));`;
    case 'virtual':
      return `
at = 0;
for (size_t i = 0; i < memories.size(); at += PIECES[i++].size) {
  CHECK(cuMemUnmap(base + at, PIECES[i].size));
  CHECK(cuMemRelease(memories[i]));
}
CHECK(cuMemAddressFree(base, TOTAL));`;
    default:
      return `
CHECK(cuMemUnmap(base, TOTAL));
CHECK(cuMemRelease(memory));
CHECK(cuMemAddressFree(base, TOTAL));`;
  }
}

const includes = (...names: string[]) =>
  lines('#include <cuda.h>', ...names.filter((name) => name.endsWith('.h')).map((name) => `#include <${name}>`)) +
  `\n\n${lines(...names.filter((name) => !name.endsWith('.h')).map((name) => `#include <${name}>`))}`;

function importer(plan: Plan): string {
  const { mechanism, event, first } = plan;
  const fetches = mechanism === 'pool' || mechanism === 'virtual';
  const waits = mechanism === 'event' || event !== undefined;
  const body =
    mechanism === 'event'
      ? lines(start, 'wait_for(HANDLE);', 'std::printf("event: ready\\n");', end)
      : blocks(
          start,
          opened(plan),
          lines(
            event !== undefined && 'wait_for(EVENT);',
            `const CUdeviceptr data = base + OFFSET;${arrayComment(plan)}
unsigned char first[${first}];
CHECK(cuMemcpyDtoH(first, data, sizeof first));`,
            printFirst,
          ),
          lines(released(plan), end),
        );
  return blocks(
    opening(plan, 'importer', HOW, BUILD),
    includes(
      ...(fetches ? ['sys/syscall.h', 'unistd.h'] : []),
      ...(waits ? ['chrono'] : []),
      ...(fetches ? ['cstdint'] : []),
      'cstdio',
      'cstdlib',
      'cstring',
      ...(waits ? ['thread'] : []),
      ...(mechanism === 'virtual' ? ['vector'] : []),
    ),
    importConstants(plan),
    check,
    (plan.handle !== '' || event !== undefined) && fromHex,
    findDevice,
    fetches && copyDescriptor,
    waits && waitFor,
    lines('int main() {', indent(body, 2), '}'),
  );
}

const fill = `
unsigned char pattern[SIZE < 256 ? SIZE : 256];  // 00 01 02 …, then zeros
for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = static_cast<unsigned char>(i);
CHECK(cuMemsetD8(memory, 0, SIZE));
CHECK(cuMemcpyHtoD(memory, pattern, sizeof pattern));`;

const finished =
  'CHECK(cuCtxSynchronize());  // an importer sees what is finished: wait here, or share an event as well';

const recorded = `
CUevent event;  // an interprocess event cannot take times
CHECK(cuEventCreate(&event, CU_EVENT_INTERPROCESS | CU_EVENT_DISABLE_TIMING));
CHECK(cuEventRecord(event, nullptr));  // ready when everything before it is done
CUipcEventHandle ready;
CHECK(cuIpcGetEventHandle(&ready, event));`;

const physical = (type: string) => `
CUmemAllocationProp prop{};
prop.type = CU_MEM_ALLOCATION_TYPE_PINNED;
prop.requestedHandleTypes = ${type};
prop.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
prop.location.id = device;
size_t unit;
CHECK(cuMemGetAllocationGranularity(&unit, &prop, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
const size_t TOTAL = (SIZE + unit - 1) / unit * unit;  // whole pages only
CUmemGenericAllocationHandle physical;
CHECK(cuMemCreate(&physical, TOTAL, &prop, 0));
CUdeviceptr memory;
CHECK(cuMemAddressReserve(&memory, TOTAL, 0, 0, 0));
CHECK(cuMemMap(memory, TOTAL, 0, physical, 0));
${access('memory').trim()}`;

const unmapped = `
CHECK(cuMemUnmap(memory, TOTAL));
CHECK(cuMemRelease(physical));
CHECK(cuMemAddressFree(memory, TOTAL));`;

function exported(plan: Plan): string {
  const shares = plan.event !== undefined;
  const settled = shares ? recorded : finished;
  const event = shares ? { event: 'ready' } : {};
  const gone = shares && 'CHECK(cuEventDestroy(event));';
  switch (plan.mechanism) {
    case 'legacy':
      return blocks(
        lines(
          'CUdeviceptr memory;',
          'CHECK(cuMemAlloc(&memory, ROOM));',
          fill,
          settled,
          'CUipcMemHandle handle;',
          'CHECK(cuIpcGetMemHandle(&handle, memory));',
        ),
        printing(plan, { handle: 'handle', allocationSize: 'ROOM', ...event }),
        lines(gone, 'CHECK(cuMemFree(memory));'),
      );
    case 'pool':
      return blocks(
        lines(
          `
CUmemPoolProps props{};  // only a pool that was made for it can be exported; the device's own pool cannot
props.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
props.handleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
props.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
props.location.id = device;
CUmemoryPool pool;
CHECK(cuMemPoolCreate(&pool, &props));
CUdeviceptr memory;
CHECK(cuMemAllocFromPoolAsync(&memory, SIZE, pool, nullptr));
CHECK(cuStreamSynchronize(nullptr));  // an importer may not come before the allocation is done`,
          fill,
          settled,
          `
int descriptor;
CHECK(cuMemPoolExportToShareableHandle(&descriptor, pool, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
CUmemPoolPtrExportData handle;
CHECK(cuMemPoolExportPointer(&handle, memory));`,
        ),
        printing(plan, { handle: 'handle', descriptor: 'descriptor', allocationSize: 'SIZE', ...event }),
        lines(
          'close(descriptor);  // after the importers have freed theirs',
          gone,
          'CHECK(cuMemFreeAsync(memory, nullptr));',
          'CHECK(cuStreamSynchronize(nullptr));',
          'CHECK(cuMemPoolDestroy(pool));',
        ),
      );
    case 'virtual':
      return blocks(
        lines(
          physical('CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR'),
          fill,
          settled,
          `
int descriptor;
CHECK(cuMemExportToShareableHandle(&descriptor, physical, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));`,
        ),
        printing(plan, { descriptor: 'descriptor', descriptorBytes: 'TOTAL', allocationSize: 'TOTAL', ...event }),
        lines('close(descriptor);  // left open, it would keep the memory alive', gone, unmapped),
      );
    case 'fabric':
      return blocks(
        lines(
          physical('CU_MEM_HANDLE_TYPE_FABRIC'),
          fill,
          settled,
          `
CUmemFabricHandle handle;
CHECK(cuMemExportToShareableHandle(&handle, physical, CU_MEM_HANDLE_TYPE_FABRIC, 0));`,
        ),
        printing(plan, { handle: 'handle', allocationSize: 'TOTAL', ...event }),
        lines(gone, unmapped),
      );
    default:
      return blocks(recorded, printing(plan, { handle: 'ready' }), 'CHECK(cuEventDestroy(event));');
  }
}

function exporter(plan: Plan): string {
  const hexes = plan.mechanism !== 'virtual' || plan.event !== undefined;
  return blocks(
    opening(plan, 'exporter', HOW, BUILD),
    includes('unistd.h', 'cstdio', 'cstdlib', 'cstring', ...(hexes ? ['string'] : [])),
    exportConstants(plan),
    check,
    findDevice,
    hexes && toHex,
    lines('int main() {', indent(blocks(start, exported(plan), end), 2), '}'),
  );
}

export const driver: Library = {
  language: 'cpp',
  library: 'driver',
  name: 'CUDA driver API',
  cannot: never,
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    requires: [
      'Linux',
      `A C++17 compiler, and cuda.h of CUDA ${plan.mechanism === 'fabric' ? '12.4' : '11.3'} or newer`,
    ],
  }),
};
