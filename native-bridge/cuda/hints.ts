/**
 * What a failed driver call means and what to do: a pure function from the call, its result and what is known about
 * the situation. The rules stand in order; the first that applies answers. Causes are from measurements on a real
 * driver (docs/driver-facts.md) and from public reports (the comment names them where a report is the only source).
 *
 * The driver finds the exporter of memory by a number that only it knows, and looks at the pid of a handle only to refuse
 * its own process's. So `exporter`, which comes from that pid, explains a result and never stands against one:
 * INVALID_HANDLE means that the driver knows no such exporter, INVALID_VALUE that it knows it and not the memory.
 */
import { formatSize } from '#contract/units';
import { isSticky } from './results';

/** What the caller knows. Everything is optional: less knowledge gives a more general sentence. */
export interface Situation {
  /** The process that made the handle. */
  readonly exporter?: {
    /** For people: `Producer 1`, `python3`. Given only when it is known whose handle it is. */
    readonly name?: string | undefined;
    readonly pid?: number | undefined;
    /** `self`: the process that asks. `gone`: no process that this one can see has the pid. */
    readonly state: 'self' | 'alive' | 'gone' | 'unknown';
    /** Whether its pid is counted in another pid namespace (a container) than ours. */
    readonly otherPidNamespace?: boolean | undefined;
  };
  /** What the exported object is now. */
  readonly source?: 'live' | 'freed' | undefined;
  /** What the bytes given as a handle turn out to be. */
  readonly handle?: 'zero' | 'memory' | 'event' | 'unknown' | undefined;
  /** Flags given to the call. */
  readonly flags?: number | undefined;
  /** Kind of memory the pointer belongs to. */
  readonly memory?:
    | 'device'
    | 'managed'
    | 'host'
    | 'pool'
    | 'virtual'
    | 'imported'
    | 'freed'
    | 'closed'
    | 'nobody'
    | undefined;
  /** The pool that the call is about. */
  readonly pool?:
    | {
        readonly imported: boolean;
        /** Created to be exported as a file descriptor. */
        readonly shareable: boolean;
        /** It was exported once. */
        readonly exported: boolean;
        /** Memory of it that is open in this process, of an imported one. */
        readonly openPointers?: number | undefined;
      }
    | undefined;
  /** The physical memory that the call is about. */
  readonly physical?: { readonly imported: boolean; readonly shareable: 'none' | 'fd' | 'fabric' } | undefined;
  /** The device that uses it was given no access to the pool that the memory is of. */
  readonly noPoolAccess?: boolean | undefined;
  /** Something is mapped already where memory is to be mapped. */
  readonly taken?: boolean | undefined;
  /** Access that is to be given. */
  readonly access?: 'none' | 'read' | 'read-write' | undefined;
  /** Whether the pointer lies inside its allocation rather than at the base. */
  readonly interior?: boolean | undefined;
  /** Bytes asked for. */
  readonly bytes?: number | undefined;
  readonly freeBytes?: number | undefined;
  /** False: this thread has no current context. */
  readonly hasContext?: boolean | undefined;
  /** This process has memory of the same exporter open in another context of the device. */
  readonly openInOtherContext?: boolean | undefined;
}

interface Rule {
  /** Exported symbols, a pattern over them, or undefined for every call. */
  readonly calls?: readonly string[] | RegExp;
  readonly results: readonly number[] | ((result: number) => boolean);
  readonly when?: (situation: Situation) => boolean;
  readonly say: string | ((situation: Situation) => string);
}

const OPEN_MEMORY = ['cuIpcOpenMemHandle_v2'];
const OPEN_EVENT = ['cuIpcOpenEventHandle'];
const OPEN = /^cuIpcOpen(Mem|Event)Handle/;
const EXPORT_MEMORY = ['cuIpcGetMemHandle'];
const EXPORT_EVENT = ['cuIpcGetEventHandle'];
const CLOSE = ['cuIpcCloseMemHandle'];
const FREE = ['cuMemFree_v2'];
const ALLOCATE = /^cuMem(Alloc|HostAlloc|Create)/;
const ALLOCATE_FROM_POOL = ['cuMemAllocFromPoolAsync'];
const EXPORT_POOL = ['cuMemPoolExportToShareableHandle'];
const IMPORT_POOL = ['cuMemPoolImportFromShareableHandle'];
const EXPORT_POINTER = ['cuMemPoolExportPointer'];
const IMPORT_POINTER = ['cuMemPoolImportPointer'];
const POOL_ACCESS = ['cuMemPoolSetAccess'];
const EXPORT_PHYSICAL = ['cuMemExportToShareableHandle'];
const IMPORT_PHYSICAL = ['cuMemImportFromShareableHandle'];
const MAP = ['cuMemMap'];
const SET_ACCESS = ['cuMemSetAccess'];
const MOVE = /^cuMem(cpy|set)/;
const EVENT_USE = /^cu(Event(Query|Record|Synchronize|Destroy)|StreamWaitEvent)/;
const STREAM_USE = /^cuStream/;

const who = ({ exporter }: Situation): string =>
  exporter?.name ?? (exporter?.pid === undefined ? 'The exporter' : `The exporter (pid ${exporter.pid})`);

const rules: readonly Rule[] = [
  // Opening memory and events
  {
    calls: OPEN,
    results: [201],
    when: ({ exporter }) => exporter?.otherPidNamespace === true,
    // triton-inference-server/server#3429
    say: ({ exporter }) =>
      `The exporter runs in another pid namespace and has the same pid there${exporter?.pid === undefined ? '' : ` (${exporter.pid})`}, so the driver takes its handle for one of this process. Let both containers share one: docker run --pid=host, or --pid=container:NAME.`,
  },
  {
    calls: OPEN,
    results: [201],
    when: ({ exporter }) => exporter?.state === 'self',
    say: (situation) =>
      `${situation.exporter?.name ?? 'This process'} exported this handle itself. A process cannot open its own handle: open it in another one.`,
  },
  {
    calls: OPEN,
    results: [201],
    when: ({ hasContext }) => hasContext === false,
    say: 'This thread has no current context. Make one current (cuCtxSetCurrent) before opening.',
  },
  {
    calls: OPEN,
    results: [201],
    say: 'Either this process exported the handle itself, which it cannot open, or the thread has no current context.',
  },
  {
    calls: OPEN_MEMORY,
    results: [1],
    when: ({ flags }) => flags !== undefined && (flags & 1) === 0,
    say: ({ flags }) =>
      `The driver opens memory only with flag 1, LAZY_ENABLE_PEER_ACCESS. The flags were ${flags}: use 1.`,
  },
  {
    calls: OPEN,
    results: [1, 205, 400],
    when: ({ handle }) => handle === 'zero',
    say: 'All 64 bytes are zero, so this is no handle. It was probably sent before it was filled in.',
  },
  {
    calls: OPEN_MEMORY,
    results: [1, 205, 400],
    when: ({ handle }) => handle === 'event',
    say: 'This is the handle of an event, not of memory. Open it as an event.',
  },
  {
    calls: OPEN_EVENT,
    results: [1, 205, 400],
    when: ({ handle }) => handle === 'memory',
    say: 'This is the handle of memory, not of an event. Open it as memory.',
  },
  {
    calls: OPEN_MEMORY,
    results: [400],
    when: ({ openInOtherContext }) => openInOtherContext === true,
    say: 'This process has memory of that exporter open in another context of the device. Only one context at a time may.',
  },
  {
    calls: OPEN_MEMORY,
    results: [400],
    when: ({ exporter }) => exporter?.state === 'gone',
    say: ({ exporter }) =>
      exporter?.name === undefined
        ? `The process that made this handle${exporter?.pid === undefined ? '' : ` (pid ${exporter.pid})`} is gone, or it was on another machine: neither the driver nor this system knows it. Mappings that were open stay open.`
        : `${exporter.name} is gone, so its memory cannot be opened any more. Mappings that were open stay open.`,
  },
  {
    calls: OPEN_MEMORY,
    results: [400],
    say: 'The driver knows no process that could have made this handle: it has ended, or it ran on another machine. The same answer comes while another context of this process has memory of that exporter open.',
  },
  {
    calls: OPEN_EVENT,
    results: [205],
    when: ({ exporter }) => exporter?.state === 'gone',
    say: (situation) =>
      `${who(situation)} is gone, and the driver finds no events of it any more. What is open of them stays open.`,
  },
  {
    calls: OPEN_MEMORY,
    results: [1],
    when: ({ source }) => source === 'freed',
    say: (situation) =>
      `${who(situation)} has freed this memory, so nobody can open it any more. Whoever has it open keeps the bytes.`,
  },
  {
    calls: OPEN_MEMORY,
    results: [1],
    say: 'The exporter has freed this memory, or these bytes are not a handle of this driver. Export again and pass all 64 bytes unchanged.',
  },
  {
    calls: OPEN_EVENT,
    results: [205],
    say: 'The driver finds no events of a process with the pid in these bytes: it has ended, it runs in a container with another /dev/shm, or these bytes are not an event handle of this driver.',
  },
  {
    calls: OPEN_MEMORY,
    results: [208],
    // Reported for drivers 530 and 535: vllm-project/vllm#2641, openucx/ucx#3192
    say: 'This process has the memory open already, by a handle with another size: one of the two was changed on the way. Drivers 530 and 535 also refuse a second open of the same handle: keep one mapping and share its address.',
  },
  {
    calls: OPEN,
    results: [217],
    say: 'The memory is on a GPU that the current one cannot reach directly. Open it on the device it was exported from.',
  },
  {
    calls: OPEN,
    results: [711],
    say: 'The device has as many direct peers as it can. Close mappings of other devices first.',
  },
  { calls: OPEN, results: [101], say: "The exporter's GPU cannot be seen by this process." },
  {
    calls: OPEN,
    results: [205, 304],
    say: 'The driver could not map it here. In containers, both need the same GPU device nodes and a shared /dev/shm.',
  },
  {
    calls: /^cuIpc/,
    results: [801],
    say: 'This platform cannot share memory this way: Tegra devices share events only, and WSL has limits of its own.',
  },

  // Exporting
  {
    calls: EXPORT_MEMORY,
    results: [1],
    when: ({ memory }) => memory === 'managed',
    say: 'Managed memory cannot be exported. Allocate with New buffer (cuMemAlloc), or share it through a pool.',
  },
  {
    calls: EXPORT_MEMORY,
    results: [1],
    when: ({ memory }) => memory === 'host',
    say: 'Page-locked host memory cannot be exported to another process. Use shared memory of the system and register it in both.',
  },
  {
    calls: EXPORT_MEMORY,
    results: [1],
    when: ({ memory }) => memory === 'pool',
    say: 'Stream-ordered memory (cuMemAllocAsync) has no legacy handle. Export its pool and the pointer, or allocate with cuMemAlloc.',
  },
  {
    calls: EXPORT_MEMORY,
    results: [1],
    when: ({ memory }) => memory === 'virtual',
    say: 'Memory from cuMemCreate has no legacy handle. Export the allocation as a file descriptor, or allocate with cuMemAlloc.',
  },
  {
    calls: EXPORT_MEMORY,
    results: [1],
    when: ({ memory }) => memory === 'imported',
    say: 'Imported memory cannot be exported again. Pass on the handle that it was opened from.',
  },
  {
    calls: EXPORT_MEMORY,
    results: [1],
    when: ({ memory }) => memory === 'freed',
    say: 'This memory has been freed. Only live memory has a handle.',
  },
  {
    calls: EXPORT_MEMORY,
    results: [1],
    say: 'Only live memory from cuMemAlloc has a legacy handle: not managed, host, pool, cuMemCreate, imported or freed memory.',
  },
  {
    calls: EXPORT_EVENT,
    results: [400, 1],
    when: ({ flags }) => flags !== undefined && (flags & 4) === 0,
    say: ({ flags }) =>
      `The event was created with flags ${flags}. Only one created with INTERPROCESS and DISABLE_TIMING (6) can be exported.`,
  },
  {
    calls: EXPORT_EVENT,
    results: [400, 1],
    say: 'Only an own, live event created with INTERPROCESS and DISABLE_TIMING (6) can be exported.',
  },

  // Pools
  {
    calls: EXPORT_POOL,
    results: [1],
    when: ({ pool }) => pool?.imported === true,
    say: 'An imported pool cannot be exported again. Its exporter has to export it to whoever needs it.',
  },
  {
    calls: EXPORT_POOL,
    results: [1],
    say: 'Only a pool that was created shareable (with POSIX_FILE_DESCRIPTOR) can be exported. The default pool of a device never is.',
  },
  {
    calls: EXPORT_POINTER,
    results: [1],
    when: ({ pool }) => pool?.shareable === false,
    say: 'Its pool was not created shareable, so memory of it cannot be exported. Allocate from a shareable pool.',
  },
  {
    calls: EXPORT_POINTER,
    results: [1],
    when: ({ pool }) => pool?.exported === false,
    say: 'Its pool has not been exported yet. Export the pool first (cuMemPoolExportToShareableHandle), then its memory.',
  },
  {
    calls: EXPORT_POINTER,
    results: [1],
    say: 'Only own memory of a shareable pool that was exported before can be exported so.',
  },
  {
    calls: IMPORT_POINTER,
    results: [1],
    when: ({ handle }) => handle === 'zero',
    say: 'All 64 bytes are zero, so they name no memory. They were probably sent before they were filled in.',
  },
  {
    calls: IMPORT_POINTER,
    results: [1],
    say: 'These bytes do not name memory of this pool: they are of another pool, were changed on the way, or the memory was freed and its exporter is gone.',
  },
  {
    calls: [...IMPORT_POOL, ...IMPORT_PHYSICAL],
    results: [999, 1],
    say: 'The descriptor is not open, or it is not one that a CUDA driver gave: another file, or a number of another process that was not sent over a Unix socket.',
  },
  {
    calls: IMPORT_POOL,
    results: [801],
    say: 'The descriptor is of virtual memory, not of a pool. Import it as physical memory (cuMemImportFromShareableHandle).',
  },
  {
    calls: ALLOCATE_FROM_POOL,
    results: [1],
    when: ({ pool }) => pool?.imported === true,
    say: 'An imported pool gives no memory: only its exporter allocates in it. Import what was allocated there.',
  },
  {
    calls: ALLOCATE_FROM_POOL,
    results: [2],
    when: ({ pool }) => pool !== undefined,
    say: 'The pool has not that much: it is at the limit that it was created with, or the device is full.',
  },
  {
    calls: POOL_ACCESS,
    results: [801],
    when: ({ access }) => access === 'read',
    say: 'Access to a pool is read-write or none; there is no reading only.',
  },
  {
    calls: POOL_ACCESS,
    results: [101],
    when: ({ access }) => access === 'none',
    say: "The pool's own device always has access to it.",
  },
  {
    calls: POOL_ACCESS,
    results: [101, 217],
    say: 'That device cannot reach the memory of the pool directly.',
  },
  {
    calls: /^cuMemPool/,
    results: [1],
    when: ({ pool }) => pool?.imported === true && (pool.openPointers ?? 0) > 0,
    say: ({ pool }) =>
      `Memory of this imported pool is open in this process (${pool?.openPointers === 1 ? 'one mapping' : `${pool?.openPointers} mappings`}). Close it first.`,
  },
  {
    calls: /^cuMemPool/,
    results: [1],
    when: ({ pool }) => pool?.imported === true,
    say: 'An imported pool cannot do that: ask the process that created it.',
  },

  // Virtual memory
  {
    calls: EXPORT_PHYSICAL,
    results: [1],
    when: ({ physical }) => physical?.imported === true,
    say: 'Imported memory cannot be exported again. Its exporter has to export it to whoever needs it.',
  },
  {
    calls: EXPORT_PHYSICAL,
    results: [1],
    when: ({ physical }) => physical?.shareable === 'none',
    say: 'This memory was not created to be exported. Create it shareable by descriptor (cuMemCreate with POSIX_FILE_DESCRIPTOR).',
  },
  {
    calls: EXPORT_PHYSICAL,
    results: [1, 801],
    when: ({ memory }) => memory === 'imported',
    say: 'Imported memory cannot be exported again. Pass on what it was imported from.',
  },
  {
    calls: EXPORT_PHYSICAL,
    results: [1, 801],
    say: 'The memory was not created with this handle type: what it may be exported as is chosen when it is created (cuMemCreate).',
  },
  {
    calls: ['cuMemRetainAllocationHandle'],
    results: [1],
    say: 'There is no physical memory of cuMemCreate at this address, and no other kind can be exported so.',
  },
  {
    calls: IMPORT_PHYSICAL,
    results: [801],
    say: 'The descriptor is of a pool, not of physical memory. Import it as a pool (cuMemPoolImportFromShareableHandle).',
  },
  {
    calls: ['cuMemCreate', ...EXPORT_PHYSICAL, ...IMPORT_PHYSICAL],
    results: [800],
    say: 'Fabric handles need an IMEX channel that this user can open (/dev/nvidia-caps-imex-channels), and this machine has none.',
  },
  {
    calls: MAP,
    results: [1],
    when: ({ taken }) => taken === true,
    say: 'Something is mapped there already. Unmap it first, or map at another offset.',
  },
  {
    calls: MAP,
    results: [801],
    say: 'Physical memory is mapped as a whole: its size has to be the one that it was created with, and the offset in it 0.',
  },
  {
    calls: MAP,
    results: [1],
    say: 'Addresses and offsets are multiples of the granularity, and the memory has to fit into the range.',
  },
  {
    calls: SET_ACCESS,
    results: [1],
    say: 'Access is given to whole pieces that are mapped, and only to virtual memory.',
  },

  // Letting go
  {
    calls: CLOSE,
    results: [1, 400],
    when: ({ memory }) => memory === 'device',
    say: 'This is memory of this process, not imported. Own memory is freed (cuMemFree), imported memory is closed.',
  },
  {
    calls: CLOSE,
    results: [1, 400],
    when: ({ memory }) => memory === 'closed',
    say: 'The last reference to this mapping has been closed already. Each open needs one close, not more.',
  },
  {
    calls: CLOSE,
    results: [1, 400],
    say: 'Only an address that cuIpcOpenMemHandle gave can be closed, and only as often as it was opened.',
  },
  {
    calls: FREE,
    results: [1],
    when: ({ memory }) => memory === 'imported',
    say: 'This memory belongs to another process. Imported memory is closed (cuIpcCloseMemHandle), never freed.',
  },
  {
    calls: FREE,
    results: [1],
    when: ({ interior }) => interior === true,
    say: 'Memory is freed by the address that cuMemAlloc gave, not by one inside it.',
  },
  {
    calls: FREE,
    results: [1],
    say: 'This address is not the start of live memory of this process: it was freed before, is imported, or lies inside an allocation.',
  },

  // Creating and using
  {
    calls: ALLOCATE,
    results: [1],
    when: ({ bytes }) => bytes === 0,
    say: 'The size is 0. The smallest buffer has 1 byte.',
  },
  {
    calls: ALLOCATE,
    results: [2],
    when: ({ bytes, freeBytes }) => bytes !== undefined && freeBytes !== undefined,
    say: ({ bytes = 0, freeBytes = 0 }) =>
      `The device has ${formatSize(freeBytes)} free, and ${formatSize(bytes)} were asked for. Memory that others still have mapped is free only when they close it.`,
  },
  {
    results: [2],
    say: 'The device has not enough free memory. Memory that others still have mapped is free only when they close it.',
  },
  {
    calls: MOVE,
    results: [1],
    when: ({ noPoolAccess }) => noPoolAccess === true,
    say: 'The memory is of a pool of another device, and this one has no access to it yet: give it access to the pool (cuMemPoolSetAccess).',
  },
  {
    calls: MOVE,
    results: [1],
    when: ({ memory }) => memory === 'freed' || memory === 'closed',
    say: ({ memory }) =>
      memory === 'freed' ? 'This memory has been freed.' : 'This mapping has been closed. Open the handle again.',
  },
  {
    calls: MOVE,
    results: [1],
    say: 'The range does not lie inside one live allocation or open mapping.',
  },
  {
    calls: ['cuEventCreate'],
    results: [1],
    when: ({ flags }) => flags !== undefined && (flags & 4) !== 0 && (flags & 2) === 0,
    say: ({ flags }) => `The flags were ${flags}: INTERPROCESS (4) needs DISABLE_TIMING (2) with it, so 6.`,
  },
  {
    calls: ['cuEventCreate'],
    results: [1],
    say: 'Flags are a sum of BLOCKING_SYNC 1, DISABLE_TIMING 2 and INTERPROCESS 4, and 4 needs 2.',
  },
  {
    calls: ['cuEventElapsedTime'],
    results: [400],
    say: 'Interprocess events have no timing. Use events without DISABLE_TIMING in one process.',
  },
  {
    calls: EVENT_USE,
    results: [400],
    say: 'The event is of another device or context than the stream.',
  },
  {
    calls: EVENT_USE,
    results: [709],
    say: 'The event was destroyed, or the context it was made in.',
  },
  {
    calls: STREAM_USE,
    results: [709],
    say: 'The stream was destroyed, or the context it was made in.',
  },
  {
    results: [704],
    say: 'The current context can reach that peer already. Nothing is wrong.',
  },
  {
    calls: ['cuDeviceGet'],
    results: [101],
    say: 'There is no device with this number. CUDA_VISIBLE_DEVICES decides which ones this process sees.',
  },

  // Whatever the call
  { results: [3], say: 'The driver is not initialised in this process. Call cuInit first.' },
  {
    results: [4],
    say: 'The driver is shutting down because the process ends.',
  },
  {
    results: [201],
    say: 'This thread has no current context. Make one current first (cuCtxSetCurrent); it belongs to one thread.',
  },
  {
    results: [46],
    say: 'The device is in exclusive-process or prohibited mode and another process has it, or a MIG or vGPU change is under way.',
  },
  {
    results: [100],
    say: 'The driver finds no GPU for this process. Look at nvidia-smi, at CUDA_VISIBLE_DEVICES, and in a container at its GPU devices.',
  },
  {
    results: [34],
    say: "The library that was found is the CUDA toolkit's stub for linking. Take its folder out of LD_LIBRARY_PATH.",
  },
  {
    results: [802],
    say: 'The system is not ready: on machines with NVSwitch the fabric manager has to run (nvidia-fabricmanager).',
  },
  {
    results: [803],
    say: 'The kernel module and libcuda have different versions. Reboot, or reload the NVIDIA modules, after a driver update.',
  },
  {
    results: [804],
    say: 'The CUDA compatibility libraries do not support this GPU. Take them out of the library path, or update the driver.',
  },
  {
    results: [805],
    say: 'The MPS control daemon or server does not answer. Start nvidia-cuda-mps-control -d, or unset CUDA_MPS_PIPE_DIRECTORY.',
  },
  { results: [806], say: 'The MPS server stopped answering. Restart nvidia-cuda-mps-control.' },
  { results: [807], say: 'The MPS server is starting or recovering from a fault of another client. Try again.' },
  { results: [808], say: 'The MPS server has as many clients as it can. End one of them.' },
  { results: [809], say: 'The MPS server has as many device connections as it can. End a client.' },
  { results: [810], say: 'The MPS server ended this client. Start the process again.' },
  {
    results: isSticky,
    say: 'The GPU context is lost: every further call of this process fails, and only a new process helps. What it shared goes with it.',
  },
  { results: [709], say: 'The context was destroyed. Restart this process.' },
  {
    results: [36],
    say: 'The installed driver is older than this call. Update the NVIDIA driver.',
  },
  { results: [800], say: 'The system does not permit this to this user or container.' },
  { results: [801], say: 'This device or platform cannot do this.' },
  {
    calls: ['cuInit'],
    results: [304, 999],
    say: 'The driver could not start. Often the module nvidia-uvm is not loaded or /dev/nvidia-uvm is missing: try nvidia-modprobe -u -c=0.',
  },
];

/**
 * The sentence that goes with a failed call.
 * @param call exported symbol: `cuIpcOpenMemHandle_v2`
 * @param result CUresult; 0 and NOT_READY (600, which is waiting) have no hint
 * @returns undefined when nothing is known that helps
 */
export function hintFor(call: string, result: number, situation: Situation = {}): string | undefined {
  const rule = rules.find((candidate) => applies(candidate, call, result, situation));
  return typeof rule?.say === 'function' ? rule.say(situation) : rule?.say;
}

function applies({ calls, results, when }: Rule, call: string, result: number, situation: Situation): boolean {
  if (typeof results === 'function' ? !results(result) : !results.includes(result)) return false;
  if (calls instanceof RegExp ? !calls.test(call) : calls !== undefined && !calls.includes(call)) return false;
  return when === undefined || when(situation);
}
