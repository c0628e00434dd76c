/** Virtual memory: physical memory, ranges of addresses, what is mapped where, and who may use it. */
import * as v from 'valibot';
import {
  accessSchema,
  addressSchema,
  descriptorNumberSchema,
  dtypeSchema,
  handleBytesSchema,
  idSchema,
  labelSchema,
  offsetSchema,
  ordinalSchema,
  pidSchema,
  sizeSchema,
} from '#contract/values';
import { byId, type CallDefinition, everyone, exporters, importers, nothing } from './definition';

export const virtualCalls = {
  /** cuMemGetAllocationGranularity: what sizes, addresses and offsets are multiples of, in bytes. */
  'virtual.granularity': {
    args: v.strictObject({ device: ordinalSchema }),
    result: v.object({ minimum: v.number(), recommended: v.number() }),
    roles: everyone,
    answers: 'host',
  },
  /** cuMemCreate. `bytes` are rounded up to the granularity; `shareable` is `fd` unless given. */
  'virtual.create': {
    args: v.strictObject({
      device: ordinalSchema,
      bytes: sizeSchema,
      shareable: v.optional(v.picklist(['none', 'fd', 'fabric'])),
      label: v.optional(labelSchema),
    }),
    result: v.object({ id: idSchema, bytes: v.number() }),
    roles: exporters,
    answers: 'host',
  },
  /** cuMemAddressReserve, as an allocation that has no memory yet. `bytes` are rounded up to the granularity. */
  'virtual.reserve': {
    args: v.strictObject({
      device: ordinalSchema,
      bytes: sizeSchema,
      label: v.optional(labelSchema),
      dtype: v.optional(dtypeSchema),
    }),
    result: v.object({ id: idSchema, address: addressSchema, bytes: v.number() }),
    roles: everyone,
    answers: 'host',
  },
  /** cuMemMap of the whole of a physical memory at an offset of a range. May be done more than once, at several places. */
  'virtual.map': {
    args: v.strictObject({ id: idSchema, physicalId: idSchema, offset: v.optional(offsetSchema) }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  /** cuMemUnmap of what is mapped at this offset, or of everything. */
  'virtual.unmap': {
    args: v.strictObject({ id: idSchema, offset: v.optional(offsetSchema) }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  /** cuMemSetAccess for everything that is mapped in a range. Without `device`: the range's own. */
  'virtual.access': {
    args: v.strictObject({ id: idSchema, device: v.optional(ordinalSchema), access: accessSchema }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  /** cuMemExportToShareableHandle of physical memory: a descriptor that stays open until it is closed, or a fabric handle. */
  'virtual.export': {
    args: byId,
    result: v.object({
      id: idSchema,
      physicalId: idSchema,
      pid: pidSchema,
      fd: v.nullable(descriptorNumberSchema),
      handle: v.nullable(handleBytesSchema),
    }),
    roles: exporters,
    answers: 'host',
  },
  /**
   * cuMemImportFromShareableHandle. Give the id of a live export, a descriptor of any process with its size in bytes
   * (pidfd_getfd), or a fabric handle with its size.
   */
  'virtual.import': {
    args: v.pipe(
      v.strictObject({
        exportId: v.optional(idSchema),
        from: v.optional(v.strictObject({ pid: pidSchema, fd: descriptorNumberSchema })),
        fabric: v.optional(handleBytesSchema),
        bytes: v.optional(sizeSchema),
        device: ordinalSchema,
        label: v.optional(labelSchema),
      }),
      v.check(
        ({ exportId, from, fabric }) => [exportId, from, fabric].filter((given) => given !== undefined).length === 1,
        'give an exportId, from or fabric',
      ),
    ),
    result: v.object({ id: idSchema, bytes: v.number() }),
    roles: importers,
    answers: 'main',
  },
  /** cuMemRelease. The memory stays while it is mapped anywhere or held by another process. */
  'virtual.release': { args: byId, result: nothing, roles: everyone, answers: 'host' },
} as const satisfies Record<string, CallDefinition>;
