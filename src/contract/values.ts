/**
 * The vocabulary of the wire. Addresses are strings (`0x7f…`), sizes and offsets are safe integers in bytes, bytes are
 * `Uint8Array`, ids are short strings, times are milliseconds since 1970.
 */
import * as v from 'valibot';
import { dtypeIds } from './dtypes';
import { MAX_HANDLE_TEXT } from './handle-text';

/** `p2.a3`: the third allocation of peer 2. Unique for the life of the app; means nothing outside it. */
export const idSchema = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9.-]{0,39}$/, 'not an id of this app'));

/** Index of a device as the driver counts them in this process (after CUDA_VISIBLE_DEVICES). */
export const ordinalSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1023));

/** Offset in bytes. */
export const offsetSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

/** Size in bytes, at least 1. */
export const sizeSchema = v.pipe(v.number(), v.safeInteger(), v.minValue(1, 'the size must be at least 1 byte'));

/** A device address, lower-case hexadecimal without leading zeros. */
export const addressSchema = v.pipe(v.string(), v.regex(/^0x[0-9a-f]{1,16}$/));

export const bytesSchema = v.instance(Uint8Array);

/** The 64 opaque bytes of a CUipcMemHandle or CUipcEventHandle. */
export const handleBytesSchema = v.pipe(
  v.instance(Uint8Array),
  v.check((bytes) => bytes.byteLength === 64, 'a handle has 64 bytes'),
);

/** 64 bytes, or a text with exactly one handle in it: see paste/lone-handle.ts. */
export const handleSchema = v.union([
  handleBytesSchema,
  v.pipe(v.string(), v.minLength(1), v.maxLength(MAX_HANDLE_TEXT)),
]);

export const labelSchema = v.pipe(v.string(), v.trim(), v.maxLength(80, 'a label has at most 80 characters'));

export const dtypeSchema = v.picklist(dtypeIds);

/** One number for each dimension. */
export const countsSchema = v.pipe(v.array(offsetSchema), v.maxLength(32, 'must have at most 32 dimensions'));

/** What lies in memory from its first byte on, as somebody said it: views begin with that. Nothing else depends on it. */
export const dataSchema = v.pipe(
  v.strictObject({
    dtype: dtypeSchema,
    /** Elements per dimension; empty for one value. */
    shape: v.optional(countsSchema),
    /** Elements from one index to the next, per dimension. Left out: row after row without gaps. */
    strides: v.optional(countsSchema),
    /** Little unless said otherwise. */
    byteOrder: v.optional(v.picklist(['little', 'big'])),
  }),
  v.check(
    ({ shape, strides }) => strides === undefined || strides.length === shape?.length,
    'strides: one for each dimension of the shape',
  ),
);
export type DataDescription = v.InferOutput<typeof dataSchema>;

/** Largest number of bytes that one `memory.read` or `buffers.write` may move. */
export const MAX_TRANSFER_BYTES = 64 * 1024 * 1024;

/** What a buffer is filled with. `constant`, `ramp` and `random` are written in elements of the buffer's dtype. */
export const fillSchema = v.variant('pattern', [
  v.strictObject({ pattern: v.literal('zero') }),
  v.strictObject({ pattern: v.literal('constant'), value: v.number() }),
  v.strictObject({ pattern: v.literal('ramp'), start: v.optional(v.number()), step: v.optional(v.number()) }),
  v.strictObject({
    pattern: v.literal('random'),
    seed: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff))),
  }),
  /** UTF-8 from the first byte, the rest zero. `{pid}`, `{n}` (tick) and `{time}` are replaced when written. */
  v.strictObject({ pattern: v.literal('text'), text: v.pipe(v.string(), v.maxLength(4096)) }),
]);
export type Fill = v.InferOutput<typeof fillSchema>;

export const roleSchema = v.picklist(['inspector', 'producer', 'consumer']);
/** What a window is for; decides which calls it may make. */
export type Role = v.InferOutput<typeof roleSchema>;

export const eventStatusSchema = v.picklist(['ready', 'not-ready']);
export type EventStatus = v.InferOutput<typeof eventStatusSchema>;

/** Whether the memory behind a mapping still has its exporter: measured where we can, `unknown` where we cannot. */
export const exporterSchema = v.picklist(['alive', 'freed', 'gone', 'unknown']);
export type Exporter = v.InferOutput<typeof exporterSchema>;

/** Ways to share memory. Events travel by their own 64-byte handle. */
export const mechanismSchema = v.picklist(['legacy', 'pool', 'virtual', 'fabric']);
/**
 * - `legacy`: cuIpcGetMemHandle, 64 bytes
 * - `pool`: the descriptor of a memory pool, and 64 bytes for an allocation in it
 * - `virtual`: cuMemCreate memory, one descriptor for each piece of physical memory
 * - `fabric`: cuMemCreate memory by a 64-byte fabric handle (IMEX)
 */
export type Mechanism = v.InferOutput<typeof mechanismSchema>;

/** Where memory comes from, which decides how it can be shared. */
export const memoryKindSchema = v.picklist([
  'device',
  'managed',
  'pinned',
  'mapped',
  'default-pool',
  'pool',
  'virtual',
]);
/** `device` cuMemAlloc, `managed` cuMemAllocManaged, `pinned` cuMemAllocHost, `mapped` cuMemHostAlloc with DEVICEMAP,
 * `default-pool` cuMemAllocAsync, `pool` cuMemAllocFromPoolAsync, `virtual` a reserved range of addresses. */
export type MemoryKind = v.InferOutput<typeof memoryKindSchema>;

/** What a device may do with memory: CUmemAccess_flags. */
export const accessSchema = v.picklist(['none', 'read', 'read-write']);
export type Access = v.InferOutput<typeof accessSchema>;

/** A file descriptor: small, not negative. */
export const descriptorNumberSchema = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0x7fffffff));

/** Process id as the kernel counts in this namespace. */
export const pidSchema = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(0x7fffffff));

/** Names a long piece of work, chosen by who asks: progress is told and cancelled by it. */
export const jobSchema = v.pipe(v.string(), v.regex(/^[A-Za-z0-9-]{1,40}$/, 'letters, digits and dashes'));
