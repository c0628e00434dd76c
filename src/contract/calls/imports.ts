/** Memory of other processes. */
import * as v from 'valibot';
import {
  addressSchema,
  dataSchema,
  exporterSchema,
  handleSchema,
  idSchema,
  labelSchema,
  offsetSchema,
  ordinalSchema,
  sizeSchema,
} from '#contract/values';
import { byId, type CallDefinition, importers } from './definition';

export const importCalls = {
  /**
   * Give the id of a live export: it is opened by its mechanism, its descriptors are sent here. Or a handle (bytes or
   * text): cuIpcOpenMemHandle_v2, or cuMemPoolImportPointer with the `poolId` of an imported pool. Or a descriptor of this
   * app (docs/descriptor.md) as text: its file descriptors are taken from their process. `flags` is 1, lazy peer access,
   * unless given; `access` of virtual memory is read-write. `data` says what lies in the
   * view, for those who look at it; a descriptor says it itself. Opening again what is open already adds a reference.
   */
  'imports.open': {
    args: v.pipe(
      v.strictObject({
        handle: v.optional(handleSchema),
        exportId: v.optional(idSchema),
        descriptor: v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(64 * 1024))),
        poolId: v.optional(idSchema),
        access: v.optional(v.picklist(['read', 'read-write'])),
        device: ordinalSchema,
        flags: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff))),
        offset: v.optional(offsetSchema),
        length: v.optional(sizeSchema),
        label: v.optional(labelSchema),
        data: v.optional(dataSchema),
      }),
      v.check(
        ({ handle, exportId, descriptor }) =>
          [handle, exportId, descriptor].filter((given) => given !== undefined).length === 1,
        'give a handle, an exportId or a descriptor',
      ),
    ),
    result: v.object({
      id: idSchema,
      address: addressSchema,
      bytes: v.number(),
      references: v.number(),
      state: v.picklist(['open', 'closed']),
      exporter: exporterSchema,
    }),
    roles: importers,
    answers: 'main',
  },
  /**
   * cuIpcCloseMemHandle, cuMemFreeAsync, or cuMemUnmap and cuMemRelease: one reference less; the mapping goes with the
   * last, and so does a pool that was imported for it alone.
   */
  'imports.close': {
    args: byId,
    result: v.object({ references: v.number(), state: v.picklist(['open', 'closed']) }),
    roles: importers,
    answers: 'host',
  },
} as const satisfies Record<string, CallDefinition>;
