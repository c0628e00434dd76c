import { describe, expect, it } from 'vitest';
import { ByteChanges, ChangeClock, READ, UNREAD, UNREADABLE } from './bytes-changes';

function clockAt() {
  const time = { now: 10_000 };
  return { time, clock: new ChangeClock(() => time.now) };
}

describe('change tracking', () => {
  it('marks exactly the bytes that differ from the read before', () => {
    const memory = new ByteChanges(4);
    expect(memory.apply(0, Uint8Array.of(1, 0, 3, 4), 1)).toBe(0);
    expect(memory.apply(0, Uint8Array.of(1, 9, 3, 0), 2)).toBe(2);
    expect([...memory.changedAt]).toEqual([0, 2, 0, 2]);
    expect(memory.apply(2, Uint8Array.of(5), 3)).toBe(1);
    expect([...memory.changedAt]).toEqual([0, 2, 3, 2]);
    expect([...memory.bytes]).toEqual([1, 9, 5, 0]);
  });

  it('a byte seen for the first time has not changed, also when it is not zero', () => {
    const memory = new ByteChanges(4);
    memory.apply(0, Uint8Array.of(7, 7), 1);
    expect(memory.apply(0, Uint8Array.of(7, 7, 7, 7), 2)).toBe(0);
    expect([...memory.known]).toEqual([READ, READ, READ, READ]);
  });

  it('a failed read makes unread bytes unreadable and keeps the read ones', () => {
    const memory = new ByteChanges(4);
    memory.apply(0, Uint8Array.of(0, 0), 1);
    memory.fail(0, 3);
    expect([...memory.known]).toEqual([READ, READ, UNREADABLE, UNREAD]);
    expect(memory.apply(2, Uint8Array.of(5), 2)).toBe(0);
    expect(memory.known[2]).toBe(READ);
  });

  it('a cue is full for 400 ms, fades in steps and is gone after 1.6 s', () => {
    const { time, clock } = clockAt();
    const read = clock.tick();
    const stages = [0, 399, 400, 799, 800, 1199, 1200, 1599, 1600].map((ms) => {
      time.now = 10_000 + ms;
      return clock.stage(read);
    });
    expect(stages).toEqual([1, 1, 2, 2, 3, 3, 4, 4, 0]);
    expect(clock.nextChange()).toBeUndefined();
  });

  it('tells when the next stage begins and which reads are still of interest', () => {
    const { time, clock } = clockAt();
    const first = clock.tick();
    time.now += 300;
    const second = clock.tick();
    expect(clock.nextChange()).toBe(100);
    expect(clock.firstActive()).toBe(first);
    time.now += 1350;
    expect(clock.firstActive()).toBe(second);
    expect(clock.nextChange()).toBe(250);
  });

  it('stands still while paused', () => {
    const { time, clock } = clockAt();
    const read = clock.tick();
    time.now += 300;
    clock.freeze();
    time.now += 60_000;
    expect(clock.stage(read)).toBe(1);
    expect(clock.nextChange()).toBeUndefined();
    clock.thaw();
    time.now += 99;
    expect(clock.stage(read)).toBe(1);
    time.now += 1;
    expect(clock.stage(read)).toBe(2);
  });

  it('expire ends the cues of all reads before, also while paused', () => {
    const { clock } = clockAt();
    const before = clock.tick();
    clock.freeze();
    clock.expire();
    const read = clock.tick();
    expect([clock.stage(before), clock.stage(read)]).toEqual([0, 1]);
    expect(clock.firstActive()).toBe(read);
  });

  it('with reduced motion shows the full cue until the next read, the thin one for a read more, then nothing', () => {
    const { time, clock } = clockAt();
    clock.reducedMotion = true;
    const read = clock.tick();
    time.now += 60_000;
    expect(clock.stage(read)).toBe(1);
    clock.tick();
    expect(clock.stage(read)).toBe(2);
    clock.tick();
    expect(clock.stage(read)).toBe(0);
  });

  it('keeps numbering right over thousands of reads', () => {
    const { time, clock } = clockAt();
    let read = 0;
    for (let i = 0; i < 5000; i++) {
      read = clock.tick();
      time.now += 16;
    }
    expect(clock.stage(read)).toBe(1);
    expect(clock.stage(read - 30)).toBe(2);
    expect(clock.stage(read - 200)).toBe(0);
    expect(clock.firstActive()).toBeGreaterThan(read - 101);
  });
});
