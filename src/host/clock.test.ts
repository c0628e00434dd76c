import { afterEach, expect, it, vi } from 'vitest';
import { timeOfDay } from './clock';

afterEach(() => vi.restoreAllMocks());

it('is that of the system to two milliseconds, finer, and goes on', () => {
  const times: number[] = [];
  for (let n = 0; n < 100; n++) {
    const before = Date.now();
    times.push(timeOfDay());
    expect(times[n]).toBeGreaterThanOrEqual(before - 2);
    expect(times[n]).toBeLessThanOrEqual(Date.now() + 2);
  }
  expect(times.some((time) => !Number.isInteger(time))).toBe(true);
});

it('follows a clock that is set, forwards and back, and a machine that slept', () => {
  const now = Date.now();
  for (const set of [now + 3_600_000, now - 60_000]) {
    vi.spyOn(Date, 'now').mockReturnValue(set);
    expect(Math.abs(timeOfDay() - set)).toBeLessThanOrEqual(2);
  }
  // The other clock stands still while a machine sleeps.
  vi.restoreAllMocks();
  const ran = performance.now();
  vi.spyOn(performance, 'now').mockReturnValue(ran - 5000);
  const before = Date.now();
  expect(timeOfDay()).toBeGreaterThanOrEqual(before - 2);
});
