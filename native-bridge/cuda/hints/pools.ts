/** Pools: exporting them and their memory, importing, access. */
import type { Rule } from './rule';

const ALLOCATE_FROM_POOL = ['cuMemAllocFromPoolAsync'];
const EXPORT_POOL = ['cuMemPoolExportToShareableHandle'];
const IMPORT_POOL = ['cuMemPoolImportFromShareableHandle'];
const EXPORT_POINTER = ['cuMemPoolExportPointer'];
const IMPORT_POINTER = ['cuMemPoolImportPointer'];
const POOL_ACCESS = ['cuMemPoolSetAccess'];
const IMPORT_PHYSICAL = ['cuMemImportFromShareableHandle'];

export const poolRules: readonly Rule[] = [
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
];
