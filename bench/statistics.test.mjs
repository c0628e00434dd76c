import { expect, it } from 'vitest';
import { median, percentile } from './statistics.mjs';

it('takes samples as they are, whatever their order', () => {
  const samples = [5, 1, 4, 2, 3];
  expect(median(samples)).toBe(3);
  expect([percentile(samples, 0), percentile(samples, 0.1), percentile(samples, 1)]).toEqual([1, 1, 5]);
  expect(samples).toEqual([5, 1, 4, 2, 3]);
});

it('has no answer for no samples', () => {
  expect(median([])).toBeNaN();
});
