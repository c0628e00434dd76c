/** The ways in which a demo window shares a buffer, in words, and the driver calls of each step. Pure. */
import type { Device, Support } from '#contract/devices';
import type { Export } from '#contract/records';
import type { Mechanism, MemoryKind } from '#contract/values';

interface Way {
  /** Kind of memory that is shared so. */
  readonly memory: MemoryKind;
  readonly name: string;
  /** Among other words about a buffer: `in a pool`. */
  readonly short: string;
  /** What choosing it means. */
  readonly means: string;
  /** Functions whose call stands for a step, the one to show first. */
  readonly calls: {
    readonly create: readonly string[];
    readonly export: readonly string[];
    readonly open: readonly string[];
    readonly close: readonly string[];
    readonly free: readonly string[];
  };
}

/** `fabric` is only shown: it needs machines that few people have. */
export type DemoWay = Exclude<Mechanism, 'fabric'>;

export const ways: Readonly<Record<DemoWay, Way>> = {
  legacy: {
    memory: 'device',
    name: 'Legacy handle',
    short: 'legacy handle',
    means:
      'cuMemAlloc memory. 64 bytes open it, whoever has them. Small buffers share a driver block, and all of it opens.',
    calls: {
      create: ['cuMemAlloc_v2'],
      export: ['cuIpcGetMemHandle'],
      open: ['cuIpcOpenMemHandle_v2'],
      close: ['cuIpcCloseMemHandle'],
      free: ['cuMemFree_v2'],
    },
  },
  pool: {
    memory: 'pool',
    name: 'Pool',
    short: 'in a pool',
    means:
      'Memory of a pool, allocated and freed in stream order. The pool travels once, as a file descriptor; then 64 bytes for each buffer.',
    calls: {
      create: ['cuMemAllocFromPoolAsync'],
      export: ['cuMemPoolExportPointer'],
      open: ['cuMemPoolImportPointer'],
      close: ['cuMemFreeAsync'],
      free: ['cuMemFreeAsync'],
    },
  },
  virtual: {
    memory: 'virtual',
    name: 'Virtual memory',
    short: 'virtual memory',
    means:
      'Physical memory in whole steps, mapped at an address of one’s own. It travels as a file descriptor, and each process says what its device may do.',
    calls: {
      create: ['cuMemMap'],
      export: ['cuMemExportToShareableHandle'],
      open: ['cuMemMap'],
      close: ['cuMemUnmap'],
      free: ['cuMemUnmap'],
    },
  },
};

export const demoWays = Object.keys(ways) as readonly DemoWay[];

/** How memory of a kind is shared; `undefined` for kinds that no demo window makes. */
export const wayOf = (memory: MemoryKind): DemoWay | undefined => demoWays.find((way) => ways[way].memory === memory);

const support = { legacy: 'legacyMemory', pool: 'poolFd', virtual: 'vmmFd', fabric: 'fabric' } as const;

/** What the device says of a way; unknown while there is no device. */
export const supportOf = (way: Mechanism, device: Device | undefined): Support | undefined =>
  device?.sharing[support[way]];

/** What goes from one process to the other, and by which way. `pool`: the export of its pool. */
export function whatTravels(exported: Pick<Export, 'mechanism' | 'descriptors'>, pool: Export | undefined): string {
  switch (exported.mechanism) {
    case 'legacy':
    case 'fabric':
      return '64 bytes travel, by any way at all.';
    case 'pool': {
      const fd = pool?.descriptors?.[0]?.fd;
      const which = fd === undefined ? 'The descriptor' : `Descriptor ${fd}`;
      return `${which} of its pool travels over a Unix socket (SCM_RIGHTS), and 64 bytes by any way.`;
    }
    case 'virtual': {
      const fds = (exported.descriptors ?? []).map(({ fd }) => fd);
      const which = fds.length === 1 ? `Descriptor ${fds[0]} travels` : `${fds.length} descriptors travel`;
      return `${which} over a Unix socket (SCM_RIGHTS). The number alone means nothing elsewhere.`;
    }
  }
}

/** What arrived where it was opened. `pieces`: descriptors of virtual memory. */
export function whatArrived(mechanism: Mechanism, exporter: string, pieces: number): string {
  switch (mechanism) {
    case 'legacy':
    case 'fabric':
      return `64 bytes came from ${exporter}.`;
    case 'pool':
      return `The pool’s descriptor came from ${exporter} over a Unix socket (SCM_RIGHTS), and 64 bytes.`;
    case 'virtual':
      return `${pieces === 1 ? 'A descriptor' : `${pieces} descriptors`} came from ${exporter} over a Unix socket (SCM_RIGHTS).`;
  }
}

/** What becomes of the pages when the owner frees while others have them open. */
export function afterFreeing(way: DemoWay | undefined): string {
  switch (way) {
    case 'pool':
      return 'Its handle opens it no more. NVIDIA asks that importers free memory of a pool first, and leaves the other order undefined; the drivers seen so far keep the pages.';
    case 'virtual':
      return 'Its descriptors are closed, so nobody can open it any more. That the pages stay is how virtual memory is meant to work.';
    default:
      return 'The handle does not open them again, but may open newer memory of this process. NVIDIA’s documentation leaves this undefined; the drivers seen so far keep the pages.';
  }
}
