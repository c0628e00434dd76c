/** What is remembered between runs. Every field has a default, so a field that is missing or broken loses nothing else. */
import * as v from 'valibot';

/** Bytes that a row of the hex view may have. */
export const MOST_ROW_BYTES = 256;

export const settingsSchema = v.object({
  theme: v.optional(v.picklist(['system', 'dark', 'light']), 'system'),
  density: v.optional(v.picklist(['compact', 'default', 'roomy']), 'default'),
  /** Reads per second while following. */
  followHz: v.optional(v.pipe(v.number(), v.minValue(0.2), v.maxValue(60)), 10),
  byteGroup: v.optional(v.picklist([1, 2, 4, 8, 16]), 4),
  /** Bytes in a row; `auto` is 16, less where they do not fit, more in very wide windows. */
  byteRow: v.optional(
    v.union([v.literal('auto'), v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_ROW_BYTES))]),
    'auto',
  ),
  offsets: v.optional(v.picklist(['hex', 'decimal', 'address']), 'hex'),
  /** Sizes of splitters by name, in per cent. */
  layout: v.optional(v.record(v.string(), v.array(v.number())), {}),
  /** Column widths, order and sort of the tables, by table name; the table itself checks what it reads. */
  tables: v.optional(v.record(v.string(), v.unknown()), {}),
  /** What the views of the contents remember, by name; each checks what it reads. */
  contents: v.optional(v.record(v.string(), v.unknown()), {}),
  callsFolded: v.optional(v.boolean(), false),
  detailsFolded: v.optional(v.boolean(), false),
});
export type Settings = v.InferOutput<typeof settingsSchema>;
export const defaultSettings: Settings = v.parse(settingsSchema, {});
