/** File descriptors that stand for shared memory. Each belongs to an export and keeps memory alive while it is open. */
import * as v from 'valibot';
import { descriptorNumberSchema, idSchema, pidSchema } from '#contract/values';
import { type CallDefinition, everyone, exporters, inspector, none, nothing } from './definition';

export const descriptorSchema = v.object({
  peerId: idSchema,
  pid: pidSchema,
  fd: descriptorNumberSchema,
  exportId: idSchema,
  kind: v.picklist(['pool', 'physical']),
  /** The pool, allocation or physical memory that it stands for. */
  objectId: idSchema,
  label: v.string(),
  /** What /proc says the descriptor is: `/dev/nvidiactl`. `null` when it could not be read. */
  file: v.nullable(v.string()),
  openedAt: v.number(),
  /** Bytes that cannot be given back while it is open; `null` where that cannot be known, as of a pool. */
  pins: v.nullable(v.number()),
});
export type OpenDescriptor = v.InferOutput<typeof descriptorSchema>;

export const fdCalls = {
  /** Descriptors that are open in processes of this app; from a producer or consumer: in its own. */
  'fds.list': {
    args: none,
    result: v.object({ descriptors: v.array(descriptorSchema) }),
    roles: everyone,
    answers: 'main',
  },
  /** Closes the descriptors of an export: nobody can open it any more. Who has it open keeps the memory. */
  'fds.close': { args: v.strictObject({ exportId: idSchema }), result: nothing, roles: exporters, answers: 'main' },
  /** Descriptors of any process that could be shared GPU memory, and whether they may be taken (pidfd_getfd). */
  'fds.ofProcess': {
    args: v.strictObject({ pid: pidSchema }),
    result: v.object({
      name: v.string(),
      /** Whether a copy may be taken; `null` where only trying would tell. */
      allowed: v.nullable(v.boolean()),
      why: v.string(),
      candidates: v.array(v.object({ fd: descriptorNumberSchema, file: v.string() })),
    }),
    roles: inspector,
    answers: 'main',
  },
} as const satisfies Record<string, CallDefinition>;
