/** How memory can be shared: what its attributes say, and what a trial shows. */
import * as v from 'valibot';
import { ipcErrorSchema } from '#contract/result';
import { addressSchema, idSchema, mechanismSchema, memoryKindSchema, pidSchema } from '#contract/values';
import { type CallDefinition, everyone, inspector } from './definition';

export const verdictSchema = v.object({
  subject: v.object({
    /** `imported`: mapped from another process. `nothing`: no memory that this process knows at this address. */
    memory: v.picklist([...memoryKindSchema.options, 'imported', 'nothing']),
    /** Of an import. */
    mechanism: v.nullable(mechanismSchema),
    objectId: v.nullable(idSchema),
    label: v.string(),
    peerId: idSchema,
    address: addressSchema,
    /** Whole allocation around the address (cuMemGetAddressRange_v2); `null` when the driver knows none. */
    range: v.nullable(v.object({ address: addressSchema, bytes: v.number() })),
  }),
  mechanisms: v.array(
    v.object({
      mechanism: mechanismSchema,
      /** `null`: only a trial can tell. */
      possible: v.nullable(v.boolean()),
      why: v.string(),
      /** How to get memory that can be shared that way. */
      next: v.optional(v.string()),
    }),
  ),
  /** The driver block around it: what a legacy handle exposes. `null` when the driver does not say. */
  block: v.nullable(
    v.object({
      address: addressSchema,
      bytes: v.number(),
      /** Bytes of the block that do not belong to it. */
      exposedBytes: v.number(),
      /** Other allocations of this app in the same block, by address. */
      neighbours: v.array(
        v.object({ objectId: idSchema, label: v.string(), address: addressSchema, bytes: v.number() }),
      ),
    }),
  ),
  /** What the driver was asked and answered. */
  facts: v.array(v.object({ name: v.string(), value: v.nullable(v.string()), result: v.string() })),
});
export type Verdict = v.InferOutput<typeof verdictSchema>;

export const trialSchema = v.object({
  mechanism: mechanismSchema,
  worked: v.boolean(),
  steps: v.array(v.object({ what: v.string(), ok: v.boolean(), detail: v.string(), us: v.optional(v.number()) })),
  /** SHA-256 of the compared bytes on both sides; `null` where it did not come so far. */
  exporterChecksum: v.nullable(v.string()),
  importerChecksum: v.nullable(v.string()),
  /** How much was compared: large memory is compared in parts. */
  comparedBytes: v.number(),
  ofBytes: v.number(),
  error: v.optional(ipcErrorSchema),
  tookMs: v.number(),
});
export type Trial = v.InferOutput<typeof trialSchema>;

export const sharingCalls = {
  /**
   * What is known, for an allocation or mapping of any process of this app, or for an address in one. `processId` is the
   * id of a peer or a pid; the caller's own process unless given.
   */
  'sharing.verdict': {
    args: v.pipe(
      v.strictObject({
        id: v.optional(idSchema),
        address: v.optional(addressSchema),
        processId: v.optional(v.union([idSchema, pidSchema])),
      }),
      v.check((args) => (args.id === undefined) !== (args.address === undefined), 'give an id or an address'),
    ),
    result: verdictSchema,
    roles: everyone,
    answers: 'main',
  },
  /** Exports it, opens it in a process made for that, compares the bytes, and lets go of everything. */
  'sharing.try': {
    args: v.strictObject({ id: idSchema, mechanism: mechanismSchema }),
    result: trialSchema,
    roles: inspector,
    answers: 'main',
  },
} as const satisfies Record<string, CallDefinition>;
