import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DtypeId } from '#contract/dtypes';
import { fillBytes, planFill, RANDOM_PERIOD } from '#contract/fill-bytes';
import type { Fill } from '#contract/values';
import { STAGING_BYTES } from './staging';
import { hostHere, type TestHost } from './testing/test-host';

const MiB = 1024 * 1024;
let host: TestHost;
beforeAll(async () => {
  host = hostHere();
  expect((await host.init()).kind).toBe('ready');
});
afterAll(() => host.shutdown());

const expected = (fill: Fill, dtype: DtypeId, size: number) =>
  fillBytes(planFill(fill, dtype, { pid: process.pid, tick: 0, time: 0 }), size);

describe('creating', () => {
  it('gives an id, an address and a record that says everything', async () => {
    const made = await host.value('buffers.create', { device: 0, bytes: 4096, label: 'activations', dtype: 'f16' });
    expect(made.address).toMatch(/^0x[1-9a-f][0-9a-f]*$/);
    expect(host.record('allocations', made.id)).toMatchObject({
      id: made.id,
      peerId: 'p1',
      label: 'activations',
      dtype: 'f16',
      device: 0,
      bytes: 4096,
      address: made.address,
      blockBytes: 2 * MiB,
      state: 'live',
    });
  });

  it('names a buffer that has no label', async () => {
    const labels: string[] = [];
    for (let index = 0; index < 2; index++) {
      const { id } = await host.value('buffers.create', { device: 0, bytes: 1 });
      labels.push(host.record('allocations', id).label);
    }
    const [first, second] = labels.map((label) => Number(/^buffer (\d+)$/.exec(label)?.[1]));
    expect(second).toBe((first ?? 0) + 1);
  });

  it.each<[Fill, DtypeId, number]>([
    [{ pattern: 'zero' }, 'u8', 4096],
    [{ pattern: 'constant', value: 171 }, 'u8', 5000],
    [{ pattern: 'constant', value: -2 }, 'i16', 5001],
    [{ pattern: 'constant', value: 1.5 }, 'f32', 4099],
    [{ pattern: 'constant', value: 1.5 }, 'f64', 3 * MiB + 5],
    [{ pattern: 'ramp' }, 'u8', 700],
    [{ pattern: 'ramp', start: 3, step: 7 }, 'u16', MiB],
    [{ pattern: 'ramp', start: -1, step: 0.5 }, 'f32', STAGING_BYTES + 12],
    [{ pattern: 'ramp', step: 3 }, 'i64', 80_001],
    [{ pattern: 'random', seed: 9 }, 'bf16', 100_000],
    [{ pattern: 'text', text: 'from {pid}' }, 'u8', 64],
    [{ pattern: 'text', text: 'longer than the buffer' }, 'u8', 6],
    [{ pattern: 'text', text: 'x'.repeat(4096) }, 'u8', 10_000],
  ])('fills with %j of %s', async (fill, dtype, bytes) => {
    const { id } = await host.value('buffers.create', { device: 0, bytes, dtype, fill });
    expect(Buffer.compare(await host.read(id, 0, bytes), expected(fill, dtype, bytes))).toBe(0);
    await host.value('buffers.free', { id });
  });

  it('repeats a random fill on the device, to the last byte', async () => {
    const bytes = 2 * RANDOM_PERIOD + 12_345;
    const fill: Fill = { pattern: 'random', seed: 5 };
    const { id } = await host.value('buffers.create', { device: 0, bytes, fill });
    expect(Buffer.compare(await host.read(id, 0, bytes), expected(fill, 'u8', bytes))).toBe(0);
    await host.value('buffers.free', { id });
  });

  it('serves other calls while a large buffer is generated', async () => {
    const small = await host.value('buffers.create', { device: 0, bytes: 16 });
    const order: string[] = [];
    const large = host
      .value('buffers.create', { device: 0, bytes: 96 * MiB, dtype: 'f32', fill: { pattern: 'ramp' } })
      .then((made) => {
        order.push('created');
        return made;
      });
    await new Promise((resolve) => setTimeout(resolve, 1));
    await host.read(small.id, 0, 16).then(() => order.push('read'));
    const { id } = await large;
    expect(order).toEqual(['read', 'created']);
    const tail = await host.read(id, 96 * MiB - 4, 4);
    expect(new Float32Array(tail.buffer)[0]).toBe(Math.fround(24 * MiB - 1));
    await host.value('buffers.free', { id });
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])('refuses %s bytes', async (bytes) => {
    const before = host.table('allocations').length;
    const error = await host.error('buffers.create', { device: 0, bytes });
    expect(['invalid-argument', 'driver-error']).toContain(error.code);
    expect(host.table('allocations')).toHaveLength(before);
  });

  it('explains a size that the device does not have, and keeps nothing', async () => {
    const before = host.table('allocations').length;
    const [device] = await host.value('devices.list', {});
    const error = await host.error('buffers.create', { device: 0, bytes: (device?.totalBytes ?? 0) * 2 });
    expect(error).toMatchObject({
      code: 'driver-error',
      call: 'cuMemAlloc_v2',
      cuda: { result: 2, name: 'CUDA_ERROR_OUT_OF_MEMORY' },
      hint: expect.stringMatching(/free/),
    });
    expect(host.calls.findLast(({ name }) => name === 'cuMemAlloc_v2')).toMatchObject({ result: 2, hint: error.hint });
    expect(host.table('allocations')).toHaveLength(before);
  });
});

describe('reading and writing', () => {
  it('moves exactly the bytes asked for', async () => {
    const { id } = await host.value('buffers.create', { device: 0, bytes: 1000, fill: { pattern: 'ramp' } });
    await host.value('buffers.write', { id, offset: 10, bytes: Uint8Array.from([1, 2, 3]) });
    const read = await host.value('memory.read', { id, offset: 8, length: 7 });
    expect([...read.bytes]).toEqual([8, 9, 1, 2, 3, 13, 14]);
    expect(read.bytes.buffer.byteLength).toBe(7);
    expect(Math.abs(read.takenAt - Date.now())).toBeLessThan(5000);
  });

  it.each([1, 64 * 1024, STAGING_BYTES, STAGING_BYTES + 1, 20 * MiB])(
    'moves %d bytes there and back',
    async (bytes) => {
      const { id } = await host.value('buffers.create', { device: 0, bytes });
      const sent = expected({ pattern: 'random', seed: bytes }, 'u8', bytes);
      await host.value('buffers.write', { id, offset: 0, bytes: sent });
      expect(Buffer.compare(await host.read(id, 0, bytes), sent)).toBe(0);
      await host.value('buffers.free', { id });
    },
  );

  it.each<[number, number]>([
    [1000, 1],
    [999, 2],
    [0, 1001],
    [-1, 4],
    [0.5, 4],
    [Number.MAX_SAFE_INTEGER, 1],
    [0, Number.NaN],
  ])('refuses %d + %d in 1000 bytes, and changes nothing', async (offset, length) => {
    const { id } = await host.value('buffers.create', { device: 0, bytes: 1000, fill: { pattern: 'ramp' } });
    expect(await host.error('memory.read', { id, offset, length })).toMatchObject({ code: 'out-of-range' });
    if (length > 0) {
      const bytes = new Uint8Array(length);
      expect(await host.error('buffers.write', { id, offset, bytes })).toMatchObject({ code: 'out-of-range' });
    }
    expect(Buffer.compare(await host.read(id, 0, 1000), expected({ pattern: 'ramp' }, 'u8', 1000))).toBe(0);
    await host.value('buffers.free', { id });
  });

  it('tells an id that never was from an object that is closed', async () => {
    expect(await host.error('memory.read', { id: 'p1.a9999', offset: 0, length: 1 })).toMatchObject({
      code: 'not-found',
    });
    const { id } = await host.value('buffers.create', { device: 0, bytes: 16, label: 'short-lived' });
    await host.value('buffers.free', { id });
    const error = await host.error('memory.read', { id, offset: 0, length: 1 });
    expect(error).toMatchObject({ code: 'closed', message: 'short-lived was freed.' });
    for (const name of ['buffers.free', 'buffers.export', 'memory.attributes'] as const) {
      expect(await host.error(name, { id })).toMatchObject({ code: 'closed' });
    }
  });
});

describe('many buffers', () => {
  it('are forgotten when they ended long ago, never while they live', async () => {
    const kept = await host.value('buffers.create', { device: 0, bytes: 16 });
    const ended: string[] = [];
    for (let index = 0; index < 1100; index++) {
      const { id } = await host.value('buffers.create', { device: 0, bytes: 16 });
      await host.value('buffers.free', { id });
      ended.push(id);
    }
    const first = await host.error('buffers.free', { id: ended[0] as string });
    const last = await host.error('buffers.free', { id: ended.at(-1) as string });
    expect([first.code, last.code]).toEqual(['not-found', 'closed']);
    expect(await host.read(kept.id, 0, 16)).toHaveLength(16);
  });
});

describe('filling anew', () => {
  it('replaces every byte', async () => {
    const { id } = await host.value('buffers.create', { device: 0, bytes: 300, fill: { pattern: 'random' } });
    await host.value('buffers.fill', { id, fill: { pattern: 'text', text: 'short' } });
    expect(Buffer.compare(await host.read(id, 0, 300), expected({ pattern: 'text', text: 'short' }, 'u8', 300))).toBe(
      0,
    );
  });
});

describe('animation', () => {
  const textOf = async (id: string) =>
    Buffer.from(await host.read(id, 0, 32))
      .toString()
      .replace(/\0+$/, '');

  it('counts, shows in the ledger, and stops', async () => {
    const { id } = await host.value('buffers.create', { device: 0, bytes: 32 });
    await host.value('buffers.animate', { id, fill: { pattern: 'text', text: 'frame {n}' }, hz: 60 });
    expect(host.record('allocations', id).animated).toBe(60);
    const seen = new Set<number>();
    while (seen.size <= 5) {
      const text = await textOf(id);
      if (text !== '') seen.add(Number(/^frame (\d+)$/.exec(text)?.[1]));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect([...seen]).toEqual([...seen].sort((a, b) => a - b));
    await host.value('buffers.animate', { id, hz: 0 });
    expect(host.record('allocations', id).animated).toBeUndefined();
    const still = await textOf(id);
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(await textOf(id)).toBe(still);
  });

  it('ends with its buffer, and with a fill', async () => {
    const freed = await host.value('buffers.create', { device: 0, bytes: 32 });
    await host.value('buffers.animate', { id: freed.id, hz: 60 });
    await host.value('buffers.free', { id: freed.id });
    expect(host.record('allocations', freed.id)).toMatchObject({ state: 'freed', animated: undefined });

    const filled = await host.value('buffers.create', { device: 0, bytes: 32 });
    await host.value('buffers.animate', { id: filled.id, hz: 60 });
    await host.value('buffers.fill', { id: filled.id, fill: { pattern: 'constant', value: 7 } });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(new Set(await host.read(filled.id, 0, 32))).toEqual(new Set([7]));
    expect(host.record('allocations', filled.id).animated).toBeUndefined();
  });
});

describe('pointer attributes', () => {
  it('lists every one with its value or the reason', async () => {
    const { id, address } = await host.value('buffers.create', { device: 0, bytes: 4096 });
    const list = await host.value('memory.attributes', { id });
    const values = Object.fromEntries(list.map(({ name, value }) => [name, value]));
    expect(values).toMatchObject({
      MEMORY_TYPE: 'device',
      IS_MANAGED: 'no',
      IS_LEGACY_CUDA_IPC_CAPABLE: 'yes',
      RANGE_START_ADDR: address,
      RANGE_SIZE: '4096',
      MAPPING_SIZE: String(2 * MiB),
    });
    for (const { value, result } of list) expect(result === 'CUDA_SUCCESS').toBe(value !== null);
    expect(host.calls.findLast(({ name }) => name === 'cuPointerGetAttribute')?.args).toContain('21 attributes');
  });
});
