import { describe, expect, it } from 'vitest';
import type { Statistics } from '#contract/calls/contents';
import { binAt, countAxis, shortCount, valueAxis } from './histogram-scale';
import { bytesOfQuestion, freshness, withinOf } from './statistics';
import { binWords, histogramWords, meanWords, shareWords, valueWords } from './statistics-words';

const statistics: Statistics = {
  count: 8,
  min: -1.5,
  max: 2.5,
  mean: 1 / 3,
  std: 1,
  zeros: 1,
  nans: 0,
  infs: 0,
  negatives: 1,
  denormals: 0,
  checksum: '0123456789abcdef',
  histogram: { edges: [-1.5, 0.5, 2.5], counts: [2, 6] },
  bytes: 32,
  tookMs: 1,
  takenAt: 0,
};

describe('how statistics are written', () => {
  it('values are exact', () => {
    expect(valueWords('18446744073709551615', 'u64')).toBe('18,446,744,073,709,551,615');
    expect(valueWords(-1234567, 'i32')).toBe('−1,234,567');
    expect(valueWords(Math.fround(0.1), 'f32')).toBe('0.1');
    expect(valueWords(-0, 'f32')).toBe('-0');
    expect(valueWords(Number.POSITIVE_INFINITY, 'f32')).toBe('Inf');
    expect(valueWords(null, 'f32')).toBe('none');
    expect(meanWords(1 / 3)).toBe('0.333333333333');
  });

  it('a share is never nothing for something, nor all for less', () => {
    expect(shareWords(0, 10)).toBe('0 %');
    expect(shareWords(10, 10)).toBe('100 %');
    expect(shareWords(1, 1e12)).toBe('< 0.0001 %');
    expect(shareWords(1e12 - 1, 1e12)).toBe('> 99.99 %');
    expect(shareWords(1, 32)).toBe('3.125 %');
    expect(shareWords(0, 0)).toBe('0 %');
  });

  it('a bin has its edges and its count', () => {
    expect(binWords(statistics.histogram, 1, 'f32')).toEqual({ edges: '0.5 to 2.5', count: '6 values' });
    expect(binWords({ edges: [7, 7], counts: [1] }, 0, 'u8')).toEqual({ edges: '7', count: '1 value' });
    expect(histogramWords(statistics, 'f32')).toBe(
      'Histogram of 8 f32 values from -1.5 to 2.5. Most, 6 values, lie from 0.5 to 2.5.',
    );
    expect(histogramWords({ ...statistics, histogram: { edges: [], counts: [] } }, 'f32')).toContain('no histogram');
  });
});

describe('axes', () => {
  it('in powers of ten: one is still seen, none is not', () => {
    const axis = countAxis(1e9, true);
    expect(axis.height(0)).toBe(0);
    expect(axis.height(1)).toBeGreaterThan(0);
    expect(axis.height(1e9)).toBe(1);
    expect(axis.ticks.map(({ text }) => text)).toEqual(['1', '10³', '10⁶', '10⁹']);
    expect(countAxis(1, true).ticks.map(({ text }) => text)).toEqual(['1', '10']);
  });

  it('evenly: a few whole ticks, whatever the counts', () => {
    for (const most of [1, 2, 3, 7, 12, 99, 1000, 34_359_738_368]) {
      const { ticks, height } = countAxis(most, false);
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(ticks.length).toBeGreaterThan(1);
      expect(height(most)).toBe(1);
      expect(ticks.every(({ at }) => at >= 0 && at <= 1)).toBe(true);
    }
    expect(shortCount(20_000)).toBe('20 k');
    expect(shortCount(1_500_000_000)).toBe('1.5 G');
  });

  it('values lie in their bins, also where the outer ones are wider', () => {
    const even = valueAxis([0, 1, 2, 3, 4]);
    expect([0, 0.5, 3, 4].map(even.place)).toEqual([0, 0.125, 0.75, 1]);
    expect(even.breaks).toEqual({ first: false, last: false });
    const outlier = valueAxis([-1000, 0, 1, 2, 1e9]);
    expect(outlier).toMatchObject({ low: 0, high: 2, breaks: { first: true, last: true } });
    expect([-1000, -500, 0, 1.5, 1e9].map(outlier.place)).toEqual([0, 0.125, 0.25, 0.625, 1]);
    expect(valueAxis([7, 7]).place(7)).toBe(0.5);
  });

  it('every place has a bin', () => {
    expect([-1, 0, 0.49, 0.5, 1, 2].map((place) => binAt(place, 2))).toEqual([0, 0, 0, 1, 1, 1]);
  });
});

it('an answer is stale when memory changed, when computations are missed, and when the memory is gone', () => {
  const state = { now: 10_000, changedAt: undefined, ended: false, repeat: 0 };
  expect(freshness(5000, state)).toBe('fresh');
  expect(freshness(5000, { ...state, changedAt: 4000 })).toBe('fresh');
  expect(freshness(5000, { ...state, changedAt: 6000 })).toBe('changed');
  expect(freshness(5000, { ...state, changedAt: 6000, repeat: 5 })).toBe('fresh');
  expect(freshness(5000, { ...state, repeat: 1 })).toBe('late');
  expect(freshness(5000, { ...state, ended: true })).toBe('ended');
});

it('of a snapshot its own bytes are gone through, and its places lie where it was taken', () => {
  const snapshot = {
    id: 'p1.s1',
    name: 'before',
    objectId: 'p1.a1',
    label: '',
    offset: 512,
    bytes: 64,
    takenAt: 0,
    where: 'memory',
  } as const;
  const question = { dtype: 'f32', range: undefined, bins: 64 } as const;
  expect(bytesOfQuestion({ ...question, snapshot }, 4096)).toBe(64);
  expect(withinOf({ ...question, snapshot })).toEqual({ id: 'p1.s1', base: 512, bytes: 64 });
  expect(bytesOfQuestion(question, 4096)).toBe(4096);
  expect(withinOf(question)).toBeUndefined();
});
