import { describe, expect, it } from 'vitest';
import { count, formatClock, formatTimer, list, shortResult } from './format';

describe('words and numbers', () => {
  it('a running time', () => {
    expect([-5, 0, 59_999, 252_000, 3_599_000, 3_600_000, 90_000_000].map(formatTimer)).toEqual([
      '0:00',
      '0:00',
      '0:59',
      '4:12',
      '59:59',
      '1:00:00',
      '1 d',
    ]);
  });
  it('a time of day', () => {
    const at = new Date(2026, 10, 30, 14, 7, 36, 20).getTime();
    expect(formatClock(at)).toBe('14:07:36');
    expect(formatClock(at + 0.4, true)).toBe('14:07:36.020');
  });
  it('a result without its prefix, with its number when it failed', () => {
    expect(shortResult('CUDA_SUCCESS', 0)).toBe('SUCCESS');
    expect(shortResult('CUDA_ERROR_NOT_READY', 600)).toBe('NOT_READY');
    expect(shortResult('CUDA_ERROR_INVALID_CONTEXT', 201)).toBe('INVALID_CONTEXT 201');
  });
  it('counts and lists', () => {
    expect([count(1, 'mapping'), count(0, 'mapping'), count(1284, 'row'), count(2, 'row is', 'rows are')]).toEqual([
      '1 mapping',
      '0 mappings',
      '1,284 rows',
      '2 rows are',
    ]);
    expect([list([]), list(['A']), list(['A', 'B']), list(['A', 'B', 'C'])]).toEqual([
      '',
      'A',
      'A and B',
      'A, B and C',
    ]);
  });
});
