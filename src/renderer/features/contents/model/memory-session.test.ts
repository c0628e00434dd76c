import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ByteRange } from '#contract/ranges';
import { fail, type IpcError, ok, type Result } from '#contract/result';
import { windowAround } from './live-memory';
import { PAGE } from './memory-mirror';
import { MemorySession } from './memory-session';

/** A memory of this process that the tests can change, break and watch. */
function setup(size = 4 * PAGE, importedFrom?: string) {
  const memory = new Uint8Array(size);
  const state = { error: undefined as IpcError | undefined, reads: [] as ByteRange[], writes: [] as number[] };
  const session = new MemorySession(
    { id: 'p0.a1', bytes: size, address: '0x7f0000000000', dtype: 'f32', importedFrom },
    {
      read: async (_, range): Promise<Result<{ bytes: Uint8Array; takenAt: number }>> => {
        state.reads.push(range);
        await new Promise((resolve) => setTimeout(resolve, 2));
        if (state.error) return fail(state.error);
        return ok({ bytes: memory.slice(range.offset, range.offset + range.length), takenAt: Date.now() });
      },
      write: async (_, offset, bytes) => {
        if (state.error) return fail(state.error);
        state.writes.push(offset);
        memory.set(bytes, offset);
        return ok(undefined);
      },
    },
  );
  return { memory, state, session };
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

describe('what a session begins with', () => {
  it('is the type and the byte order that were said of the memory', () => {
    const memory = { id: 'p1.m1', bytes: 64, address: '0x7f0000000000', importedFrom: 'trainer' };
    const calls = { read: vi.fn(), write: vi.fn() };
    const data = { dtype: 'f16', byteOrder: 'big' } as const;
    expect(new MemorySession({ ...memory, dtype: 'f16', data }, calls)).toMatchObject({ dtype: 'f16', order: 'big' });
    expect(new MemorySession({ ...memory, dtype: undefined }, calls)).toMatchObject({ dtype: 'u8', order: 'little' });
  });
});

describe('reading', () => {
  it('reads whole pages around what is in sight, and no more', () => {
    expect(windowAround({ offset: 0, length: 640 }, 10 * PAGE)).toEqual({ offset: 0, length: PAGE });
    expect(windowAround({ offset: 2 * PAGE, length: 640 }, 10 * PAGE)).toEqual({ offset: PAGE, length: 2 * PAGE });
    expect(windowAround({ offset: 2 * PAGE - 100, length: 640 }, 2 * PAGE + 7)).toEqual({
      offset: PAGE,
      length: PAGE + 7,
    });
  });

  it('reads nothing before it is looked at, then at its rate, and nothing any more when nobody looks', async () => {
    const { session, state } = setup();
    session.setHz(10);
    await pass(1000);
    expect(state.reads).toEqual([]);
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(1000);
    expect(state.reads.length).toBeGreaterThanOrEqual(10);
    expect(state.reads.length).toBeLessThanOrEqual(12);
    session.sleep();
    await pass(10);
    const { length } = state.reads;
    await pass(5000);
    expect(state.reads.length).toBe(length);
  });

  it('marks what changed and counts it', async () => {
    const { session, memory } = setup();
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    expect(session.changedCount).toBe(0);
    expect(session.hasChanges).toBe(false);
    memory.set([1, 2, 3], 100);
    await pass(150);
    expect(session.changedCount).toBe(3);
    session.goToChange(1);
    expect(session.cursor.cursor).toBe(100);
    await pass(3000);
    expect(session.changedCount).toBe(0);
    expect(session.hasChanges).toBe(true);
  });

  it('goes through several changes in both directions, round the ends', async () => {
    const { session, memory } = setup();
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    for (const at of [10, 300, 301, 600]) memory[at] = 1;
    await pass(110);
    const way = (direction: 1 | -1) => {
      session.goToChange(direction);
      return session.cursor.cursor;
    };
    expect([way(1), way(1), way(1), way(1)]).toEqual([10, 300, 600, 10]);
    expect([way(-1), way(-1)]).toEqual([600, 300]);
  });

  it('paused, shows what was read; a step shows exactly what changed since', async () => {
    const { session, memory, state } = setup();
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    memory[5] = 1;
    await pass(150);
    session.pause();
    await pass(10);
    const { length } = state.reads;
    memory[6] = 2;
    await pass(5000);
    expect(state.reads.length).toBe(length);
    expect(session.mirror.byte(6)).toBe(0);
    expect(session.changedCount).toBe(1);
    session.step();
    await pass(10);
    expect(session.mirror.byte(6)).toBe(2);
    expect(session.mirror.changedRuns({ offset: 0, length: 64 }, session.clock.firstActive())).toEqual([
      { offset: 6, length: 1 },
    ]);
    session.follow();
    memory[7] = 3;
    await pass(150);
    expect(session.mirror.byte(7)).toBe(3);
  });

  it('paused, still reads what comes into sight for the first time, once', async () => {
    const { session, state } = setup(100 * PAGE);
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    session.pause();
    await pass(10);
    const { length } = state.reads;
    session.setVisible({ offset: 50 * PAGE, length: 640 });
    await pass(3000);
    expect(state.reads.slice(length)).toEqual([{ offset: 50 * PAGE, length: PAGE }]);
    session.setVisible({ offset: 0, length: 640 });
    await pass(3000);
    expect(state.reads.length).toBe(length + 1);
  });
});

describe('when reading fails', () => {
  it('keeps old bytes, says why, and tries again', async () => {
    const { session, memory, state } = setup();
    memory[0] = 9;
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    state.error = { code: 'driver-error', message: 'The driver said no.' };
    await pass(300);
    expect(session.error?.message).toBe('The driver said no.');
    expect(session.mirror.byte(0)).toBe(9);
    await pass(2000);
    expect(session.stale).toBe(true);
    expect(session.isStale(0)).toBe(true);
    state.error = undefined;
    await pass(3000);
    expect(session.error).toBeUndefined();
    expect(session.stale).toBe(false);
  });

  it('makes bytes that were never read unreadable', async () => {
    const { session, state } = setup();
    state.error = { code: 'driver-error', message: 'no' };
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    expect(session.mirror.page(0)?.data.known[0]).toBe(2);
    expect(session.hasBytes).toBe(false);
  });

  it('is stale at once when the memory is closed, and the end keeps the bytes', async () => {
    const { session, memory, state } = setup();
    memory[0] = 9;
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    state.error = { code: 'closed', message: 'closed' };
    await pass(150);
    expect(session.isStale(0)).toBe(true);
    const { length } = state.reads;
    await pass(5000);
    expect(state.reads.length).toBe(length);
    session.end();
    expect([session.ended, session.mirror.byte(0)]).toEqual([true, 9]);
    session.wake();
    await pass(1000);
    expect(state.reads.length).toBe(length);
  });
});

describe('places and edits', () => {
  it('jumps go into the history, steps do not', () => {
    const { session } = setup();
    session.goTo(100);
    session.setCursor({ cursor: 105, anchor: 105 });
    session.goTo(200);
    session.goBack();
    expect(session.cursor.cursor).toBe(105);
    session.goBack();
    expect(session.cursor.cursor).toBe(0);
    session.goForward();
    expect(session.cursor.cursor).toBe(105);
  });

  it('writes runs, shows them as read, and can be taken back by writing', async () => {
    const { session, memory, state } = setup();
    memory.set([1, 2, 3, 4]);
    session.wake();
    session.setVisible({ offset: 0, length: 640 });
    await pass(150);
    session.edit(1, Uint8Array.of(0xaa, 0xbb));
    session.edit(100, Uint8Array.of(0xcc));
    const writing = session.writeEdits();
    await pass(10);
    expect(await writing).toBeUndefined();
    expect(state.writes).toEqual([1, 100]);
    expect([...memory.slice(0, 4)]).toEqual([1, 0xaa, 0xbb, 4]);
    expect(session.edits.count).toBe(0);
    expect(session.mirror.byte(1)).toBe(0xaa);
    session.undo();
    session.undo();
    const again = session.writeEdits();
    await pass(10);
    await again;
    expect([...memory.slice(0, 4)]).toEqual([1, 2, 3, 4]);
  });

  it('what is written where nobody has looked can be put back, too', async () => {
    const { session, memory } = setup();
    memory.set([7, 8], 3 * PAGE);
    session.edit(3 * PAGE, Uint8Array.of(0xaa, 0xbb));
    const writing = session.writeEdits();
    await pass(10);
    expect(await writing).toBeUndefined();
    expect(memory[3 * PAGE]).toBe(0xaa);
    session.undo();
    expect([session.edits.at(3 * PAGE), session.edits.at(3 * PAGE + 1)]).toEqual([7, 8]);
  });

  it('a failed write keeps what waits', async () => {
    const { session, state } = setup();
    session.edit(1, Uint8Array.of(0xaa));
    state.error = { code: 'closed', message: 'closed' };
    const writing = session.writeEdits();
    await pass(10);
    expect(await writing).toMatchObject({ code: 'closed' });
    expect(session.edits.at(1)).toBe(0xaa);
  });

  it('never edits past the end', () => {
    const { session } = setup(10);
    session.edit(9, Uint8Array.of(1, 2, 3));
    expect(session.edits.runs()).toEqual([{ offset: 9, length: 1, bytes: Uint8Array.of(1) }]);
  });

  it('memory of others asks before the first write, own memory does not', () => {
    expect(setup().session.writesConfirmed).toBe(true);
    const { session } = setup(PAGE, 'Producer 1');
    expect(session.writesConfirmed).toBe(false);
    session.confirmWrites();
    expect(session.writesConfirmed).toBe(true);
  });
});
