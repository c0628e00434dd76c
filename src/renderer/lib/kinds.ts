/** Kinds of memory and ways of sharing it, in the words and signs that all windows use. Pure. */
import type { Mechanism, MemoryKind } from '#contract/values';
import type { IconName } from '../ui/icons';
import type { Group, MemoryGroup } from './groups';

interface MemoryKindWords {
  readonly name: string;
  /** The driver function that makes it. */
  readonly made: string;
  /** What it is, and how it can be shared. */
  readonly sentence: string;
}

export const memoryKinds: Readonly<Record<MemoryKind, MemoryKindWords>> = {
  device: {
    name: 'Device',
    made: 'cuMemAlloc',
    sentence:
      'Plain GPU memory. Shared by a legacy handle of 64 bytes, which exposes its whole block of 2 MiB or more.',
  },
  pool: {
    name: 'Pool',
    made: 'cuMemAllocFromPoolAsync',
    sentence: 'GPU memory from a pool that others can import: by the descriptor of the pool and 64 bytes.',
  },
  virtual: {
    name: 'Virtual',
    made: 'cuMemCreate, cuMemMap',
    sentence: 'Physical memory mapped at a range of addresses. Shared by one file descriptor for each piece.',
  },
  managed: {
    name: 'Managed',
    made: 'cuMemAllocManaged',
    sentence: 'Moves between GPU and CPU by itself. It cannot be shared with another process.',
  },
  pinned: {
    name: 'Pinned',
    made: 'cuMemAllocHost',
    sentence: 'CPU memory that stays in place for fast copies. It cannot be shared through the GPU driver.',
  },
  mapped: {
    name: 'Mapped',
    made: 'cuMemHostAlloc',
    sentence: 'Pinned CPU memory that the GPU reads and writes directly. It cannot be shared through the GPU driver.',
  },
  'default-pool': {
    name: 'Default pool',
    made: 'cuMemAllocAsync',
    sentence: 'GPU memory from the pool that each device has by itself. That pool cannot be exported.',
  },
};

export const mechanismName: Readonly<Record<Mechanism, string>> = {
  legacy: 'Legacy handle',
  pool: 'Pool, fd',
  virtual: 'Virtual, fd',
  fabric: 'Fabric handle',
};

/** Beside a mapping or an export. */
export const mechanismWord: Readonly<Record<Mechanism, string>> = {
  legacy: 'legacy',
  pool: 'by pool',
  virtual: 'by fd',
  fabric: 'by fabric',
};

/** The kind of memory in a word; undefined for that of cuMemAlloc, which is the usual one, and where it is not known. */
export function kindWord({ allocation, children }: MemoryGroup): string | undefined {
  if (allocation !== undefined) {
    return allocation.memory === 'device' ? undefined : memoryKinds[allocation.memory].name.toLowerCase();
  }
  const [first] = children;
  if (first?.type !== 'mapping' || first.record.mechanism === 'legacy') return undefined;
  return first.record.mechanism === 'pool' ? 'pool' : 'virtual';
}

const groupWords = { memory: 'buffer', event: 'event', pool: 'pool', physical: 'physical' } as const;
const groupIcons = { memory: 'buffer', event: 'event', pool: 'pool', physical: 'physical' } as const;

/** What kind of thing a group is. */
export const groupWord = (group: Group): string => groupWords[group.kind];
export const groupIcon = (group: Group): IconName => groupIcons[group.kind];
