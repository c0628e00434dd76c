/** Legacy handles: opening, exporting and closing memory and events. */
import type { Rule, Situation } from './rule';

const OPEN_MEMORY = ['cuIpcOpenMemHandle_v2'];
const OPEN_EVENT = ['cuIpcOpenEventHandle'];
const OPEN = /^cuIpcOpen(Mem|Event)Handle/;
const EXPORT_MEMORY = ['cuIpcGetMemHandle'];
const EXPORT_EVENT = ['cuIpcGetEventHandle'];
const CLOSE = ['cuIpcCloseMemHandle'];

const who = ({ exporter }: Situation): string =>
  exporter?.name ?? (exporter?.pid === undefined ? 'The exporter' : `The exporter (pid ${exporter.pid})`);

export const ipcRules: readonly Rule[] = [
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
];
