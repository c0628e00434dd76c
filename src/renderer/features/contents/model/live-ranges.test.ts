import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ByteRange } from '#contract/ranges';
import { fail, ok } from '#contract/result';
import { LiveRanges } from './live-ranges';

function setup() {
  const memory = new Uint8Array(64 * 1024 * 1024).fill(7);
  const reads: ByteRange[] = [];
  let broken = false;
  const live = new LiveRanges({
    read: async (range) => {
      reads.push(range);
      if (broken) return fail({ code: 'driver-error', message: 'refused' });
      return ok({ bytes: memory.slice(range.offset, range.offset + range.length), takenAt: Date.now() });
    },
  });
  return {
    memory,
    reads,
    live,
    breakReads: (value: boolean) => {
      broken = value;
    },
    at: (offset: number) => {
      const found = live.find(offset, 1);
      return found?.bytes[found.at];
    },
  };
}

const soon = () => vi.advanceTimersByTimeAsync(1);

describe('bytes in many places', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('reads what is wanted, once, and again at the rate while it follows', async () => {
    const { live, reads, memory, at } = setup();
    live.want([
      { offset: 4096, length: 16 },
      { offset: 0, length: 8 },
    ]);
    live.start();
    await soon();
    expect(reads).toEqual([
      { offset: 0, length: 8 },
      { offset: 4096, length: 16 },
    ]);
    expect(at(4100)).toBe(7);
    expect(at(8)).toBeUndefined();
    expect(live.find(4, 8)).toBeUndefined();

    memory[4100] = 9;
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads).toHaveLength(2);
    live.setFollowing(true, 10, false);
    await vi.advanceTimersByTimeAsync(300);
    expect(at(4100)).toBe(9);
    expect(reads.length).toBeGreaterThanOrEqual(6);
    live.stop();
    const before = reads.length;
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads).toHaveLength(before);
  });

  it('does not read anew what is known, and keeps it until what is new has come', async () => {
    const { live, reads, at } = setup();
    live.want([{ offset: 0, length: 4096 }]);
    live.start();
    await soon();
    live.want([{ offset: 16, length: 32 }]);
    await soon();
    expect(reads).toHaveLength(1);
    live.want([{ offset: 8192, length: 16 }]);
    expect(at(20)).toBe(7);
    await soon();
    expect(at(20)).toBeUndefined();
    expect(at(8192)).toBe(7);
    live.stop();
  });

  it('reads large ranges in parts of 4 MiB, and not more than 128 MiB in a second', async () => {
    const { live, reads, at } = setup();
    live.setFollowing(true, 60, false);
    live.want([{ offset: 1, length: 32 * 1024 * 1024 }]);
    live.start();
    await soon();
    expect(reads).toHaveLength(8);
    expect(reads.every(({ length }) => length === 4 * 1024 * 1024)).toBe(true);
    expect([at(0), at(1), at(32 * 1024 * 1024), at(32 * 1024 * 1024 + 1)]).toEqual([undefined, 7, 7, undefined]);
    await vi.advanceTimersByTimeAsync(1000);
    expect(reads.length).toBeLessThanOrEqual(8 * 5);
    live.stop();
  });

  it('makes at most 400 reads in a second, however many places there are', async () => {
    const { live, reads } = setup();
    live.setFollowing(true, 60, false);
    live.want(Array.from({ length: 200 }, (_, i) => ({ offset: i * 8192, length: 16 })));
    live.start();
    await vi.advanceTimersByTimeAsync(1990);
    expect(reads.length).toBe(800);
    live.stop();
  });

  it('says why a read failed, keeps what it had, and tries again', async () => {
    const { live, breakReads, at } = setup();
    live.want([{ offset: 0, length: 16 }]);
    live.start();
    await soon();
    breakReads(true);
    live.setFollowing(true, 10, false);
    await vi.advanceTimersByTimeAsync(200);
    expect(live.error?.message).toBe('refused');
    expect(at(3)).toBe(7);
    breakReads(false);
    await vi.advanceTimersByTimeAsync(1100);
    expect(live.error).toBeUndefined();
    live.stop();
  });

  it('comes back to what it had: nothing is read anew while it does not follow, and large pieces are let go', async () => {
    const { live, reads, at } = setup();
    live.want([{ offset: 0, length: 16 }]);
    live.start();
    await soon();
    live.stop();
    live.start();
    await soon();
    expect(reads).toHaveLength(1);
    expect(at(3)).toBe(7);
    live.want([{ offset: 0, length: 8 * 1024 * 1024 }]);
    await soon();
    live.stop();
    expect(at(3)).toBeUndefined();
    live.start();
    await soon();
    expect(at(3)).toBe(7);
    live.stop();
  });

  it('reads once when asked to while it does not follow', async () => {
    const { live, memory, at } = setup();
    live.want([{ offset: 0, length: 16 }]);
    live.start();
    await soon();
    memory[3] = 1;
    live.step();
    await soon();
    expect(at(3)).toBe(1);
    live.stop();
  });
});
