/** Which tables hold what is exported and what is imported, by the kind of the export. */
import type { Export } from '#contract/records';

type Kind = Export['kind'];

/** Objects that can be exported. Pools and physical memory may be imports instead. */
export const objectTables = ['allocations', 'events', 'pools', 'physicals'] as const;
export type ObjectTable = (typeof objectTables)[number];

/** Records that were opened from an export; of pools and physical memory those that are imported. */
export const importTables = ['mappings', 'eventImports', 'pools', 'physicals'] as const;
export type ImportTable = (typeof importTables)[number];

const objects: Readonly<Record<Kind, ObjectTable>> = {
  memory: 'allocations',
  event: 'events',
  pool: 'pools',
  physical: 'physicals',
};
const imports: Readonly<Record<Kind, ImportTable>> = {
  memory: 'mappings',
  event: 'eventImports',
  pool: 'pools',
  physical: 'physicals',
};

/** Where the object of an export is. */
export const objectTable = (kind: Kind): ObjectTable => objects[kind];

/** Where what was opened from an export is. Of virtual memory the pieces are in `physicals` besides. */
export const importTable = (kind: Kind): ImportTable => imports[kind];
