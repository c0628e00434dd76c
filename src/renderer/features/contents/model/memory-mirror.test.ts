import { describe, expect, it } from 'vitest';
import { ChangeClock, READ, UNREAD, UNREADABLE } from '../../../lib/bytes-changes';
import { MemoryMirror, PAGE } from './memory-mirror';

function mirrorOf(size: number) {
  const time = { now: 0 };
  return { time, mirror: new MemoryMirror(size, new ChangeClock(() => time.now)) };
}
const bytes = (length: number, value: number) => new Uint8Array(length).fill(value);

describe('what is known of a memory', () => {
  it('knows nothing before the first read, and that is not zero', () => {
    const { mirror } = mirrorOf(100);
    expect(mirror.byte(0)).toBeUndefined();
    expect(mirror.bytes({ offset: 0, length: 1 })).toBeUndefined();
    expect(mirror.unreadPart({ offset: 0, length: 100 })).toEqual({ offset: 0, length: 100 });
  });

  it('keeps reads across page borders, at the far end of a huge memory too', () => {
    const size = Number.MAX_SAFE_INTEGER;
    const { mirror } = mirrorOf(size);
    const offset = size - PAGE - 10;
    mirror.apply(offset, bytes(PAGE + 10, 7), 5);
    expect(mirror.byte(offset)).toBe(7);
    expect(mirror.byte(size - 1)).toBe(7);
    expect(mirror.byte(offset - 1)).toBeUndefined();
    expect(mirror.bytes({ offset, length: PAGE + 10 })).toEqual(bytes(PAGE + 10, 7));
  });

  it('counts and lists what changed', () => {
    const { mirror } = mirrorOf(3 * PAGE);
    mirror.apply(0, bytes(2 * PAGE, 1), 0);
    const next = bytes(2 * PAGE, 1);
    next.set([2, 2], PAGE - 1);
    next[5] = 9;
    expect(mirror.apply(0, next, 1)).toBe(3);
    const all = { offset: 0, length: 3 * PAGE };
    expect(mirror.countChanged(all)).toBe(3);
    expect(mirror.changedRuns(all, 1)).toEqual([
      { offset: 5, length: 1 },
      { offset: PAGE - 1, length: 2 },
    ]);
    expect(mirror.countChanged({ offset: 6, length: PAGE - 6 })).toBe(1);
  });

  it('cues go, what changed can still be listed', () => {
    const { mirror, time } = mirrorOf(PAGE);
    mirror.apply(0, bytes(8, 1), 0);
    mirror.apply(0, bytes(8, 2), 0);
    time.now = 2000;
    expect(mirror.countChanged({ offset: 0, length: 8 })).toBe(0);
    expect(mirror.changedRuns({ offset: 0, length: 8 }, 2)).toEqual([{ offset: 0, length: 8 }]);
  });

  it('asks for whole pages around what is unread, and stops at the end', () => {
    const { mirror } = mirrorOf(2 * PAGE + 100);
    mirror.apply(0, bytes(PAGE, 1), 0);
    expect(mirror.unreadPart({ offset: 10, length: 20 })).toBeUndefined();
    expect(mirror.unreadPart({ offset: 10, length: 2 * PAGE })).toEqual({ offset: PAGE, length: PAGE + 100 });
  });

  it('a failed read makes unreadable what was unread and spoils nothing', () => {
    const { mirror } = mirrorOf(PAGE);
    mirror.apply(0, bytes(10, 0), 0);
    mirror.fail({ offset: 0, length: 20 });
    const known = mirror.page(0)?.data.known;
    expect([known?.[9], known?.[10], known?.[19], known?.[20]]).toEqual([READ, UNREADABLE, UNREADABLE, UNREAD]);
    expect(mirror.byte(15)).toBeUndefined();
  });

  it('forgets the pages that were used least lately', () => {
    const { mirror } = mirrorOf(PAGE * 1000);
    for (let i = 0; i < 1000; i++) {
      mirror.apply(i * PAGE, bytes(PAGE, 1), i);
      mirror.apply(0, bytes(1, 1), i);
    }
    expect(mirror.byte(0)).toBe(1);
    expect(mirror.byte(PAGE)).toBeUndefined();
    expect(mirror.byte(999 * PAGE)).toBe(1);
  });

  it('gives as many bytes as are known in a row', () => {
    const { mirror } = mirrorOf(PAGE);
    mirror.apply(0, bytes(6, 3), 0);
    expect(mirror.bytesFrom(2, 8)).toEqual(bytes(4, 3));
    expect(mirror.bytesFrom(6, 8)).toEqual(new Uint8Array(0));
  });
});
