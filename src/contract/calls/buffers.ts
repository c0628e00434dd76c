/** Own memory: create, write, export, free. */
import * as v from 'valibot';
import {
  addressSchema,
  descriptorNumberSchema,
  dtypeSchema,
  fillSchema,
  handleBytesSchema,
  idSchema,
  labelSchema,
  mechanismSchema,
  memoryKindSchema,
  offsetSchema,
  ordinalSchema,
  sizeSchema,
} from '#contract/values';
import { byId, type CallDefinition, everyone, exporters, nothing, transfer } from './definition';

const exported = v.object({
  id: idSchema,
  allocationId: idSchema,
  mechanism: mechanismSchema,
  /** 64 bytes; none for virtual memory by descriptor. */
  handle: v.nullable(handleBytesSchema),
  /** Open in this process: the pool's, or those of the pieces. */
  fds: v.array(descriptorNumberSchema),
});

export const bufferCalls = {
  /**
   * Allocates, then fills. `memory` is `device` (cuMemAlloc_v2), `dtype` u8, `fill` zero unless given. Memory of a pool
   * comes from `poolId`, or from a shareable pool of this process on that device, made when there is none. Virtual memory
   * is created, mapped and made accessible in one go, rounded up to the granularity, shareable by descriptor.
   */
  'buffers.create': {
    args: v.strictObject({
      device: ordinalSchema,
      bytes: sizeSchema,
      memory: v.optional(memoryKindSchema),
      poolId: v.optional(idSchema),
      label: v.optional(labelSchema),
      dtype: v.optional(dtypeSchema),
      fill: v.optional(fillSchema),
    }),
    result: v.object({ id: idSchema, address: addressSchema, bytes: v.number() }),
    roles: exporters,
    answers: 'host',
  },
  /** Writes into an own allocation, or into an open mapping (then the exporter sees it too). */
  'buffers.write': {
    args: v.strictObject({ id: idSchema, offset: offsetSchema, bytes: transfer }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  'buffers.fill': {
    args: v.strictObject({ id: idSchema, fill: fillSchema }),
    result: nothing,
    roles: exporters,
    answers: 'host',
  },
  /** Rewrites the fill `hz` times a second with a counting `{n}` (text) or a moving start; `hz` 0 stops it. */
  'buffers.animate': {
    args: v.strictObject({
      id: idSchema,
      fill: v.optional(fillSchema),
      hz: v.pipe(v.number(), v.minValue(0), v.maxValue(60)),
    }),
    result: nothing,
    roles: exporters,
    answers: 'host',
  },
  /**
   * By the mechanism of the memory: cuIpcGetMemHandle; cuMemPoolExportPointer, after the pool itself; or a descriptor for
   * each piece of virtual memory. Exporting the same allocation again answers the same export.
   */
  'buffers.export': { args: byId, result: exported, roles: exporters, answers: 'host' },
  /**
   * cuMemFree_v2, cuMemFreeHost, or cuMemFreeAsync; a range of addresses is unmapped and given back, with the physical
   * memory that was created with it. Descriptors of its export are closed. Whoever has it mapped keeps the bytes; a legacy
   * handle opens them no more, but may open newer memory.
   */
  'buffers.free': { args: byId, result: nothing, roles: exporters, answers: 'host' },
} as const satisfies Record<string, CallDefinition>;
