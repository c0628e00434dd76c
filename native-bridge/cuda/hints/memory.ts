/** Memory of cuMemAlloc and its kind: allocating, freeing, copying and filling. */
import { formatSize } from '#contract/units';
import type { Rule } from './rule';

const FREE = ['cuMemFree_v2'];
const ALLOCATE = /^cuMem(Alloc|HostAlloc|Create)/;
const MOVE = /^cuMem(cpy|set)/;

export const memoryRules: readonly Rule[] = [
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
];
