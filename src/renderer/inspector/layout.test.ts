import { expect, it } from 'vitest';
import { detailsLimits, railLimits, within } from './layout';

it.each([
  [-1140, 160],
  [228, 228],
  [1e9, 432],
])('a kept width of %d pixels fits a window of 1440', (kept, shown) => {
  expect(within(kept, railLimits(1440))).toBe(shown);
});

it('a width from a wide screen leaves room in a small window', () => {
  expect(within(3840, detailsLimits(1024))).toBe(512);
  expect(within(352, detailsLimits(400))).toBe(280);
});
