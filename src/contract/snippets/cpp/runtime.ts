/** C++ with the runtime API (cuda_runtime.h): legacy handles, pools and events. */
import type { Library } from '#contract/snippets/library';
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

const HOW = 'with the runtime API';
const BUILD = 'nvcc -std=c++17 snippet.cpp';

const check = `
#define CHECK(call) check(call, #call)
void check(cudaError_t result, const char *call) {
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "%s: %s (%s)\\n", call, cudaGetErrorName(result), cudaGetErrorString(result));
  std::exit(1);
}`;

const findDevice = `
// By UUID: ordinals differ between processes (CUDA_VISIBLE_DEVICES).
int find_device() {
  int count = 0;
  CHECK(cudaGetDeviceCount(&count));
  for (int ordinal = 0; ordinal < count; ordinal++) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, ordinal));
    if (std::memcmp(properties.uuid.bytes, DEVICE, sizeof DEVICE) == 0) return ordinal;
  }
  std::fprintf(stderr, "the device is not here, or CUDA_VISIBLE_DEVICES hides it\\n");
  std::exit(1);
}`;

const start = 'CHECK(cudaSetDevice(find_device()));';

const waitFor = `
// Asked again and again, not waited for: the event of an exporter that was killed is never ready.
void wait_for(const char *text) {
  cudaEvent_t event;
  CHECK(cudaIpcOpenEventHandle(&event, from_hex<cudaIpcEventHandle_t>(text)));
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (cudaEventQuery(event) == cudaErrorNotReady) {
    if (std::chrono::steady_clock::now() > deadline) {
      std::fprintf(stderr, "the exporter has not recorded its event\\n");
      std::exit(1);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  CHECK(cudaEventQuery(event));  // anything else that it says
  CHECK(cudaEventDestroy(event));  // only this process's view of it
}`;

const opened = ({ mechanism }: Plan): string =>
  mechanism === 'legacy'
    ? `
void *base;  // the flag is the only one that the driver takes
CHECK(cudaIpcOpenMemHandle(&base, from_hex<cudaIpcMemHandle_t>(HANDLE), cudaIpcMemLazyEnablePeerAccess));`
    : `
const int descriptor = copy_descriptor(EXPORTER, POOL);
cudaMemPool_t pool;  // the number itself takes the place of a pointer
CHECK(cudaMemPoolImportFromShareableHandle(&pool, reinterpret_cast<void *>(static_cast<intptr_t>(descriptor)),
                                           cudaMemHandleTypePosixFileDescriptor, 0));
close(descriptor);  // the pool has its own now
auto pointer = from_hex<cudaMemPoolPtrExportData>(HANDLE);
void *base;  // for use on another device, cudaMemPoolSetAccess comes first
CHECK(cudaMemPoolImportPointer(&base, pool, &pointer));`;

const released = ({ mechanism }: Plan): string =>
  mechanism === 'legacy'
    ? 'CHECK(cudaIpcCloseMemHandle(base));  // one reference less; the exporter keeps its memory'
    : `
CHECK(cudaFreeAsync(base, nullptr));  // before the exporter frees it; and first the pointer, then the pool
CHECK(cudaStreamSynchronize(nullptr));
CHECK(cudaMemPoolDestroy(pool));`;

const includes = (system: readonly string[], names: readonly string[]) =>
  blocks(
    lines('#include <cuda_runtime.h>', ...system.map((name) => `#include <${name}>`)),
    lines(...names.map((name) => `#include <${name}>`)),
  );

function importer(plan: Plan): string {
  const { mechanism, event, first } = plan;
  const fetches = mechanism === 'pool';
  const waits = mechanism === 'event' || event !== undefined;
  const body =
    mechanism === 'event'
      ? lines(
          start,
          'CHECK(cudaFree(nullptr));  // makes the context',
          'wait_for(HANDLE);',
          'std::printf("event: ready\\n");',
        )
      : blocks(
          start,
          opened(plan),
          lines(
            event !== undefined && 'wait_for(EVENT);',
            `unsigned char *data = static_cast<unsigned char *>(base) + OFFSET;${arrayComment(plan)}
unsigned char first[${first}];
CHECK(cudaMemcpy(first, data, sizeof first, cudaMemcpyDeviceToHost));`,
            printFirst,
          ),
          released(plan),
        );
  return blocks(
    opening(plan, 'importer', HOW, BUILD),
    includes(fetches ? ['sys/syscall.h', 'unistd.h'] : [], [
      ...(waits ? ['chrono'] : []),
      ...(fetches ? ['cstdint'] : []),
      'cstdio',
      'cstdlib',
      'cstring',
      ...(waits ? ['thread'] : []),
    ]),
    importConstants(plan),
    check,
    fromHex,
    findDevice,
    fetches && copyDescriptor,
    waits && waitFor,
    lines('int main() {', indent(body, 2), '}'),
  );
}

const fill = `
unsigned char pattern[SIZE < 256 ? SIZE : 256];  // 00 01 02 …, then zeros
for (size_t i = 0; i < sizeof pattern; i++) pattern[i] = static_cast<unsigned char>(i);
CHECK(cudaMemset(memory, 0, SIZE));
CHECK(cudaMemcpy(memory, pattern, sizeof pattern, cudaMemcpyHostToDevice));`;

const finished =
  'CHECK(cudaDeviceSynchronize());  // an importer sees what is finished: wait here, or share an event as well';

const recorded = `
cudaEvent_t event;  // an interprocess event cannot take times
CHECK(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
CHECK(cudaEventRecord(event));  // ready when everything before it is done
cudaIpcEventHandle_t ready;
CHECK(cudaIpcGetEventHandle(&ready, event));`;

function exported(plan: Plan): string {
  const shares = plan.event !== undefined;
  const settled = shares ? recorded : finished;
  const event = shares ? { event: 'ready' } : {};
  const gone = shares && 'CHECK(cudaEventDestroy(event));';
  switch (plan.mechanism) {
    case 'legacy':
      return blocks(
        lines(
          'CHECK(cudaSetDevice(find_device()));',
          'void *memory;',
          'CHECK(cudaMalloc(&memory, ROOM));',
          fill,
          settled,
          'cudaIpcMemHandle_t handle;',
          'CHECK(cudaIpcGetMemHandle(&handle, memory));',
        ),
        printing(plan, { handle: 'handle', allocationSize: 'ROOM', ...event }),
        lines(gone, 'CHECK(cudaFree(memory));'),
      );
    case 'pool':
      return blocks(
        lines(
          `
const int device = find_device();
CHECK(cudaSetDevice(device));
cudaMemPoolProps props{};  // only a pool that was made for it can be exported; the device's own pool cannot
props.allocType = cudaMemAllocationTypePinned;
props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
props.location.type = cudaMemLocationTypeDevice;
props.location.id = device;
cudaMemPool_t pool;
CHECK(cudaMemPoolCreate(&pool, &props));
void *memory;
CHECK(cudaMallocFromPoolAsync(&memory, SIZE, pool, nullptr));
CHECK(cudaStreamSynchronize(nullptr));  // an importer may not come before the allocation is done`,
          fill,
          settled,
          `
int descriptor;
CHECK(cudaMemPoolExportToShareableHandle(&descriptor, pool, cudaMemHandleTypePosixFileDescriptor, 0));
cudaMemPoolPtrExportData handle;
CHECK(cudaMemPoolExportPointer(&handle, memory));`,
        ),
        printing(plan, { handle: 'handle', descriptor: 'descriptor', allocationSize: 'SIZE', ...event }),
        lines(
          'close(descriptor);  // after the importers have freed theirs',
          gone,
          'CHECK(cudaFreeAsync(memory, nullptr));',
          'CHECK(cudaStreamSynchronize(nullptr));',
          'CHECK(cudaMemPoolDestroy(pool));',
        ),
      );
    default:
      return blocks(
        lines('CHECK(cudaSetDevice(find_device()));', recorded),
        printing(plan, { handle: 'ready' }),
        'CHECK(cudaEventDestroy(event));',
      );
  }
}

const exporter = (plan: Plan): string =>
  blocks(
    opening(plan, 'exporter', HOW, BUILD),
    includes(['unistd.h'], ['cstdio', 'cstdlib', 'cstring', 'string']),
    exportConstants(plan),
    check,
    findDevice,
    toHex,
    lines('int main() {', indent(exported(plan), 2), '}'),
  );

export const runtime: Library = {
  language: 'cpp',
  library: 'runtime',
  name: 'CUDA runtime API',
  cannot: (mechanism) => {
    switch (mechanism) {
      case 'virtual':
        return 'The runtime API has no calls for virtual memory. The driver API has, and both work on the same context: the address can be used with either.';
      case 'fabric':
        return 'The runtime API has no calls that map fabric memory. The driver API has, and both work on the same context: the address can be used with either.';
      default:
        return undefined;
    }
  },
  write: (plan, side) => ({
    code: `${side === 'importer' ? importer(plan) : exporter(plan)}\n`,
    requires: ['Linux', `CUDA toolkit ${plan.mechanism === 'pool' ? '11.3' : '11.0'} or newer (nvcc)`],
  }),
};
