import { expect, it } from 'vitest';
import { endLabel, mapParts, mapWords, type Slice } from './summary';

const slice = (change: Partial<Slice>): Slice => ({
  offset: 0,
  bytes: 400,
  min: 0,
  max: 0,
  zeros: 0,
  nans: 0,
  infs: 0,
  count: 100,
  ...change,
});

it('parts are compared with each other by the size of their values', () => {
  const parts = mapParts([
    slice({ zeros: 100 }),
    slice({ min: -0.001, max: 0.0005 }),
    slice({ min: -1, max: 1000, nans: 2 }),
    slice({ min: -1, max: 900 }),
    slice({ min: null, max: null, nans: 100 }),
    slice({ min: 1, max: Number.POSITIVE_INFINITY, infs: 1 }),
  ]);
  expect(parts.map(({ level }) => level)).toEqual([0, 1, 4, 4, 0, 4]);
  expect(parts.map(({ notFinite }) => notFinite)).toEqual([false, false, true, false, true, true]);
  expect(parts[0]?.zeroShare).toBe(1);
});

it('parts alike have the same shade, whatever their size', () => {
  expect(mapParts([slice({ max: 3 }), slice({ max: 3 })]).map(({ level }) => level)).toEqual([4, 4]);
  expect(mapParts([slice({ zeros: 100 })]).map(({ level }) => level)).toEqual([0]);
});

it('says in words what it shows', () => {
  expect(mapWords(mapParts([slice({ zeros: 100 })]), '4.00 KiB')).toBe(
    'Map of 4.00 KiB: all of it is zero, no NaN or infinity',
  );
  expect(mapWords(mapParts([slice({ zeros: 100 }), slice({ max: 2, nans: 1 })]), '4.00 KiB')).toBe(
    'Map of 4.00 KiB: 50 % of its parts are zero, NaN or infinity in 1 of 2 parts',
  );
});

it('the end of the map is written in a few characters', () => {
  expect([64 * 1024, 70_000_000, 1536, 512, 100 * 2 ** 30, 2 ** 20 * 1000].map(endLabel)).toEqual([
    '64 KiB',
    '67 MiB',
    '1.5 KiB',
    '512 B',
    '100 GiB',
    '1000 MiB',
  ]);
});
