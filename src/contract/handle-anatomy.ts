/** Decoding of the 64 bytes as an answer: either checked against handles made here, or opaque with the reason. */
import * as v from 'valibot';

export const handleFieldSchema = v.object({
  /** `pid`, `size in bytes`, `4 KiB pages`, `block offset`, `context token`, … */
  name: v.string(),
  offset: v.number(),
  length: v.number(),
  /** For people; `null` for a field that is part of the capability and hidden until the handle is revealed. */
  value: v.nullable(v.string()),
  /** Which tint: see the mock's anatomy strip. */
  kind: v.picklist(['pid', 'size', 'block', 'offset', 'secret', 'constant', 'zero', 'unknown']),
  /** The bytes of a field that only repeats what the table shows; `null` for a secret one. */
  bytes: v.nullable(v.instance(Uint8Array)),
});
export type HandleField = v.InferOutput<typeof handleFieldSchema>;

export const handleAnatomySchema = v.object({
  kind: v.picklist(['memory', 'event', 'unknown']),
  /** True only after the layout was seen to hold on handles of this process, with this driver. */
  checked: v.boolean(),
  /** `Observed on driver 580.159.04, not documented. Checked against 3 handles of this app.`, or why it is opaque. */
  note: v.string(),
  fields: v.array(handleFieldSchema),
});
export type HandleAnatomy = v.InferOutput<typeof handleAnatomySchema>;
