/** Memory pools: stream-ordered memory that is shared by the descriptor of its pool. Memory in them: buffers.create. */
import * as v from 'valibot';
import {
  accessSchema,
  descriptorNumberSchema,
  idSchema,
  labelSchema,
  ordinalSchema,
  pidSchema,
  sizeSchema,
} from '#contract/values';
import { byId, type CallDefinition, everyone, exporters, importers, nothing } from './definition';

const usage = v.object({
  reserved: v.number(),
  reservedHigh: v.number(),
  used: v.number(),
  usedHigh: v.number(),
  takenAt: v.number(),
});

export const poolCalls = {
  /** cuMemPoolCreate, pinned memory of one device. `shareable` (true unless given): by file descriptor. */
  'pools.create': {
    args: v.strictObject({
      device: ordinalSchema,
      shareable: v.optional(v.boolean()),
      maxBytes: v.optional(sizeSchema),
      label: v.optional(labelSchema),
    }),
    result: byId,
    roles: exporters,
    answers: 'host',
  },
  /** cuMemPoolGetAttribute: bytes reserved and used, now and at most. An imported pool refuses while memory of it is open. */
  'pools.usage': { args: byId, result: usage, roles: everyone, answers: 'host' },
  /** cuMemPoolTrimTo: gives memory back that is reserved and not used, down to `keepBytes` (0 unless given). */
  'pools.trim': {
    args: v.strictObject({ id: idSchema, keepBytes: v.optional(v.pipe(v.number(), v.safeInteger(), v.minValue(0))) }),
    result: usage,
    roles: exporters,
    answers: 'host',
  },
  /** cuMemPoolSetAccess: whether another device may use memory of the pool. In an importer it holds for the importer. */
  'pools.access': {
    args: v.strictObject({ id: idSchema, device: ordinalSchema, access: accessSchema }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  /** cuMemPoolExportToShareableHandle. The same pool is the same export; its descriptor stays open until it is closed. */
  'pools.export': {
    args: byId,
    result: v.object({ id: idSchema, poolId: idSchema, fd: descriptorNumberSchema, pid: pidSchema }),
    roles: exporters,
    answers: 'host',
  },
  /**
   * cuMemPoolImportFromShareableHandle. Give the id of a live export (its descriptor is sent here), or a descriptor of
   * any process (pidfd_getfd). Memory of it: imports.open with `poolId`.
   */
  'pools.import': {
    args: v.pipe(
      v.strictObject({
        exportId: v.optional(idSchema),
        from: v.optional(v.strictObject({ pid: pidSchema, fd: descriptorNumberSchema })),
        device: ordinalSchema,
        label: v.optional(labelSchema),
      }),
      v.check((args) => (args.exportId === undefined) !== (args.from === undefined), 'give an exportId or from'),
    ),
    result: byId,
    roles: importers,
    answers: 'main',
  },
  /** cuMemPoolDestroy, of an own or an imported pool; the driver refuses it for an imported one while memory of it is open here. */
  'pools.destroy': { args: byId, result: nothing, roles: everyone, answers: 'host' },
} as const satisfies Record<string, CallDefinition>;
