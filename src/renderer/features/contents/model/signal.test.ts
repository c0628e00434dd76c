import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { calmed, Signal } from './signal';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

it('tells the first at once, then one for all of a while, and the last', () => {
  const source = new Signal();
  let told = 0;
  calmed(source, 100).subscribe(() => {
    told += 1;
  });
  source.emit();
  expect(told).toBe(1);
  for (let at = 0; at < 250; at += 10) {
    vi.advanceTimersByTime(10);
    source.emit();
  }
  expect(told).toBe(3);
  vi.advanceTimersByTime(50);
  expect(told).toBe(4);
  vi.advanceTimersByTime(1000);
  expect(told).toBe(4);
  source.emit();
  expect(told).toBe(5);
});
