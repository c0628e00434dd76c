import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hostHere, type TestHost } from './testing/test-host';

let host: TestHost;
beforeAll(async () => {
  host = hostHere('p1');
  expect((await host.init()).kind).toBe('ready');
});
afterAll(() => host.shutdown());

const BYTES = 300_000;

/** Each kind, the calls that make it and the one that frees it. */
const kinds = [
  ['managed', 'cuMemAllocManaged', 'cuMemFree_v2'],
  ['pinned', 'cuMemAllocHost_v2', 'cuMemFreeHost'],
  ['mapped', 'cuMemHostAlloc', 'cuMemFreeHost'],
  ['default-pool', 'cuMemAllocAsync', 'cuMemFreeAsync'],
] as const;

describe.each(kinds)('memory that is %s', (memory, makes, frees) => {
  const make = () =>
    host.value('buffers.create', { device: 0, bytes: BYTES, memory, dtype: 'u8', fill: { pattern: 'ramp' } });

  it('is filled, read and written as all memory', async () => {
    const { id } = await make();
    expect(host.record('allocations', id)).toMatchObject({ memory, bytes: BYTES, state: 'live' });
    expect([...(await host.read(id, 254, 4))]).toEqual([254, 255, 0, 1]);
    expect([...(await host.read(id, BYTES - 1, 1))]).toEqual([(BYTES - 1) % 256]);
    await host.value('buffers.write', { id, offset: BYTES - 3, bytes: Uint8Array.of(7, 8, 9) });
    expect([...(await host.read(id, BYTES - 4, 4))]).toEqual([(BYTES - 4) % 256, 7, 8, 9]);
    await host.value('buffers.fill', { id, fill: { pattern: 'constant', value: 5 } });
    expect(new Set(await host.read(id, 0, BYTES))).toEqual(new Set([5]));
    await host.value('buffers.free', { id });
  });

  it('is made and freed by its own calls, and cannot be exported', async () => {
    const { id, address } = await make();
    const refused = await host.error('buffers.export', { id });
    expect(refused.message).toMatch(/\w/);
    await host.value('buffers.free', { id });
    await host.until(() => host.calls.some(({ objectId, name }) => objectId === id && name === frees));
    const names = host.calls.filter(({ objectId }) => objectId === id).map(({ name }) => name);
    expect(names).toContain(makes);
    expect(host.record('allocations', id).state).toBe('freed');
    expect(await host.error('memory.read', { id, offset: 0, length: 1 })).toMatchObject({ code: 'closed' });
    const { subject } = await host.value('sharing.verdict', { address });
    expect(subject.memory).toBe('nothing');
  });
});

describe('a host that ends', () => {
  it('frees memory of every kind, each by its call', async () => {
    const ending = hostHere('p2');
    await ending.init();
    for (const [memory] of kinds) await ending.value('buffers.create', { device: 0, bytes: 4096, memory });
    await ending.shutdown();
    const frees = ending.calls.filter(({ name }) => /^cuMemFree/.test(name));
    expect(frees.map(({ name, result }) => [name, result])).toEqual(
      expect.arrayContaining(kinds.map(([, , name]) => [name, 0])),
    );
    expect(ending.calls.filter(({ result }) => result !== 0)).toEqual([]);
  });
});
