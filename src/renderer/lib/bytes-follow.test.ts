import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ByteRange } from '#contract/ranges';
import { fail, type IpcError, ok, type Result } from '#contract/result';
import { MemoryFollower, type MemoryRead } from './bytes-follow';

type Answer = Result<{ bytes: Uint8Array; takenAt: number }>;

/** A memory whose reads take `latency` ms, and a follower on it. */
function setup(latency = 5) {
  const state = { latency, inFlight: 0, mostInFlight: 0, error: undefined as IpcError | undefined };
  const asked: ByteRange[] = [];
  const reads: MemoryRead[] = [];
  const errors: IpcError[] = [];
  const follower = new MemoryFollower({
    now: () => Date.now(),
    read: (range) =>
      new Promise<Answer>((resolve) => {
        asked.push(range);
        state.inFlight++;
        state.mostInFlight = Math.max(state.mostInFlight, state.inFlight);
        setTimeout(() => {
          state.inFlight--;
          resolve(state.error ? fail(state.error) : ok({ bytes: new Uint8Array(range.length), takenAt: Date.now() }));
        }, state.latency);
      }),
    onRead: (read) => reads.push(read),
    onError: (error) => errors.push(error),
  });
  return { state, asked, reads, errors, follower };
}

const page: ByteRange = { offset: 0, length: 4096 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('following', () => {
  it.each([1, 10, 30, 60])('reads %i times a second', async (hz) => {
    const { follower, reads } = setup();
    follower.setHz(hz);
    follower.setRange(page);
    follower.start();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(Math.abs(reads.length - hz * 10)).toBeLessThanOrEqual(Math.max(1, hz / 10));
  });

  it('never has two reads in flight, also when they take longer than the period', async () => {
    const { follower, reads, state } = setup(250);
    follower.setHz(60);
    follower.setRange(page);
    follower.start();
    for (let i = 0; i < 20; i++) {
      follower.setRange({ offset: i * 4096, length: 4096 }, true);
      await vi.advanceTimersByTimeAsync(50);
    }
    expect(state.mostInFlight).toBe(1);
    expect(reads.length).toBeLessThanOrEqual(4);
  });

  it('of the wishes that wait only the newest is read', async () => {
    const { follower, asked } = setup(100);
    follower.setHz(1);
    follower.setRange(page, true);
    for (let i = 1; i <= 5; i++) follower.setRange({ offset: i * 4096, length: 4096 }, true);
    await vi.advanceTimersByTimeAsync(500);
    expect(asked.map((range) => range.offset)).toEqual([0, 5 * 4096]);
  });

  it('does not read while paused; a step reads once; unread bytes that come into sight are read', async () => {
    const { follower, asked } = setup();
    follower.setRange(page);
    follower.start();
    await vi.advanceTimersByTimeAsync(1000);
    follower.pause();
    await vi.advanceTimersByTimeAsync(10);
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked.length).toBe(before);
    follower.step();
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked.length).toBe(before + 1);
    follower.setRange({ offset: 4096, length: 4096 }, true);
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked.length).toBe(before + 2);
  });

  it('slows down for a window that nobody sees', async () => {
    const { follower, asked } = setup();
    follower.setHz(60);
    follower.setRange(page);
    follower.start();
    await vi.advanceTimersByTimeAsync(100);
    follower.setSlowed(true);
    const before = asked.length;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(asked.length - before).toBeLessThanOrEqual(6);
    follower.setSlowed(false);
    await vi.advanceTimersByTimeAsync(1000);
    expect(asked.length - before).toBeGreaterThan(50);
  });

  it('tries again once a second after a failure that may heal', async () => {
    const { follower, errors, reads, state } = setup();
    state.error = { code: 'driver-error', message: 'no' };
    follower.setHz(60);
    follower.setRange(page);
    follower.start();
    await vi.advanceTimersByTimeAsync(5000);
    expect(errors.length).toBeGreaterThanOrEqual(4);
    expect(errors.length).toBeLessThanOrEqual(6);
    state.error = undefined;
    await vi.advanceTimersByTimeAsync(2000);
    expect(reads.length).toBeGreaterThan(30);
  });

  it('stops asking what is closed, until a step asks again', async () => {
    const { follower, errors, reads, state } = setup();
    state.error = { code: 'closed', message: 'closed' };
    follower.setRange(page);
    follower.start();
    await vi.advanceTimersByTimeAsync(5000);
    expect(errors.length).toBe(1);
    state.error = undefined;
    follower.step();
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads.length).toBeGreaterThan(5);
  });

  it('reports nothing after stop', async () => {
    const { follower, reads } = setup(100);
    follower.setRange(page, true);
    follower.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads).toEqual([]);
  });
});
