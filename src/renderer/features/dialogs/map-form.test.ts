import { describe, expect, it } from 'vitest';
import { firstRoom, mapProblem } from './map-form';

const range = (...offsets: number[]) => ({
  label: 'range',
  bytes: 10,
  chunks: offsets.map((offset) => ({ offset, bytes: 2, physicalId: 'a' })),
});

describe('the first room in a range', () => {
  it.each([
    [[], 2, 0],
    [[0], 2, 2],
    [[4, 0], 2, 2],
    [[4, 0], 4, 6],
    [[0, 2, 4, 6, 8], 2, undefined],
    [[], 12, undefined],
  ])('beside %j for %d is %j', (offsets, bytes, at) => {
    expect(firstRoom(range(...offsets), bytes)).toBe(at);
  });
});

describe('memory cannot be mapped', () => {
  it('over something, beyond the end, or between two multiples', () => {
    expect(mapProblem(range(4), { bytes: 4 }, 2, 2)).toMatch(/mapped there already, at 4 to 5/);
    expect(mapProblem(range(), { bytes: 4 }, 8, 2)).toMatch(/needs 4 B/);
    expect(mapProblem(range(), { bytes: 2 }, 1, 2)).toMatch(/multiple of 2 B/);
    expect(mapProblem(range(4), { bytes: 4 }, 6, 2)).toBeUndefined();
  });
});
