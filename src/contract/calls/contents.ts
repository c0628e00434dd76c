/** Answers about whole buffers, computed where the memory is; snapshots, structures, files. */
import * as v from 'valibot';
import type { StructureNode } from '#contract/structure/decode';
import { dtypeSchema, idSchema, jobSchema, offsetSchema, sizeSchema } from '#contract/values';
import { type CallDefinition, inspector, none, nothing } from './definition';

/** Integers wider than 53 bits are strings. NaN, Inf and -Inf are numbers. `null` where there is no value. */
const value = v.union([v.number(), v.string()]);
const range = v.object({ offset: v.number(), length: v.number() });
const some = { offset: v.optional(offsetSchema), length: v.optional(sizeSchema), job: v.optional(jobSchema) };

export const statisticsSchema = v.object({
  count: v.number(),
  /** Without NaN; `null` when there is nothing else. */
  min: v.nullable(value),
  max: v.nullable(value),
  /** Of finite values, as is `std` (of the whole population). */
  mean: v.nullable(v.number()),
  std: v.nullable(v.number()),
  zeros: v.number(),
  nans: v.number(),
  infs: v.number(),
  negatives: v.number(),
  denormals: v.number(),
  /** Of the bytes, the same for every dtype; 16 hexadecimal digits. */
  checksum: v.string(),
  /** `counts[i]` values lie in `edges[i]` ≤ x < `edges[i + 1]`, the last edge included. Finite values. */
  histogram: v.object({ edges: v.array(value), counts: v.array(v.number()) }),
  bytes: v.number(),
  tookMs: v.number(),
  takenAt: v.number(),
});
export type Statistics = v.InferOutput<typeof statisticsSchema>;

const text = v.pipe(v.string(), v.minLength(1), v.maxLength(64));
/** Numbers, or texts where a number cannot hold them (`9007199254740993`, `nan`). */
const wanted = v.union([v.number(), text]);
const typed = { dtype: dtypeSchema, byteOrder: v.optional(v.picklist(['little', 'big'])) };
export const querySchema = v.union([
  /** Hexadecimal bytes, `??` for any: `48 ?? 6c`. */
  v.strictObject({ bytes: v.pipe(v.string(), v.minLength(1), v.maxLength(400)) }),
  /** Values lie in memory in `byteOrder`, little unless given. */
  v.strictObject({ ...typed, value: wanted }),
  v.strictObject({ ...typed, min: wanted, max: wanted }),
  v.strictObject({ ...typed, is: v.picklist(['nan', 'inf']) }),
]);
export type Query = v.InferOutput<typeof querySchema>;

export const comparisonSchema = v.object({
  equal: v.boolean(),
  /** Elements (bytes without a dtype) that differ. */
  differing: v.number(),
  /** Offset of the first difference in bytes, from the beginning of what was compared. */
  first: v.nullable(v.number()),
  /** Ranges that differ, in order, at most `limit`. */
  ranges: v.array(range),
  /** Whether there are more ranges than these. */
  more: v.boolean(),
  /** Bytes that were compared, and those that only one side has. */
  bytes: v.number(),
  unmatchedBytes: v.number(),
  tookMs: v.number(),
  takenAt: v.number(),
});
export type Comparison = v.InferOutput<typeof comparisonSchema>;

export const contentSnapshotSchema = v.object({
  id: idSchema,
  name: v.string(),
  /** What it was taken of. */
  objectId: idSchema,
  label: v.string(),
  offset: v.number(),
  bytes: v.number(),
  takenAt: v.number(),
  /** Large ones lie in a file of this app, which goes with them. */
  where: v.picklist(['memory', 'file']),
});
export type ContentSnapshot = v.InferOutput<typeof contentSnapshotSchema>;

/** A named value of a structure, and what it is made of. */
const structureNodeSchema: v.GenericSchema<StructureNode> = v.object({
  name: v.string(),
  label: v.optional(v.string()),
  type: v.string(),
  offset: v.number(),
  bytes: v.nullable(v.number()),
  bits: v.optional(v.object({ start: v.number(), width: v.number() })),
  value: v.nullable(v.string()),
  raw: v.optional(v.union([v.number(), v.string()])),
  note: v.optional(v.string()),
  color: v.optional(v.string()),
  state: v.optional(v.picklist(['unread', 'outside'])),
  error: v.optional(v.string()),
  count: v.optional(v.number()),
  from: v.optional(v.number()),
  children: v.optional(v.array(v.lazy(() => structureNodeSchema))),
  collapsed: v.optional(v.boolean()),
});

/** `path` is `null` when nothing was chosen. `note`: what the file and the memory do not say alike. */
const fileResult = v.object({ path: v.nullable(v.string()), bytes: v.number(), note: v.optional(v.string()) });

export const contentCalls = {
  /** All statistics of a range (the whole unless given) of memory or of a snapshot, in one pass. The histogram has about `bins`, 64 unless given; none for 0. */
  'contents.statistics': {
    args: v.strictObject({
      id: idSchema,
      dtype: dtypeSchema,
      ...some,
      bins: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(256))),
    }),
    result: statisticsSchema,
    roles: inspector,
    answers: 'host',
  },
  /** The range in `slices` equal parts: what the minimap shows. */
  'contents.summary': {
    args: v.strictObject({
      id: idSchema,
      dtype: dtypeSchema,
      ...some,
      slices: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(4096)),
    }),
    result: v.object({
      slices: v.array(
        v.object({
          offset: v.number(),
          bytes: v.number(),
          min: v.nullable(v.number()),
          max: v.nullable(v.number()),
          zeros: v.number(),
          nans: v.number(),
          infs: v.number(),
          count: v.number(),
        }),
      ),
      tookMs: v.number(),
      takenAt: v.number(),
    }),
    roles: inspector,
    answers: 'host',
  },
  /**
   * Offsets in bytes where something is found in memory or in a snapshot, ascending, at most `limit` (1,000 unless
   * given). `done` is false when there may be more. Bytes are found at every offset, values at multiples of their size from `from`. `backwards`: the
   * last ones before `to`.
   */
  'contents.search': {
    args: v.strictObject({
      id: idSchema,
      query: querySchema,
      from: v.optional(offsetSchema),
      to: v.optional(offsetSchema),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000))),
      backwards: v.optional(v.boolean()),
      job: v.optional(jobSchema),
    }),
    result: v.object({ hits: v.array(v.number()), done: v.boolean(), tookMs: v.number() }),
    roles: inspector,
    answers: 'host',
  },
  /**
   * Two allocations, mappings or snapshots, of any processes of this app. By bytes, or by elements of `dtype` that may
   * differ by `absolute` plus `relative` times the value of `b`; NaN equals NaN.
   */
  'contents.compare': {
    args: v.strictObject({
      a: idSchema,
      b: idSchema,
      aOffset: v.optional(offsetSchema),
      bOffset: v.optional(offsetSchema),
      length: v.optional(sizeSchema),
      dtype: v.optional(dtypeSchema),
      tolerance: v.optional(
        v.union([
          v.pipe(v.number(), v.minValue(0)),
          v.strictObject({
            absolute: v.optional(v.pipe(v.number(), v.minValue(0))),
            relative: v.optional(v.pipe(v.number(), v.minValue(0))),
          }),
        ]),
      ),
      limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(10_000))),
      job: v.optional(jobSchema),
    }),
    result: comparisonSchema,
    roles: inspector,
    answers: 'main',
  },
  /**
   * A copy of a range, kept until it is dropped. `memory.read` takes its id, and `contents.compare`, `search`,
   * `statistics` and `decode`.
   */
  'contents.snapshot': {
    args: v.strictObject({
      id: idSchema,
      name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(80)),
      ...some,
    }),
    result: contentSnapshotSchema,
    roles: inspector,
    answers: 'host',
  },
  /** All snapshots, oldest first, and how much memory they may take before they go to files. */
  'contents.snapshots': {
    args: none,
    result: v.object({
      snapshots: v.array(contentSnapshotSchema),
      memoryBytes: v.number(),
      memoryLimit: v.number(),
    }),
    roles: inspector,
    answers: 'host',
  },
  'contents.drop': { args: v.strictObject({ id: idSchema }), result: nothing, roles: inspector, answers: 'host' },
  /** Memory at `offset` as named values, by a format text (docs/structure-format.md). */
  'contents.decode': {
    args: v.strictObject({
      id: idSchema,
      offset: v.optional(offsetSchema),
      format: v.pipe(v.string(), v.maxLength(64 * 1024)),
      byteOrder: v.optional(v.picklist(['little', 'big'])),
      /** Answers this node instead of the root: positions of children, of arrays the index of the element. */
      path: v.optional(v.pipe(v.array(offsetSchema), v.maxLength(64))),
      /** The first element shown of the array there. */
      from: v.optional(offsetSchema),
      /** Elements shown of each array, 256 unless given: the fewer, the more of each is in the answer. */
      elements: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(256))),
    }),
    /** `bytes` that were read for it, at most 1 MiB; what would be more is `unread`. */
    result: v.object({ root: structureNodeSchema, bytes: v.number(), takenAt: v.number() }),
    roles: inspector,
    answers: 'host',
  },
  /** Ends a running job; whoever waits for it gets `cancelled`. Nothing happens when there is none. */
  'contents.cancel': { args: v.strictObject({ job: jobSchema }), result: nothing, roles: inspector, answers: 'main' },
  /** Asks the person where, and writes a range into that file. `bytes` are those of the file. */
  'contents.save': {
    args: v.strictObject({
      id: idSchema,
      ...some,
      as: v.picklist(['raw', 'npy', 'csv']),
      dtype: v.optional(dtypeSchema),
      shape: v.optional(v.pipe(v.array(sizeSchema), v.maxLength(32, 'at most 32 dimensions'))),
    }),
    result: fileResult,
    roles: inspector,
    answers: 'main',
  },
  /** Asks the person which file, and writes its bytes into own memory from `offset` on; those of an .npy without its header. */
  'contents.load': {
    args: v.strictObject({ id: idSchema, offset: v.optional(offsetSchema), job: v.optional(jobSchema) }),
    result: fileResult,
    roles: inspector,
    answers: 'main',
  },
} as const satisfies Record<string, CallDefinition>;
