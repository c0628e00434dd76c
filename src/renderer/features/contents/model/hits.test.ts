import { expect, it } from 'vitest';
import { runsOf } from './hits';

it('hits side by side are one run', () => {
  expect(runsOf({ offsets: [0, 4, 8, 16, 24, 28], bytes: 4 })).toEqual([
    { offset: 0, count: 3 },
    { offset: 16, count: 1 },
    { offset: 24, count: 2 },
  ]);
  expect(runsOf({ offsets: [], bytes: 4 })).toEqual([]);
});
