import { beforeEach, describe, expect, it } from 'vitest';
import { Giver, HAND_OVER_BYTES, handOverMemory, Taker } from './hand-over';

// Both sides on one thread: what the other side does happens while it is asked.
const NO_TIME = { look: 0, wait: 0 };

let taker: Taker;
let giver: Giver;
const page = (...bytes: number[]) => ({ bytes: Uint8Array.from(bytes), takenAt: 1_700_000_000_123.5 });

beforeEach(() => {
  const memory = handOverMemory();
  taker = new Taker(memory);
  giver = new Giver(memory);
});

describe('a read that is answered at once', () => {
  it('passes bytes and time', () => {
    const taken = taker.take(1, 3, () => expect(giver.give(1, page(7, 8, 9))).toBe(true), NO_TIME);
    expect(taken).toEqual(page(7, 8, 9));
    expect(taken?.bytes.buffer).toBeInstanceOf(ArrayBuffer);
    expect(taken?.bytes.buffer.byteLength).toBe(3);
  });

  it('keeps the bytes when the next read follows', () => {
    const first = taker.take(1, 2, () => giver.give(1, page(1, 2)), NO_TIME);
    const second = taker.take(2, 2, () => giver.give(2, page(3, 4)), NO_TIME);
    expect([...(first?.bytes ?? []), ...(second?.bytes ?? [])]).toEqual([1, 2, 3, 4]);
  });

  it('works with any id', () => {
    for (const id of [0, 0x7ffffffe, 0x7fffffff, 0x80000000, 2 ** 40]) {
      expect(taker.take(id, 1, () => giver.give(id, page(5)), NO_TIME)?.bytes).toEqual(Uint8Array.of(5));
    }
  });
});

describe('a read that is answered by a message', () => {
  it('is given up after the time, and cannot be handed over any more', () => {
    const began = performance.now();
    expect(taker.take(1, 1, () => {}, { look: 2, wait: 30 })).toBeUndefined();
    expect(performance.now() - began).toBeGreaterThan(25);
    expect(giver.give(1, page(1))).toBe(false);
  });

  it('is not mistaken for another one', () => {
    taker.take(1, 1, () => {}, NO_TIME);
    const taken = taker.take(2, 1, () => expect(giver.give(1, page(1))).toBe(false), NO_TIME);
    expect(taken).toBeUndefined();
  });

  it('is not waited for when a message comes instead', () => {
    const began = performance.now();
    expect(taker.take(1, 1, () => giver.sending(), { look: 0, wait: 10_000 })).toBeUndefined();
    expect(performance.now() - began).toBeLessThan(5000);
  });

  it('does not overtake what was said before it', () => {
    giver.sending();
    const overtaking = () => expect(giver.give(1, page(1))).toBe(false);
    expect(taker.take(1, 1, overtaking, NO_TIME)).toBeUndefined();
    taker.received();
    expect(taker.take(2, 1, () => giver.give(2, page(2)), NO_TIME)?.bytes).toEqual(Uint8Array.of(2));
  });

  it('is not larger than the memory', () => {
    const large = { bytes: new Uint8Array(HAND_OVER_BYTES + 1), takenAt: 0 };
    expect(taker.take(1, HAND_OVER_BYTES, () => expect(giver.give(1, large)).toBe(false), NO_TIME)).toBeUndefined();
  });
});
