import { expect, it } from 'vitest';
import type { Comparison } from '#contract/calls/contents';
import { outcome, parseTolerance } from './comparison';

const comparison: Comparison = {
  equal: true,
  differing: 0,
  first: null,
  ranges: [],
  more: false,
  bytes: 4096,
  unmatchedBytes: 0,
  tookMs: 1,
  takenAt: 0,
};
const plain = { dtype: undefined, tolerance: { absolute: 0, relative: 0 }, aOffset: 0 } as const;

it('says what came of it', () => {
  expect(outcome(comparison, plain)).toEqual({ title: 'Equal', text: '4,096 bytes compared.' });
  expect(outcome(comparison, { ...plain, dtype: 'f32', tolerance: { absolute: 0.1, relative: 0 } }).title).toBe(
    'Equal within the tolerance',
  );
  const different = {
    ...comparison,
    equal: false,
    differing: 3,
    first: 16,
    ranges: [
      { offset: 16, length: 2 },
      { offset: 64, length: 1 },
    ],
  };
  expect(outcome(different, { ...plain, aOffset: 0x100 })).toEqual({
    title: '3 bytes differ',
    text: 'In 2 places, first at 0x110, of 4.00 KiB compared.',
  });
  expect(outcome({ ...different, differing: 1 }, { ...plain, dtype: 'f32' }).title).toBe('1 f32 value differs');
  expect(outcome({ ...different, more: true }, plain).text).toContain('more than 2 places');
  expect(outcome({ ...comparison, equal: false, unmatchedBytes: 4 }, plain)).toEqual({
    title: 'Equal as far as both go',
    text: '4,096 bytes compared. 4 bytes have no counterpart on the other side.',
  });
});

it('tolerances are numbers from 0 on', () => {
  expect(parseTolerance('')).toBe(0);
  expect(parseTolerance(' 1e-3 ')).toBe(0.001);
  expect(parseTolerance('-1')).toBeUndefined();
  expect(parseTolerance('nan')).toBeUndefined();
  expect(parseTolerance('1e999')).toBeUndefined();
});
