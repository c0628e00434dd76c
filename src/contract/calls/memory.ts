/** Bytes and attributes of memory, own or imported. */
import * as v from 'valibot';
import { bytesSchema, idSchema, MAX_TRANSFER_BYTES, offsetSchema, sizeSchema } from '#contract/values';
import { byId, type CallDefinition, everyone } from './definition';

export const memoryCalls = {
  /** cuMemcpyDtoH_v2 of a range of an allocation or mapping of the asking window's process, or a range of a snapshot. */
  'memory.read': {
    args: v.strictObject({
      id: idSchema,
      offset: offsetSchema,
      length: v.pipe(sizeSchema, v.maxValue(MAX_TRANSFER_BYTES, 'at most 64 MiB in one read')),
    }),
    result: v.object({ bytes: bytesSchema, takenAt: v.number() }),
    roles: everyone,
    answers: 'host',
  },
  /** cuPointerGetAttribute for every attribute of cuda.h 13.0; `null` where the driver refused, with its result. */
  'memory.attributes': {
    args: byId,
    result: v.array(v.object({ name: v.string(), value: v.nullable(v.string()), result: v.string() })),
    roles: everyone,
    answers: 'host',
  },
} as const satisfies Record<string, CallDefinition>;
