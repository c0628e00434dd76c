import * as v from 'valibot';
import { expect, it } from 'vitest';
import { readRemembered } from './remembered';

const schema = v.object({
  log: v.optional(v.boolean(), true),
  bins: v.optional(v.picklist([32, 64]), 64),
});

it('what does not fit has its default, and takes nothing else with it', () => {
  expect(readRemembered({}, 'statistics', schema)).toEqual({ log: true, bins: 64 });
  expect(readRemembered({ statistics: { log: false, bins: 7 } }, 'statistics', schema)).toEqual({
    log: false,
    bins: 64,
  });
  expect(readRemembered({ statistics: 'old', other: { log: false } }, 'statistics', schema)).toEqual({
    log: true,
    bins: 64,
  });
});
