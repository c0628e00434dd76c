/** Virtual memory: physical memory, its descriptors, mapping and access. */
import type { Rule } from './rule';

const EXPORT_PHYSICAL = ['cuMemExportToShareableHandle'];
const IMPORT_PHYSICAL = ['cuMemImportFromShareableHandle'];
const MAP = ['cuMemMap'];
const SET_ACCESS = ['cuMemSetAccess'];

export const virtualMemoryRules: readonly Rule[] = [
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
];
