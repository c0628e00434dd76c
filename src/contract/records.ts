/**
 * The ledger's records: what is known about every process and object, as plain data. Each host reports its own
 * objects; main joins them (which mapping belongs to which export, who is gone) and sends them to the windows.
 * Handles are not in here: they are capabilities and travel only when revealed.
 */
import * as v from 'valibot';
import {
  accessSchema,
  addressSchema,
  dataSchema,
  descriptorNumberSchema,
  dtypeSchema,
  eventStatusSchema,
  exporterSchema,
  idSchema,
  mechanismSchema,
  memoryKindSchema,
  ordinalSchema,
} from './values';

const time = v.number();

export const peerSchema = v.object({
  id: idSchema,
  /** `outside`: a process that this app did not start, known from a handle that was imported. */
  role: v.picklist(['inspector', 'producer', 'consumer', 'outside']),
  /** `Inspector`, `Producer 1`, `python3`. */
  name: v.string(),
  pid: v.nullable(v.number()),
  device: v.nullable(ordinalSchema),
  /** `exited`: ended by itself or closed. `lost`: killed or crashed. */
  state: v.picklist(['starting', 'alive', 'exited', 'lost']),
  startedAt: time,
  endedAt: v.optional(time),
  /** How it ended, in words: `SIGKILL`, `exit code 1`, `closed`. */
  ending: v.optional(v.string()),
  /** A request that has not returned for more than two seconds, and the driver function it is in. */
  hanging: v.optional(v.object({ call: v.string(), since: time })),
  /** The peer that took over when this one was restarted. */
  replacedBy: v.optional(idSchema),
});
export type Peer = v.InferOutput<typeof peerSchema>;

/** Physical memory at a place of a range of addresses. */
const chunkSchema = v.object({ offset: v.number(), bytes: v.number(), physicalId: idSchema });
export type Chunk = v.InferOutput<typeof chunkSchema>;

/** What each device may do there; a device that is not listed may do nothing. */
const accessListSchema = v.array(v.object({ device: ordinalSchema, access: accessSchema }));

/** Where something imported comes from. Both are null of what is a process's own. */
const originEntries = {
  /** The export it was opened from, when one of our own processes made it. */
  exportId: v.nullable(idSchema),
  /** The process that exported it, when known: one of ours, or an `outside` peer. */
  exporterPeerId: v.nullable(idSchema),
};

/** Of records that are imports always. */
const importEntries = {
  ...originEntries,
  /**
   * While `exportId` is null: the same for all imports of the same handle, which are the same memory or event. Says
   * nothing of the handle. Given by main.
   */
  handleId: v.optional(idSchema),
  exporter: exporterSchema,
};

/** Of records that are a process's own or imports. */
const ownOrImportedEntries = {
  imported: v.boolean(),
  ...originEntries,
  /** Of an import. */
  exporter: v.optional(exporterSchema),
};

export const allocationSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  label: v.string(),
  memory: memoryKindSchema,
  /** Of memory that comes from a pool of this process. */
  poolId: v.optional(idSchema),
  /** Of virtual memory: what is mapped where, in the order of offsets. Between them there is nothing to read. */
  chunks: v.optional(v.array(chunkSchema)),
  /** Of virtual memory. */
  access: v.optional(accessListSchema),
  dtype: dtypeSchema,
  device: ordinalSchema,
  /** Size asked for. */
  bytes: v.number(),
  address: addressSchema,
  /** Size of the driver block around it (pointer attribute MAPPING_SIZE): what a legacy export really exposes. */
  blockBytes: v.nullable(v.number()),
  /** `freed`: by its owner. `gone`: its owner's process ended. */
  state: v.picklist(['live', 'freed', 'gone']),
  createdAt: time,
  endedAt: v.optional(time),
  /** Running animation in writes per second, absent when still. */
  animated: v.optional(v.number()),
});
export type Allocation = v.InferOutput<typeof allocationSchema>;

export const exportSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  kind: v.picklist(['memory', 'event', 'pool', 'physical']),
  /** How it travels; `legacy` for events. */
  mechanism: mechanismSchema,
  /** The allocation, event, pool or physical memory it exports. */
  objectId: idSchema,
  /** Of an allocation in a pool: the export of its pool, which has to be imported first. */
  poolExportId: v.optional(idSchema),
  /** File descriptors that its process holds open for it, in the order of offsets, and the bytes each keeps alive. */
  descriptors: v.optional(v.array(v.object({ fd: descriptorNumberSchema, bytes: v.nullable(v.number()) }))),
  /** Of a range of addresses: the physical memory it was made of, in the order of offsets. Kept when the range is freed. */
  physicalIds: v.optional(v.array(idSchema)),
  /**
   * `live`: can be opened elsewhere. `freed`: its object was freed or destroyed. `closed`: its descriptors were closed.
   * `gone`: its process ended.
   */
  state: v.picklist(['live', 'freed', 'closed', 'gone']),
  createdAt: time,
});
export type Export = v.InferOutput<typeof exportSchema>;

export const mappingSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  mechanism: mechanismSchema,
  /** The imported pool that it belongs to. */
  poolId: v.optional(idSchema),
  /** Of virtual memory, as of an allocation. */
  chunks: v.optional(v.array(chunkSchema)),
  access: v.optional(accessListSchema),
  ...importEntries,
  label: v.string(),
  device: ordinalSchema,
  /** Where the view begins: the address the driver gave plus `offset`. */
  address: addressSchema,
  /** Bytes of the view. */
  bytes: v.number(),
  /** Offset of the view inside the imported allocation. */
  offset: v.number(),
  /** What lies in the view, as who opened it last said it. */
  data: v.optional(dataSchema),
  /** Bytes of the whole imported allocation (cuMemGetAddressRange_v2). */
  allocationBytes: v.number(),
  flags: v.number(),
  /** How often this process has opened it and not closed it yet. */
  references: v.number(),
  state: v.picklist(['open', 'closed']),
  openedAt: time,
  closedAt: v.optional(time),
});
export type Mapping = v.InferOutput<typeof mappingSchema>;

/** A memory pool, an own or an imported one. The default pools of devices are not in here. */
export const poolSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  label: v.string(),
  device: ordinalSchema,
  /** An imported pool gives no memory; what its exporter allocated in it can be imported. */
  ...ownOrImportedEntries,
  /** Whether it was created to be exported as a file descriptor. */
  shareable: v.boolean(),
  /** Most bytes that it may reserve; `null` for no limit of its own. */
  maxBytes: v.nullable(v.number()),
  state: v.picklist(['live', 'destroyed', 'gone']),
  /** As last asked (CU_MEMPOOL_ATTR_*), in bytes; `null` when never, or when the driver does not say. */
  usage: v.nullable(
    v.object({
      reserved: v.number(),
      reservedHigh: v.number(),
      used: v.number(),
      usedHigh: v.number(),
      takenAt: time,
    }),
  ),
  access: accessListSchema,
  createdAt: time,
  endedAt: v.optional(time),
});
export type Pool = v.InferOutput<typeof poolSchema>;

/** Physical memory made by cuMemCreate, own or imported: it has no address until it is mapped into a range. */
export const physicalSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  label: v.string(),
  device: ordinalSchema,
  /** A multiple of the granularity. */
  bytes: v.number(),
  /** Bytes that were asked for, before rounding. */
  requestedBytes: v.number(),
  ...ownOrImportedEntries,
  /** As what it may be exported; an import as nothing. */
  shareable: v.picklist(['none', 'fd', 'fabric']),
  /** `released`: this process gave its handle back; the memory stays while it is mapped or held by others. */
  state: v.picklist(['live', 'released', 'gone']),
  createdAt: time,
  endedAt: v.optional(time),
});
export type Physical = v.InferOutput<typeof physicalSchema>;

export const eventRecordSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  label: v.string(),
  device: ordinalSchema,
  flags: v.number(),
  state: v.picklist(['live', 'destroyed', 'gone']),
  /** As of the last query; `null` when never asked. */
  status: v.nullable(eventStatusSchema),
  createdAt: time,
  recordedAt: v.optional(time),
  endedAt: v.optional(time),
});
export type EventRecord = v.InferOutput<typeof eventRecordSchema>;

export const eventImportSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  ...importEntries,
  label: v.string(),
  device: ordinalSchema,
  state: v.picklist(['open', 'closed']),
  status: v.nullable(eventStatusSchema),
  openedAt: time,
  closedAt: v.optional(time),
  /** While this process waits for it: since when and for how long at most. */
  waiting: v.optional(v.object({ since: time, timeoutMs: v.number() })),
});
export type EventImport = v.InferOutput<typeof eventImportSchema>;

export const callSchema = v.object({
  /** Counts up for the life of the app, over all processes; given by main. */
  seq: v.number(),
  peerId: idSchema,
  /** What that process was called, `Producer 1`: its record may have left the ledger. Given by main. */
  peerName: v.optional(v.string()),
  /** When it began, milliseconds since 1970 with fraction. */
  at: v.number(),
  /** Exported name: `cuMemAlloc_v2`. */
  name: v.string(),
  /** For people, labels instead of handles: `activations, flags 1`. Never contains handle bytes. */
  args: v.string(),
  result: v.number(),
  /** `CUDA_ERROR_INVALID_VALUE`; the window shortens it. */
  resultName: v.string(),
  /** Duration in microseconds. */
  us: v.number(),
  /** The object it was about: selecting the call selects it. */
  objectId: v.optional(idSchema),
  /** What a failure means and what to do. */
  hint: v.optional(v.string()),
  /** How many equal calls in a row this record stands for (same process, function, arguments and result). */
  count: v.number(),
});
export type Call = v.InferOutput<typeof callSchema>;

/** The tables of the ledger by name. */
export const tableSchemas = {
  peers: peerSchema,
  allocations: allocationSchema,
  exports: exportSchema,
  mappings: mappingSchema,
  events: eventRecordSchema,
  eventImports: eventImportSchema,
  pools: poolSchema,
  physicals: physicalSchema,
} as const;
export type TableName = keyof typeof tableSchemas;
export type Tables = { [T in TableName]: v.InferOutput<(typeof tableSchemas)[T]> };

/** Everything at one moment. `seq` is that of the last patch contained in it. */
export const snapshotSchema = v.object({
  seq: v.number(),
  peers: v.array(peerSchema),
  allocations: v.array(allocationSchema),
  exports: v.array(exportSchema),
  mappings: v.array(mappingSchema),
  events: v.array(eventRecordSchema),
  eventImports: v.array(eventImportSchema),
  pools: v.array(poolSchema),
  physicals: v.array(physicalSchema),
  /** The newest calls, oldest first. */
  calls: v.array(callSchema),
  /** Calls counted since start, also those no longer kept. */
  callsTotal: v.number(),
  callsFailed: v.number(),
});
export type LedgerSnapshot = v.InferOutput<typeof snapshotSchema>;

/** A record put (new or changed, whole) or removed. */
export type Change =
  | { [T in TableName]: { readonly table: T; readonly put: Tables[T] } }[TableName]
  | { readonly table: TableName; readonly remove: string };

/**
 * What happened since the patch before it. Patches arrive in order; when `seq` is not the last one plus 1, take a new
 * snapshot. `calls` are new ones, or newer states of a folded one (same `seq`, higher `count`).
 */
export interface LedgerPatch {
  readonly seq: number;
  readonly changes: readonly Change[];
  readonly calls: readonly Call[];
  readonly callsTotal: number;
  readonly callsFailed: number;
}
