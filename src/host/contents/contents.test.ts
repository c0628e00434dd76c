import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillBytes, planFill } from '#contract/fill-bytes';
import type { Progress } from '#contract/host-protocol';
import { onRealDriver } from '../testing/driver';
import { hostHere, type TestHost } from '../testing/test-host';
import { BLOCK_BYTES } from './arena';

const MiB = 1024 * 1024;
const GiB = 1024 * MiB;
// A device with room for a sparse giant; read by cuInit.
process.env.GPU_IPC_SIM_MEMORY ??= '256GiB';
process.env.GPU_IPC_SIM_MACHINE ??= `contents-test-${process.pid}`;

let host: TestHost;
beforeAll(async () => {
  host = hostHere();
  expect((await host.init()).kind).toBe('ready');
});
afterAll(() => host.shutdown());

const buffer = async (bytes: number, more: object = {}): Promise<string> =>
  (await host.value('buffers.create', { device: 0, bytes, ...more })).id;
const progressOf = (job: string): Progress[] =>
  host.messages.flatMap((message) => (message.kind === 'progress' && message.job === job ? [message] : []));
const random = (bytes: number, seed: number) =>
  fillBytes(planFill({ pattern: 'random', seed }, 'u8', { pid: process.pid, tick: 0, time: 0 }), bytes);

/** Reads all of an id in reads of at most 64 MiB. */
async function all(id: string, bytes: number): Promise<Uint8Array> {
  const whole = new Uint8Array(bytes);
  for (let at = 0; at < bytes; at += 64 * MiB) {
    whole.set(await host.read(id, at, Math.min(64 * MiB, bytes - at)), at);
  }
  return whole;
}

describe('snapshots', () => {
  it.each([
    ['a few bytes', 100],
    ['several blocks and a small rest', 2 * BLOCK_BYTES + 4096],
    ['several blocks and a large rest', BLOCK_BYTES + BLOCK_BYTES - 7],
    ['whole blocks', 3 * BLOCK_BYTES],
  ])('keep %s when the memory changes and goes', async (_, bytes) => {
    const id = await buffer(bytes, { label: 'activations', fill: { pattern: 'random', seed: 3 } });
    const made = await host.value('contents.snapshot', { id, name: 'before' });
    expect(made).toMatchObject({
      name: 'before',
      objectId: id,
      label: 'activations',
      offset: 0,
      bytes,
      where: 'memory',
    });
    expect(made.id).toMatch(/^p1\.s\d+$/);
    await host.value('buffers.fill', { id, fill: { pattern: 'zero' } });
    await host.value('buffers.free', { id });
    expect(Buffer.compare(await all(made.id, bytes), random(bytes, 3))).toBe(0);
    const listed = await host.value('contents.snapshots', {});
    expect(listed.snapshots).toContainEqual(made);
    expect(listed.memoryBytes).toBe(bytes);
    expect(listed.memoryLimit).toBeGreaterThan(bytes);
    await host.value('contents.drop', { id: made.id });
    expect(await host.value('contents.snapshots', {})).toMatchObject({ snapshots: [], memoryBytes: 0 });
    expect(await host.error('memory.read', { id: made.id, offset: 0, length: 1 })).toMatchObject({ code: 'not-found' });
    expect(await host.error('contents.drop', { id: made.id })).toMatchObject({ code: 'not-found' });
  });

  it('are of a range, and are read inside of it only', async () => {
    const id = await buffer(3 * MiB, { fill: { pattern: 'random', seed: 5 } });
    const made = await host.value('contents.snapshot', { id, name: 'middle', offset: MiB + 3, length: MiB });
    expect(made).toMatchObject({ offset: MiB + 3, bytes: MiB });
    const expected = random(3 * MiB, 5).subarray(MiB + 3, 2 * MiB + 3);
    expect(Buffer.compare(await host.read(made.id, 0, MiB), expected)).toBe(0);
    expect(await host.read(made.id, MiB - 2, 2)).toEqual(expected.subarray(-2));
    expect(await host.error('memory.read', { id: made.id, offset: MiB, length: 1 })).toMatchObject({
      code: 'out-of-range',
    });
    expect(await host.error('contents.snapshot', { id, name: 'x', offset: 3 * MiB })).toMatchObject({
      code: 'out-of-range',
    });
    expect(await host.error('contents.snapshot', { id, name: 'x', offset: 1, length: 3 * MiB })).toMatchObject({
      code: 'out-of-range',
      message: expect.stringContaining('do not lie inside'),
    });
    await host.value('contents.drop', { id: made.id });
  });

  it('are read across the border of two blocks, and reading leaves them as they are', async () => {
    const bytes = 2 * BLOCK_BYTES;
    const id = await buffer(bytes, { fill: { pattern: 'random', seed: 8 } });
    const made = await host.value('contents.snapshot', { id, name: 'border' });
    const expected = random(bytes, 8).subarray(BLOCK_BYTES - 5, BLOCK_BYTES + 5);
    for (let again = 0; again < 2; again++) {
      expect(await host.read(made.id, BLOCK_BYTES - 5, 10)).toEqual(expected);
    }
    await host.value('contents.drop', { id: made.id });
  });

  it('refuse memory that is not mapped, with its place', async () => {
    const granularity = (await host.value('virtual.granularity', { device: 0 })).minimum;
    const { id } = await host.value('virtual.reserve', { device: 0, bytes: 3 * granularity, label: 'sparse' });
    const physical = await host.value('virtual.create', { device: 0, bytes: granularity });
    await host.value('virtual.map', { id, physicalId: physical.id, offset: 0 });
    await host.value('virtual.access', { id, access: 'read-write' });
    const part = await host.value('contents.snapshot', { id, name: 'mapped', length: granularity });
    expect(part.bytes).toBe(granularity);
    for (const name of ['contents.snapshot', 'contents.statistics'] as const) {
      const args = { id, name: 'all', dtype: 'u8' as const };
      const { name: snapshotName, ...without } = args;
      const error =
        name === 'contents.snapshot'
          ? await host.error(name, { id, name: snapshotName })
          : await host.error(name, { id, dtype: without.dtype });
      expect(error).toMatchObject({
        code: 'out-of-range',
        message: expect.stringMatching(/of sparse .*nothing is mapped/),
      });
    }
    await host.value('contents.drop', { id: part.id });
    await host.value('virtual.unmap', { id });
    await host.value('buffers.free', { id });
    await host.value('virtual.release', { id: physical.id });
  });
});

describe('the log of calls', () => {
  it('has a few records for a snapshot, however many pieces it has', async () => {
    const id = await buffer(20 * BLOCK_BYTES);
    const before = host.calls.length;
    const made = await host.value('contents.snapshot', { id, name: 'logged' });
    await host.value('contents.drop', { id: made.id });
    await host.value('buffers.free', { id });
    const kinds = new Set(host.calls.slice(before).map(({ name, args, result }) => `${name} ${args} ${result}`));
    expect(kinds.size).toBeLessThan(12);
    const copies = host.calls.slice(before).filter(({ name }) => name === 'cuMemcpyDtoHAsync_v2');
    expect(copies.reduce((sum, { count }) => sum + count, 0)).toBe(20);
    // Main folds equal ones that come in several messages.
    expect(copies.length).toBeLessThan(15);
  });
});

describe('work that takes time', () => {
  const bytes = 1 * GiB;

  it('is told of, cancelled by its name, and leaves nothing', async () => {
    const id = await buffer(bytes);
    const asked = host.call('contents.snapshot', { id, name: 'long', job: 'snap-1' });
    await host.value('contents.endJob', { job: 'snap-1' });
    expect(await asked).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect((await host.value('contents.snapshots', {})).memoryBytes).toBe(0);
    // A name that nobody has is no error.
    await host.value('contents.endJob', { job: 'snap-1' });
    const made = await host.value('contents.snapshot', { id, name: 'whole', job: 'snap-2' });
    const told = progressOf('snap-2');
    if (!onRealDriver) expect(told.length).toBeGreaterThan(0);
    for (const [index, { done, total }] of told.entries()) {
      expect(total).toBe(bytes);
      expect(done).toBeGreaterThan(told[index - 1]?.done ?? 0);
      expect(done).toBeLessThanOrEqual(bytes);
    }
    await host.value('contents.drop', { id: made.id });
    await host.value('buffers.free', { id });
  });

  it('is ended by a second one of the same name', async () => {
    const id = await buffer(bytes);
    const first = host.call('contents.snapshot', { id, name: 'first', job: 'same' });
    const second = host.call('contents.snapshot', { id, name: 'second', length: MiB, job: 'same' });
    expect(await first).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(await second).toMatchObject({ ok: true, value: { name: 'second', bytes: MiB } });
    for (const made of (await host.value('contents.snapshots', {})).snapshots)
      await host.value('contents.drop', { id: made.id });
    await host.value('buffers.free', { id });
  });

  it('ends as closed when its memory is freed under it, and only then is it freed', async () => {
    const id = await buffer(bytes, { label: 'short-lived' });
    const asked = host.call('contents.snapshot', { id, name: 'late' });
    const freed = host.call('buffers.free', { id });
    expect(await asked).toMatchObject({ ok: false, error: { code: 'closed', message: 'short-lived was freed.' } });
    expect(await freed).toEqual({ ok: true, value: undefined });
    expect(host.record('allocations', id).state).toBe('freed');
    expect((await host.value('contents.snapshots', {})).snapshots).toEqual([]);
  });

  it('ends as closed before its memory is unmapped, or may not be read any more', async () => {
    for (const take of ['virtual.unmap', 'virtual.access'] as const) {
      const { id } = await host.value('buffers.create', { device: 0, bytes, memory: 'virtual', label: 'pieces' });
      const asked = host.call('contents.snapshot', { id, name: 'late' });
      const counted = host.call('contents.statistics', { id, dtype: 'u8' });
      const taken = take === 'virtual.unmap' ? host.call(take, { id }) : host.call(take, { id, access: 'none' });
      for (const job of [asked, counted]) {
        expect(await job).toMatchObject({
          ok: false,
          error: { code: 'closed', message: expect.stringContaining('pieces') },
        });
      }
      expect(await taken).toEqual({ ok: true, value: undefined });
      expect(await host.error('contents.snapshot', { id, name: 'later' })).toMatchObject({ code: 'out-of-range' });
      await host.value('buffers.free', { id });
    }
  });

  it('lets reads through meanwhile', async () => {
    const [id, other] = [await buffer(bytes), await buffer(4096, { fill: { pattern: 'constant', value: 9 } })];
    let over = false;
    const asked = host.value('contents.snapshot', { id, name: 'busy' }).finally(() => {
      over = true;
    });
    let reads = 0;
    while (!over) {
      expect((await host.read(other, 0, 16)).every((byte) => byte === 9)).toBe(true);
      reads += 1;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    const made = await asked;
    // One that waits for the snapshot would be the only one. How long one takes is measured by the benchmark.
    expect(reads).toBeGreaterThan(onRealDriver ? 0 : 3);
    await host.value('contents.drop', { id: made.id });
    await host.value('buffers.free', { id });
    await host.value('buffers.free', { id: other });
  });
});

describe('the end of the host', () => {
  it('ends what runs, and takes the snapshots with it', async () => {
    const other = hostHere('p3');
    await other.init();
    const { id } = await other.value('buffers.create', { device: 0, bytes: GiB });
    await other.value('contents.snapshot', { id, name: 'kept', length: BLOCK_BYTES });
    const asked = other.call('contents.snapshot', { id, name: 'late' });
    await other.shutdown();
    expect(await asked).toMatchObject({ ok: false, error: { code: 'host-lost' } });
    expect(other.record('allocations', id).state).toBe('freed');
    expect(other.calls.filter(({ result, name }) => result !== 0 && name !== 'cuEventQuery')).toEqual([]);
  });
});

describe('comparing', () => {
  it('finds what a snapshot and its memory differ in', async () => {
    const bytes = BLOCK_BYTES + 1000;
    const id = await buffer(bytes, { fill: { pattern: 'random', seed: 4 } });
    const made = await host.value('contents.snapshot', { id, name: 'before' });
    const same = await host.value('contents.compareHere', { a: made.id, b: id });
    expect(same).toMatchObject({
      equal: true,
      differing: 0,
      first: null,
      ranges: [],
      more: false,
      bytes,
      unmatchedBytes: 0,
    });
    const patch = (await host.read(id, BLOCK_BYTES - 2, 4)).map((byte) => byte ^ 0xff);
    await host.value('buffers.write', { id, offset: BLOCK_BYTES - 2, bytes: patch });
    expect(await host.value('contents.compareHere', { a: made.id, b: id })).toMatchObject({
      equal: false,
      differing: 4,
      first: BLOCK_BYTES - 2,
      ranges: [{ offset: BLOCK_BYTES - 2, length: 4 }],
      bytes,
    });
    await host.value('contents.drop', { id: made.id });
  });

  it('compares memory with memory, by tolerance, and says what only one side has', async () => {
    const a = await buffer(4096, { dtype: 'f32', fill: { pattern: 'ramp', start: 1, step: 1 } });
    const b = await buffer(8192, { dtype: 'f32', fill: { pattern: 'ramp', start: 1.25, step: 1 } });
    const strict = await host.value('contents.compareHere', { a, b, dtype: 'f32' });
    expect(strict).toMatchObject({
      equal: false,
      differing: 1024,
      first: 0,
      ranges: [{ offset: 0, length: 4096 }],
      bytes: 4096,
      unmatchedBytes: 4096,
    });
    const near = await host.value('contents.compareHere', { a, b, dtype: 'f32', tolerance: 0.25, length: 4096 });
    expect(near).toMatchObject({ equal: true, differing: 0, unmatchedBytes: 0 });
    const relative = { a, b, dtype: 'f32', tolerance: { relative: 0.25 / 100.25 }, length: 4096 } as const;
    // 0.25 is at most that part of b from b = 100.25 on.
    expect((await host.value('contents.compareHere', relative)).differing).toBe(99);
    const rest = await host.value('contents.compareHere', {
      a,
      b,
      dtype: 'f32',
      tolerance: 0.25,
      length: 4095,
      aOffset: 1,
      bOffset: 1,
    });
    expect(rest.bytes).toBe(4095);
  });

  it('is out of range when either side is too short for a length', async () => {
    const [a, b] = [await buffer(100), await buffer(50)];
    expect(await host.error('contents.compareHere', { a, b, length: 60 })).toMatchObject({ code: 'out-of-range' });
    expect(await host.error('contents.compareHere', { a, b: 'p1.s999' })).toMatchObject({ code: 'not-found' });
  });
});

describe('answers about whole memory', () => {
  it('are those of a fill, for a range of any alignment', async () => {
    const id = await buffer(4 * MiB, { dtype: 'f32', fill: { pattern: 'ramp', start: -100, step: 1 } });
    const whole = await host.value('contents.statistics', { id, dtype: 'f32' });
    expect(whole).toMatchObject({ count: MiB, min: -100, max: MiB - 101, zeros: 1, negatives: 100, bytes: 4 * MiB });
    expect(whole.histogram.counts.reduce((sum, one) => sum + one, 0)).toBe(MiB);
    expect(whole.tookMs).toBeGreaterThan(0);
    const part = await host.value('contents.statistics', { id, dtype: 'f32', offset: 400, length: 400, bins: 0 });
    expect(part).toMatchObject({ count: 100, min: 0, max: 99, zeros: 1, negatives: 0, bytes: 400 });
    expect(part.histogram).toEqual({ edges: [], counts: [] });
    const shifted = await host.value('contents.statistics', { id, dtype: 'f32', offset: 1, length: 401 });
    expect(shifted).toMatchObject({ count: 100, bytes: 401 });
    const { slices } = await host.value('contents.summary', { id, dtype: 'f32', offset: 400, slices: 4 });
    expect(slices[0]).toMatchObject({ offset: 400, min: 0, zeros: 1 });
    expect(slices.reduce((sum, { count }) => sum + count, 0)).toBe(MiB - 100);
  });

  it('say integers that a number cannot hold as text', async () => {
    const id = await buffer(16, { dtype: 'u64' });
    const values = BigUint64Array.of(2n ** 53n + 1n, 5n);
    await host.value('buffers.write', { id, offset: 0, bytes: new Uint8Array(values.buffer) });
    const { min, max } = await host.value('contents.statistics', { id, dtype: 'u64' });
    expect([min, max]).toEqual([5, '9007199254740993']);
    const found = await host.value('contents.search', { id, query: { dtype: 'u64', value: '9007199254740993' } });
    expect(found).toMatchObject({ hits: [0], done: true });
  });

  it('of a search are offsets in the memory, whole values counted from where it begins', async () => {
    const id = await buffer(1024, { fill: { pattern: 'zero' } });
    for (const offset of [5, 16, 101]) {
      await host.value('buffers.write', { id, offset, bytes: Uint8Array.of(0xde, 0xad, 0xbe, 0xef) });
    }
    const search = async (more: object) =>
      (await host.value('contents.search', { id, query: { bytes: 'de ad ?? ef' }, ...more } as never)).hits;
    expect(await search({})).toEqual([5, 16, 101]);
    expect(await search({ from: 6 })).toEqual([16, 101]);
    expect(await search({ to: 104 })).toEqual([5, 16]);
    expect(await search({ limit: 2, backwards: true })).toEqual([16, 101]);
    const value = { dtype: 'u32', value: 0xefbeadde } as const;
    expect(await search({ query: value })).toEqual([16]);
    expect(await search({ query: value, from: 1 })).toEqual([5, 101]);
    expect(await host.error('contents.search', { id, query: value, to: 1025 })).toMatchObject({ code: 'out-of-range' });
    expect(await host.value('contents.search', { id, query: value, from: 8, to: 8 })).toMatchObject({ hits: [] });
  });

  it('end as closed when the memory is freed under them', async () => {
    const id = await buffer(4 * GiB, { label: 'gone' });
    const asked = host.call('contents.statistics', { id, dtype: 'f32', job: 'numbers' });
    const freed = host.call('buffers.free', { id });
    expect(await asked).toMatchObject({ ok: false, error: { code: 'closed', message: 'gone was freed.' } });
    expect(await freed).toEqual({ ok: true, value: undefined });
  });

  it('of a snapshot are those of the memory that it was taken of, but for summaries', async () => {
    const bytes = BLOCK_BYTES + 4099;
    const id = await buffer(bytes, { fill: { pattern: 'random', seed: 11 } });
    const whole = await host.value('contents.snapshot', { id, name: 'whole' });
    const part = await host.value('contents.snapshot', { id, name: 'part', offset: 1003, length: 200_001 });
    for (const dtype of ['f32', 'u8'] as const) {
      const there = await host.value('contents.statistics', { id, dtype });
      const here = await host.value('contents.statistics', { id: whole.id, dtype });
      const exact = ({ mean: _m, std: _s, tookMs: _t, takenAt: _a, ...rest }: typeof there) => rest;
      expect(exact(here)).toEqual(exact(there));
      // Sums in another order.
      expect(Math.abs((here.mean ?? 0) - (there.mean ?? 1))).toBeLessThan(1e-12 * (there.std ?? 0));
    }
    const inner = { offset: 16, length: 1000 };
    expect((await host.value('contents.statistics', { id: part.id, dtype: 'u16', ...inner })).checksum).toBe(
      (await host.value('contents.statistics', { id, dtype: 'u16', offset: 1019, length: 1000 })).checksum,
    );
    // Across the border of two blocks, and of the first and the last hits.
    const across = random(bytes, 11).subarray(BLOCK_BYTES - 2, BLOCK_BYTES + 3);
    const pattern = Buffer.from(across).toString('hex');
    for (const query of [
      { bytes: pattern },
      { bytes: 'a1 ?? 7f' },
      { dtype: 'f32', is: 'nan' },
      { dtype: 'u16', value: 4660, byteOrder: 'big' },
      { dtype: 'i64', min: 0, max: '1152921504606846976' },
    ] as const) {
      for (const more of [{ limit: 20 }, { limit: 20, backwards: true }, { from: 5, to: 90_001 }]) {
        const there = await host.value('contents.search', { id, query, ...more });
        const here = await host.value('contents.search', { id: whole.id, query, ...more });
        expect(here).toMatchObject({ hits: there.hits, done: there.done });
      }
    }
    expect((await host.value('contents.search', { id: whole.id, query: { bytes: pattern } })).hits).toContain(
      BLOCK_BYTES - 2,
    );
    await host.value('buffers.free', { id });
    expect((await host.value('contents.statistics', { id: whole.id, dtype: 'u8' })).count).toBe(bytes);
    expect(await host.error('contents.summary', { id: whole.id, dtype: 'u8', slices: 4 })).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('snapshot'),
      hint: expect.stringContaining('statistics'),
    });
    expect(await host.error('contents.search', { id: whole.id, query: { bytes: '00' }, to: bytes + 1 })).toMatchObject({
      code: 'out-of-range',
    });
    for (const made of [whole, part]) await host.value('contents.drop', { id: made.id });
    expect(await host.error('contents.search', { id: whole.id, query: { bytes: '00' } })).toMatchObject({
      code: 'not-found',
    });
    expect(await host.error('contents.statistics', { id: whole.id, dtype: 'u8' })).toMatchObject({ code: 'not-found' });
  });

  it('of a large snapshot are told of, cancelled, and over when it is dropped', async () => {
    const id = await buffer(8 * BLOCK_BYTES);
    const { id: made } = await host.value('contents.snapshot', { id, name: 'large' });
    const query = { dtype: 'f32', min: 5, max: 6 } as const;
    const calls = [
      (job: string) => host.call('contents.statistics', { id: made, dtype: 'f64', job }),
      (job: string) => host.call('contents.search', { id: made, query, job }),
    ];
    for (const [index, call] of calls.entries()) {
      const job = `of a snapshot ${index}`;
      const asked = call(job);
      await host.value('contents.endJob', { job });
      expect(await asked).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    }
    await host.value('contents.statistics', { id: made, dtype: 'f64', job: 'all of it' });
    expect(progressOf('all of it').at(-1)).toMatchObject({ total: 8 * BLOCK_BYTES });
    const asked = host.call('contents.statistics', { id: made, dtype: 'f64' });
    await host.value('contents.drop', { id: made });
    expect(await asked).toMatchObject({ ok: false, error: { code: 'closed' } });
  });

  it('of a search for big-endian values are places of whole values, also where the CPU has to look', async () => {
    const bytes = BLOCK_BYTES + 64;
    const id = await buffer(bytes, { fill: { pattern: 'zero' } });
    const put = async (offset: number, value: number): Promise<void> => {
      const one = new Uint8Array(4);
      new DataView(one.buffer).setFloat32(0, value);
      await host.value('buffers.write', { id, offset, bytes: one });
    };
    for (const [offset, value] of [
      [8, 1.5],
      [21, 1.5],
      [BLOCK_BYTES - 4, 2.5],
      [BLOCK_BYTES, Number.NaN],
      [BLOCK_BYTES + 60, 1.5],
    ] as const) {
      await put(offset, value);
    }
    const search = async (query: object, more: object = {}) => {
      const asked = { dtype: 'f32', byteOrder: 'big', ...query } as never;
      const { hits, done } = await host.value('contents.search', { id, query: asked, ...more });
      return [hits, done];
    };
    expect(await search({ value: 1.5 })).toEqual([[8, BLOCK_BYTES + 60], true]);
    expect(await search({ value: 1.5 }, { from: 1 })).toEqual([[21], true]);
    expect(await search({ min: 1, max: 2.5 })).toEqual([[8, BLOCK_BYTES - 4, BLOCK_BYTES + 60], true]);
    expect(await search({ min: 1, max: 2.5 }, { limit: 2 })).toEqual([[8, BLOCK_BYTES - 4], false]);
    expect(await search({ min: 1, max: 2.5 }, { limit: 1, backwards: true })).toEqual([[BLOCK_BYTES + 60], false]);
    expect(await search({ is: 'nan' })).toEqual([[BLOCK_BYTES], true]);
    expect(await search({ min: 1, max: 2, dtype: 'u8' }, { limit: 1 })).toEqual([[], true]);
    const asked = host.call('contents.search', { id, query: { dtype: 'f32', byteOrder: 'big', min: 3, max: 4 } });
    const freed = host.call('buffers.free', { id });
    expect(await asked).toMatchObject({ ok: false, error: { code: 'closed' } });
    expect((await freed).ok).toBe(true);
  });
});

describe('decoding', () => {
  it('answers named values, and line and column of what is wrong', async () => {
    const id = await buffer(64);
    await host.value('buffers.write', { id, offset: 8, bytes: Uint8Array.of(1, 0, 0, 0, 0, 0, 0x80, 0x3f) });
    const format = 'struct Head { u32 version; f32 scale; };\nHead head;';
    const { root, bytes } = await host.value('contents.decode', { id, offset: 8, format });
    expect(bytes).toBe(8);
    const values = JSON.stringify(root);
    expect(values).toContain('"version"');
    expect(values).toMatch(/"name":"scale"[^{}]*"offset":12[^{}]*"value":"1"/);
    const made = await host.value('contents.snapshot', { id, name: 'decoded' });
    expect((await host.value('contents.decode', { id: made.id, offset: 8, format })).root).toEqual(root);
    expect(
      await host.error('contents.decode', { id, format: 'struct Head {\n  nothing version; };\nHead head;' }),
    ).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/^format 2:\d+: /),
    });
    expect(await host.error('contents.decode', { id, offset: 64, format })).toMatchObject({ code: 'out-of-range' });
  });

  it('follows records of which each says how long it is', async () => {
    const id = await buffer(64 * 1024);
    // 300 records: a length of 100, then as many bytes.
    const bytes = new Uint8Array(300 * 102);
    for (let i = 0; i < 300; i++) bytes[i * 102] = 100;
    await host.value('buffers.write', { id, offset: 0, bytes });
    const format = 'struct Entry { u16 length; u8 bytes[length]; };\nstruct All { Entry entries[300]; u16 end; };';
    const { root } = await host.value('contents.decode', { id, format });
    expect(root.children?.[0]).toMatchObject({ name: 'entries', count: 300, bytes: 300 * 102 });
    expect(root.children?.[1]).toMatchObject({ name: 'end', offset: 300 * 102, value: '0' });
  });
});

describe.skipIf(onRealDriver)('a giant', () => {
  it('of 100 GiB is read at its end, and a part of it is kept', async () => {
    const bytes = 100 * GiB;
    const id = await buffer(bytes, { label: 'giant' });
    await host.value('buffers.write', { id, offset: bytes - 1, bytes: Uint8Array.of(0x5a) });
    expect(await host.read(id, bytes - 1, 1)).toEqual(Uint8Array.of(0x5a));
    const made = await host.value('contents.snapshot', { id, name: 'end', offset: bytes - MiB });
    expect(made).toMatchObject({ offset: bytes - MiB, bytes: MiB });
    expect((await host.read(made.id, MiB - 1, 1))[0]).toBe(0x5a);
    const other = await buffer(MiB);
    expect(await host.value('contents.compareHere', { a: id, aOffset: bytes - MiB, b: other })).toMatchObject({
      differing: 1,
      first: MiB - 1,
    });
    await host.value('buffers.free', { id });
  });
});

describe.runIf(process.platform === 'linux')('snapshots in files', () => {
  const MOST = BLOCK_BYTES;
  let small: TestHost;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-contents-'));
    small = hostHere('p2');
    await small.init({ snapshotMemory: MOST, scratchFolder: join(folder, 'scratch') });
  });
  afterAll(async () => {
    await small.shutdown();
    expect(files()).toEqual([]);
    rmSync(folder, { recursive: true });
  });

  /** Files of snapshots that this process has open. */
  const files = () =>
    readdirSync('/proc/self/fd').flatMap((fd) => {
      try {
        const path = readlinkSync(`/proc/self/fd/${fd}`);
        return path.startsWith(folder) ? [path] : [];
      } catch {
        return [];
      }
    });

  it('hold the same bytes, have no name, and go when they are dropped', async () => {
    const bytes = 2 * BLOCK_BYTES + 12_345;
    const { id } = await small.value('buffers.create', { device: 0, bytes, fill: { pattern: 'random', seed: 6 } });
    const inMemory = await small.value('contents.snapshot', { id, name: 'fits', length: MOST });
    const made = await small.value('contents.snapshot', { id, name: 'large' });
    expect([inMemory.where, made.where]).toEqual(['memory', 'file']);
    expect(await small.value('contents.snapshots', {})).toMatchObject({ memoryBytes: MOST, memoryLimit: MOST });
    expect(files()).toHaveLength(1);
    expect(readdirSync(join(folder, 'scratch'))).toEqual([]);
    const expected = random(bytes, 6);
    for (const [offset, length] of [
      [0, 16],
      [BLOCK_BYTES - 3, 5 * MiB],
      [bytes - 7, 7],
    ] as const) {
      const read = await small.read(made.id, offset, length);
      expect(Buffer.compare(read, expected.subarray(offset, offset + length))).toBe(0);
    }
    await small.value('buffers.write', { id, offset: bytes - 1, bytes: Uint8Array.of((expected[bytes - 1] ?? 0) ^ 1) });
    expect(await small.value('contents.compareHere', { a: id, b: made.id })).toMatchObject({
      differing: 1,
      first: bytes - 1,
    });
    expect((await small.value('contents.compareHere', { a: inMemory.id, b: made.id, length: MOST })).equal).toBe(true);
    // Dropped while it is read: the file goes when the read is done.
    const reading = small.read(made.id, 3, 40 * MiB);
    await small.value('contents.drop', { id: made.id });
    expect(Buffer.compare(await reading, expected.subarray(3, 40 * MiB + 3))).toBe(0);
    expect(files()).toEqual([]);
  });

  it('leave nothing when they are cancelled', async () => {
    const { id } = await small.value('buffers.create', { device: 0, bytes: 8 * BLOCK_BYTES });
    const asked = small.call('contents.snapshot', { id, name: 'large', job: 'file' });
    await small.value('contents.endJob', { job: 'file' });
    expect(await asked).toMatchObject({ ok: false, error: { code: 'cancelled' } });
    expect(files()).toEqual([]);
  });
});
