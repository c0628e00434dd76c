/** Handles: their bytes, their meaning, as text for other programs. */
import * as v from 'valibot';
import { handleAnatomySchema } from '#contract/handle-anatomy';
import { bytesSchema, dtypeSchema, handleBytesSchema, handleSchema, idSchema, ordinalSchema } from '#contract/values';
import { type CallDefinition, everyone, exporters, inspector, none } from './definition';

/** Longest text that may be pasted, in UTF-16 units. */
export const MAX_PASTE = 1024 * 1024;

const place = { start: v.number(), end: v.number() };

/** Something in a pasted text that can be opened. */
export const pastedItemSchema = v.object({
  kind: v.string(),
  /** What it is, for people: `PyTorch _share_cuda_() tuple`. */
  source: v.string(),
  form: v.string(),
  /** Where it stands in the text. */
  ...place,
  handle: v.nullable(bytesSchema),
  offset: v.optional(v.number()),
  size: v.optional(v.number()),
  device: v.optional(v.number()),
  dtype: v.optional(dtypeSchema),
  shape: v.optional(v.array(v.number())),
  /** In elements. */
  strides: v.optional(v.array(v.number())),
  pid: v.optional(v.number()),
  allocationSize: v.optional(v.number()),
  offsetInBlock: v.optional(v.number()),
  eventHandle: v.optional(bytesSchema),
  refCounterFile: v.optional(v.string()),
  refCounterOffset: v.optional(v.number()),
  eventSyncRequired: v.optional(v.boolean()),
  /** PyTorch's expandable segments: bytes of each, and their file descriptors as the process `pid` counts them. */
  segmentBytes: v.optional(v.number()),
  fds: v.optional(v.array(v.number())),
  /** Of a descriptor of this app, and for PyTorch's expandable segments: its text, for imports.open. */
  descriptor: v.optional(v.string()),
});
export type PastedItem = v.InferOutput<typeof pastedItemSchema>;

export const findingSchema = v.object({
  /** `refuse`: the driver will not open it, or it must not be given to the driver. */
  level: v.picklist(['refuse', 'warn', 'info']),
  code: v.string(),
  message: v.string(),
  hint: v.optional(v.string()),
});
export type Finding = v.InferOutput<typeof findingSchema>;

export const handleCalls = {
  /** The 64 bytes of an export, on purpose. A producer may reveal its own only. */
  'handles.reveal': {
    args: v.strictObject({ exportId: idSchema }),
    result: v.object({ handle: handleBytesSchema }),
    roles: exporters,
    answers: 'main',
  },
  /** What the bytes of a handle mean, where the layout holds on handles made here. Secret fields come without value. */
  'handles.anatomy': {
    args: v.strictObject({ exportId: v.optional(idSchema), handle: v.optional(handleSchema) }),
    result: handleAnatomySchema,
    roles: everyone,
    answers: 'main',
  },
  /** Finds handles in any text: see docs. Nothing is opened. */
  'handles.parse': {
    args: v.strictObject({ text: v.pipe(v.string(), v.maxLength(MAX_PASTE)) }),
    result: v.object({
      items: v.array(pastedItemSchema),
      problems: v.array(v.object({ message: v.string(), ...place })),
    }),
    roles: everyone,
    answers: 'main',
  },
  /** What can be known of a handle before the driver is asked to open it on a device. */
  'handles.check': {
    args: v.strictObject({
      handle: v.optional(handleSchema),
      exportId: v.optional(idSchema),
      descriptor: v.optional(v.pipe(v.string(), v.maxLength(64 * 1024))),
      device: v.optional(ordinalSchema),
      offset: v.optional(v.number()),
      length: v.optional(v.number()),
      as: v.optional(v.picklist(['memory', 'event'])),
    }),
    result: v.object({ findings: v.array(findingSchema) }),
    roles: everyone,
    answers: 'main',
  },
  /** An export (or the newest export of an allocation) as a descriptor: JSON that carries all an importer needs. */
  'handles.describe': {
    args: v.strictObject({ id: idSchema }),
    result: v.object({ descriptor: v.string() }),
    roles: exporters,
    answers: 'main',
  },
  /** The same in a file that a person chooses and nobody else may read (mode 0600). `path` is null when none was chosen. */
  'handles.save': {
    args: v.strictObject({ id: idSchema }),
    result: v.object({ path: v.nullable(v.string()) }),
    roles: exporters,
    answers: 'main',
  },
  /** The text of a file that a person chooses, for handles.parse; of one with 64 bytes these as hex. At most 1 MiB. */
  'handles.readFile': {
    args: none,
    result: v.object({ path: v.nullable(v.string()), text: v.string() }),
    roles: inspector,
    answers: 'main',
  },
  /** The text on the clipboard, for handles.parse. Only just after somebody pressed a key or a button in the window. */
  'handles.fromClipboard': { args: none, result: v.object({ text: v.string() }), roles: inspector, answers: 'main' },
  /** Code that opens an export, or that makes one like it. `masked`: with dots in place of the handle. */
  'handles.snippet': {
    args: v.strictObject({
      id: idSchema,
      side: v.picklist(['importer', 'exporter']),
      language: v.picklist(['python', 'cpp', 'csharp']),
      library: v.pipe(v.string(), v.maxLength(40)),
      masked: v.optional(v.boolean()),
    }),
    result: v.object({ code: v.string(), notes: v.array(v.string()), requires: v.array(v.string()) }),
    roles: exporters,
    answers: 'main',
  },
} as const satisfies Record<string, CallDefinition>;
