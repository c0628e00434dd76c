/** How Values is shown, kept between runs. */
import * as v from 'valibot';
import { remember, useRemembered } from '../model/remembered';
import type { RowChoice } from '../parts/RowField';

/** Elements that a row may have. */
export const MOST_ROW_VALUES = 128;
export const ROW_CHOICES: readonly RowChoice[] = ['auto', 1, 2, 3, 4, 6, 8, 12, 16, 32];

const NAME = 'values';
const schema = v.object({
  row: v.optional(
    v.union([v.literal('auto'), v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MOST_ROW_VALUES))]),
    'auto',
  ),
  /** Whether the bits stand beside each value. */
  bits: v.optional(v.boolean(), false),
});

export const useValuesSettings = () => useRemembered(NAME, schema);
export const setValues = (change: Partial<v.InferOutput<typeof schema>>): void => remember(NAME, change);
