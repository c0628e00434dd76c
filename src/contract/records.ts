/**
 * The ledger's records: what is known about every process and object, as plain data. Each host reports its own
 * objects; main joins them (which mapping belongs to which export, who is gone) and sends them to the windows.
 * Handles are not in here: they are capabilities and travel only when revealed.
 */
import * as v from 'valibot';
import { addressSchema, dtypeSchema, eventStatusSchema, exporterSchema, idSchema, ordinalSchema } from './values';

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

export const allocationSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  label: v.string(),
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
  kind: v.picklist(['memory', 'event']),
  /** The allocation or event it exports. */
  objectId: idSchema,
  /** `live`: can be opened elsewhere. `freed`: its object was freed or destroyed. `gone`: its process ended. */
  state: v.picklist(['live', 'freed', 'gone']),
  createdAt: time,
});
export type Export = v.InferOutput<typeof exportSchema>;

export const mappingSchema = v.object({
  id: idSchema,
  peerId: idSchema,
  /** The export it was opened from, when one of our own processes made it. */
  exportId: v.nullable(idSchema),
  /**
   * While `exportId` is null: the same for all imports of the same handle, which are the same memory. Says nothing of the
   * handle. Given by main.
   */
  handleId: v.optional(idSchema),
  /** The process that exported it, when known: one of ours, or an `outside` peer. */
  exporterPeerId: v.nullable(idSchema),
  label: v.string(),
  device: ordinalSchema,
  /** Where the view begins: the address the driver gave plus `offset`. */
  address: addressSchema,
  /** Bytes of the view. */
  bytes: v.number(),
  /** Offset of the view inside the imported allocation. */
  offset: v.number(),
  /** Bytes of the whole imported allocation (cuMemGetAddressRange_v2). */
  allocationBytes: v.number(),
  flags: v.number(),
  /** How often this process has opened it and not closed it yet. */
  references: v.number(),
  state: v.picklist(['open', 'closed']),
  exporter: exporterSchema,
  openedAt: time,
  closedAt: v.optional(time),
});
export type Mapping = v.InferOutput<typeof mappingSchema>;

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
  exportId: v.nullable(idSchema),
  /** As of a mapping: imports of the same handle are the same event. */
  handleId: v.optional(idSchema),
  exporterPeerId: v.nullable(idSchema),
  label: v.string(),
  device: ordinalSchema,
  state: v.picklist(['open', 'closed']),
  status: v.nullable(eventStatusSchema),
  exporter: exporterSchema,
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
