/**
 * The share descriptor: everything that an importer needs to know about one piece of shared GPU memory (or an event), as
 * one JSON text. A handle alone says neither where the data begins, nor how much there is, nor what it is.
 * Each field, with examples: docs/descriptor.md.
 */
import * as v from 'valibot';
import {
  addressSchema,
  countsSchema,
  descriptorNumberSchema,
  dtypeSchema,
  mechanismSchema,
  offsetSchema,
  ordinalSchema,
  pidSchema,
} from './values';

const DESCRIPTOR_FORMAT = 'gpu-ipc-descriptor';
const DESCRIPTOR_VERSION = 1;

/** Longest text that is read, in UTF-16 units. A descriptor takes about 500, one of 512 physical memories 40,000. */
const MAX_DESCRIPTOR_TEXT = 64 * 1024;

/** The ways to share memory, and events, which travel by a handle of their own. */
export const mechanisms = [...mechanismSchema.options, 'event'] as const;
type DescribedMechanism = (typeof mechanisms)[number];

const hexOf64Bytes = v.pipe(
  v.string('must be a text'),
  v.regex(/^[0-9a-f]{128}$/, 'must be 64 bytes as 128 lower-case hexadecimal digits'),
);
const bytesSchema = v.pipe(offsetSchema, v.description('bytes'));
/** One line for people: control characters would break a list of descriptors, or a terminal. */
const lineSchema = (most: number) =>
  v.pipe(
    v.string('must be a text'),
    v.maxLength(most, `must have at most ${most} characters`),
    v.regex(/^[^\p{Cc}]*$/u, 'must be one line without control characters'),
  );

/** What each mechanism has: 64 bytes, and how many file descriptors (from, to). */
const parts: Readonly<
  Record<DescribedMechanism, { readonly handle: boolean; readonly descriptors: readonly [number, number] }>
> = {
  legacy: { handle: true, descriptors: [0, 0] },
  pool: { handle: true, descriptors: [1, 1] },
  virtual: { handle: false, descriptors: [1, 512] },
  fabric: { handle: true, descriptors: [0, 0] },
  event: { handle: true, descriptors: [0, 0] },
};

/** The fields of version 1, in the order in which they are printed. Optional ones are left out, never null. */
const fieldsSchema = v.strictObject({
  format: v.literal(DESCRIPTOR_FORMAT),
  version: v.literal(DESCRIPTOR_VERSION),
  mechanism: v.picklist(mechanisms),
  /** 64 bytes as lower-case hex: CUipcMemHandle, CUmemPoolPtrExportData, CUmemFabricHandle or CUipcEventHandle. */
  handle: v.optional(hexOf64Bytes),
  /** File descriptors as the exporter's process counts them: the pool's, or one per physical memory in address order. */
  descriptors: v.optional(v.array(v.strictObject({ fd: descriptorNumberSchema, bytes: v.nullable(bytesSchema) }))),
  exporter: v.strictObject({
    pid: pidSchema,
    /** `pid:[4026531836]`: the text of /proc/PID/ns/pid. */
    pidNamespace: v.optional(v.pipe(v.string(), v.regex(/^pid:\[[0-9]{1,20}\]$/, 'must look like pid:[4026531836]'))),
    name: v.optional(lineSchema(200)),
  }),
  device: v.strictObject({
    /** `GPU-` (or `MIG-`) and the 16 bytes of cuDeviceGetUuid_v2 as 8-4-4-4-12. */
    uuid: v.pipe(
      v.string('must be a text'),
      v.regex(
        /^(?:GPU|MIG)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
        'must look like GPU-01234567-89ab-cdef-0123-456789abcdef',
      ),
    ),
    /** As the exporter's process counts, after its CUDA_VISIBLE_DEVICES. */
    ordinal: v.optional(ordinalSchema),
  }),
  /** Where the data begins in the exporter's address space. For people only: it means nothing elsewhere. */
  base: v.optional(addressSchema),
  /** Where the data begins in the imported allocation, in bytes. */
  offset: bytesSchema,
  /** Bytes of the data. */
  size: bytesSchema,
  /** Bytes of the whole imported allocation. */
  allocationSize: v.optional(bytesSchema),
  dtype: v.optional(dtypeSchema),
  /** Elements per dimension; empty for one value. */
  shape: v.optional(countsSchema),
  /** Elements (not bytes) from one index to the next, per dimension. Left out: row after row without gaps. */
  strides: v.optional(countsSchema),
  byteOrder: v.optional(v.picklist(['little', 'big'])),
  /** The event to wait for before reading: a CUipcEventHandle as hex. */
  event: v.optional(hexOf64Bytes),
  label: v.optional(lineSchema(80)),
});

/** A descriptor of version 1. Its numbers are not checked against each other: see import-findings.ts. */
export type ShareDescriptor = v.InferOutput<typeof fieldsSchema>;

/** The schema for calls: the fields, and what belongs to which mechanism. */
export const descriptorSchema = v.pipe(
  fieldsSchema,
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const { field, message } of misplaced(dataset.value)) {
      addIssue({
        message,
        path: [{ type: 'object', origin: 'value', input: dataset.value as never, key: field, value: undefined }],
      });
    }
  }),
);

export interface DescriptorProblem {
  /** Path of the field: `exporter.pid`, `descriptors.0.fd`; empty for the text as a whole. */
  readonly field: string;
  /** A sentence for people that names the field. */
  readonly message: string;
}

export type DescriptorReading =
  | { readonly ok: true; readonly descriptor: ShareDescriptor }
  | { readonly ok: false; readonly problems: readonly [DescriptorProblem, ...DescriptorProblem[]] };

/**
 * Writes a descriptor as JSON: two spaces, keys always in the same order, no newline at the end.
 * `parseDescriptor` reads it back, and printing that gives the same text.
 * @throws TypeError when `descriptor` is none; the message names the fields
 */
export function printDescriptor(descriptor: ShareDescriptor): string {
  const reading = readDescriptor(descriptor);
  if (!reading.ok) throw new TypeError(reading.problems.map(({ message }) => message).join(' '));
  return JSON.stringify(reading.descriptor, null, 2);
}

/** Reads one descriptor from JSON text. Never throws. */
export function parseDescriptor(text: string): DescriptorReading {
  if (text.length > MAX_DESCRIPTOR_TEXT) return refused('', 'This text is too long for a descriptor.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    return refused('', `This is not JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}.`);
  }
  return readDescriptor(value);
}

/** Reads a descriptor from a value that JSON gave. The answer has its keys in the order in which they are printed. */
export function readDescriptor(value: unknown): DescriptorReading {
  if (!isRecord(value)) return refused('', 'A descriptor is a JSON object.');
  if (value.format !== DESCRIPTOR_FORMAT) {
    return refused('format', `“format” must be "${DESCRIPTOR_FORMAT}": this is no descriptor.`);
  }
  const { version } = value;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || version < 1) {
    return refused('version', `“version” must be a whole number, 1 or more.`);
  }
  if (version > DESCRIPTOR_VERSION) {
    return refused(
      'version',
      `“version” is ${version}, and this app reads ${DESCRIPTOR_VERSION} only: the descriptor was made by a newer one.`,
    );
  }
  const reading = v.safeParse(descriptorSchema, value);
  if (reading.success) return { ok: true, descriptor: inOrder(reading.output) };
  const [first, ...others] = reading.issues.map(problemOf);
  return { ok: false, problems: [first as DescriptorProblem, ...others] };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const refused = (field: string, message: string): DescriptorReading => ({ ok: false, problems: [{ field, message }] });

/** Fields that a mechanism does not have, or lacks. */
function misplaced(descriptor: ShareDescriptor): { field: keyof ShareDescriptor; message: string }[] {
  const { mechanism, descriptors = [], dtype, shape, strides } = descriptor;
  const { handle, descriptors: number } = parts[mechanism];
  const found: { field: keyof ShareDescriptor; message: string }[] = [];
  const missing = (field: keyof ShareDescriptor, message: string) => found.push({ field, message });
  if (handle && descriptor.handle === undefined) missing('handle', `is missing: “${mechanism}” has 64 bytes`);
  if (!handle && descriptor.handle !== undefined) missing('handle', `does not belong to “${mechanism}”`);
  const [least, most] = number;
  if (most === 0 && descriptor.descriptors !== undefined) {
    missing('descriptors', `does not belong to “${mechanism}”`);
  } else if (descriptors.length < least || descriptors.length > most) {
    missing('descriptors', least === most ? `must hold ${least}` : `must hold ${least} to ${most}`);
  }
  if (strides !== undefined && strides.length !== shape?.length) {
    missing('strides', 'must have one number for each dimension of “shape”');
  }
  if (shape !== undefined && dtype === undefined) missing('dtype', 'is missing: “shape” counts elements');
  if (mechanism !== 'event') return found;
  for (const field of ['base', 'allocationSize', 'dtype', 'shape', 'strides', 'byteOrder', 'event'] as const) {
    if (descriptor[field] !== undefined) missing(field, 'does not belong to “event”, which has no data');
  }
  for (const field of ['offset', 'size'] as const) {
    if (descriptor[field] !== 0) missing(field, 'must be 0 for “event”, which has no data');
  }
  return found;
}

function problemOf(issue: v.BaseIssue<unknown>): DescriptorProblem {
  const field = v.getDotPath(issue) ?? '';
  const shown = `“${field}”`;
  if (issue.type === 'strict_object' && issue.expected === 'never') {
    return { field, message: `${shown} is not a field of version ${DESCRIPTOR_VERSION}.` };
  }
  if (issue.input === undefined && issue.kind === 'schema') return { field, message: `${shown} is missing.` };
  const says = /^(?:must|is|does) /.test(issue.message)
    ? issue.message
    : `must be ${issue.expected ?? 'something else'}, not ${issue.received}`;
  return { field, message: `${shown} ${says}.` };
}

/** The same descriptor with the keys of each object in the order of the schema. */
function inOrder(descriptor: ShareDescriptor): ShareDescriptor {
  const { exporter, device, descriptors } = descriptor;
  return {
    ...pick(descriptor, fieldsSchema.entries),
    exporter: pick(exporter, fieldsSchema.entries.exporter.entries),
    device: pick(device, fieldsSchema.entries.device.entries),
    ...(descriptors && { descriptors: descriptors.map(({ fd, bytes }) => ({ fd, bytes })) }),
  };
}

/** Undefined values are left out, as JSON leaves them out. */
function pick<T extends object>(value: T, entries: Readonly<Record<keyof T & string, unknown>>): T {
  const keys = Object.keys(entries) as (keyof T & string)[];
  return Object.fromEntries(keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]])) as T;
}
