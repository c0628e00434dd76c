import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();

const MiB = 1024 * 1024;
/** Exports, in a process of its own. */
let exporter: ChildHost;
/** Imports, in this process. */
let importer: TestHost;

beforeAll(async () => {
  exporter = await hostElsewhere('p2');
  importer = hostHere('p1');
  expect((await importer.init()).kind).toBe('ready');
});
afterAll(async () => {
  await importer.shutdown();
  await exporter.shutdown();
});
afterEach(async () => {
  for (const { id, references, state } of importer.table('mappings')) {
    for (let left = references; state === 'open' && left > 0; left--) await importer.value('imports.close', { id });
  }
});

/** A new exported buffer of another process. */
async function exported(bytes = 4 * MiB, from: TestHost = exporter) {
  const { id } = await from.value('buffers.create', { device: 0, bytes, fill: { pattern: 'constant', value: 0xab } });
  return { id, handle: await from.handle(id) };
}
const args = (handle: Uint8Array, more: { offset?: number; length?: number; flags?: number } = {}) => ({
  handle,
  device: 0,
  flags: 1,
  label: 'shared',
  ...more,
});
const open = (handle: Uint8Array, more = {}) => importer.value('imports.open', args(handle, more));
const refused = (handle: Uint8Array, more = {}) => importer.error('imports.open', args(handle, more));

describe('exporting', () => {
  it('gives the same export for the same buffer', async () => {
    const { id, handle } = await exported();
    const again = await exporter.value('buffers.export', { id });
    expect(again.handle).toEqual(handle);
    expect(again.allocationId).toBe(id);
    expect(exporter.table('exports').filter(({ objectId }) => objectId === id)).toHaveLength(1);
    expect(exporter.record('exports', again.id)).toMatchObject({ kind: 'memory', state: 'live', peerId: 'p2' });
    await exporter.value('buffers.free', { id });
    expect(exporter.record('exports', again.id).state).toBe('freed');
  });
});

describe('opening', () => {
  it('names what comes without a name, and further views of it the same', async () => {
    const { handle } = await exported();
    const first = await importer.value('imports.open', { ...args(handle), label: '' });
    const part = await importer.value('imports.open', { ...args(handle, { offset: 64 }), label: '' });
    const { label } = importer.record('mappings', first.id);
    expect(label).toMatch(/^imported buffer \d+$/);
    expect(importer.record('mappings', part.id).label).toBe(label);
    expect(importer.calls.findLast(({ name }) => name === 'cuIpcOpenMemHandle_v2')?.args).toBe(
      `${label}, flags 1 → reference 2`,
    );
  });

  it('shows the same memory on both sides', async () => {
    const { id, handle } = await exported();
    const mapping = await open(handle);
    expect(mapping).toMatchObject({ bytes: 4 * MiB, references: 1, state: 'open' });
    expect(new Set(await importer.read(mapping.id, 0, 4096))).toEqual(new Set([0xab]));
    await exporter.value('buffers.write', { id, offset: 100, bytes: Uint8Array.from([1, 2]) });
    expect([...(await importer.read(mapping.id, 100, 2))]).toEqual([1, 2]);
    await importer.value('buffers.write', { id: mapping.id, offset: 200, bytes: Uint8Array.from([3]) });
    expect([...(await exporter.read(id, 200, 1))]).toEqual([3]);
    expect(importer.record('mappings', mapping.id)).toMatchObject({
      label: 'shared',
      allocationBytes: 4 * MiB,
      flags: 1,
      offset: 0,
    });
  });

  it('counts references of the same view', async () => {
    const { handle } = await exported();
    const first = await open(handle);
    const second = await open(handle);
    expect(second).toEqual({ ...first, references: 2 });
    expect(importer.calls.findLast(({ name }) => name === 'cuIpcOpenMemHandle_v2')?.args).toBe(
      'shared, flags 1 → reference 2',
    );
    expect(await importer.value('imports.close', { id: first.id })).toEqual({ references: 1, state: 'open' });
    expect((await importer.read(first.id, 0, 1))[0]).toBe(0xab);
    expect(await importer.value('imports.close', { id: first.id })).toEqual({ references: 0, state: 'closed' });
    expect(importer.record('mappings', first.id).closedAt).toBeGreaterThan(0);
    expect(await importer.error('imports.close', { id: first.id })).toMatchObject({ code: 'closed' });
    expect(await importer.error('memory.read', { id: first.id, offset: 0, length: 1 })).toMatchObject({
      code: 'closed',
    });
  });

  it('keeps what is said of the data, and takes what is said later', async () => {
    const { handle } = await exported();
    const data = { dtype: 'f32', shape: [4, 8], strides: [8, 1], byteOrder: 'big' } as const;
    const told = { ...data, shape: [...data.shape], strides: [...data.strides] };
    const { id } = await open(handle, { data: told });
    expect(importer.record('mappings', id).data).toEqual(data);
    await open(handle);
    expect(importer.record('mappings', id)).toMatchObject({ references: 2, data });
    await open(handle, { data: { dtype: 'bf16' } });
    expect(importer.record('mappings', id)).toMatchObject({ references: 3, data: { dtype: 'bf16' } });
    expect(importer.record('mappings', (await open(handle, { offset: 64 })).id)).not.toHaveProperty('data');
  });

  it('keeps other views of the same memory apart', async () => {
    const { id, handle } = await exported();
    await exporter.value('buffers.write', { id, offset: 4096, bytes: Uint8Array.from([9]) });
    const whole = await open(handle);
    const part = await open(handle, { offset: 4096, length: 16 });
    expect(part.id).not.toBe(whole.id);
    expect(part).toMatchObject({ bytes: 16, references: 1 });
    expect(BigInt(part.address)).toBe(BigInt(whole.address) + 4096n);
    expect((await importer.read(part.id, 0, 1))[0]).toBe(9);
    expect(await importer.error('memory.read', { id: part.id, offset: 15, length: 2 })).toMatchObject({
      code: 'out-of-range',
    });
    await importer.value('imports.close', { id: whole.id });
    expect((await importer.read(part.id, 0, 1))[0]).toBe(9);
  });

  it.each<[{ offset?: number; length?: number }]>([
    [{ offset: 4 * MiB }],
    [{ offset: 1, length: 4 * MiB }],
    [{ length: 4 * MiB + 1 }],
    [{ offset: -1 }],
    [{ offset: 0.5, length: 1 }],
  ])('refuses a view outside (%j) and holds nothing', async (view) => {
    const { id, handle } = await exported();
    expect(await refused(handle, view)).toMatchObject({ code: 'out-of-range' });
    await exporter.value('buffers.free', { id });
    // Were it still open here, it would be served from the mapping.
    expect(await refused(handle)).toMatchObject({ code: 'driver-error', cuda: { result: 1 } });
  });

  it('works as often as wanted', async () => {
    const { handle } = await exported();
    const { id } = await open(handle);
    for (let index = 0; index < 20; index++) await open(handle);
    for (let left = 20; left >= 0; left--) {
      expect((await importer.value('imports.close', { id })).references).toBe(left);
    }
  });
});

describe('refusals are explained', () => {
  it('a handle of the process itself', async () => {
    const { handle } = await exported(4096, importer);
    const error = await refused(handle);
    expect(error).toMatchObject({ code: 'driver-error', call: 'cuIpcOpenMemHandle_v2', cuda: { result: 201 } });
    expect(error.hint).toMatch(/exported this handle itself/);
    expect(importer.calls.findLast(({ name }) => name === 'cuIpcOpenMemHandle_v2')).toMatchObject({
      result: 201,
      hint: error.hint,
    });
  });

  it.each([0, 2])('flags %d', async (flags) => {
    const { handle } = await exported();
    const error = await refused(handle, { flags });
    expect(error).toMatchObject({ cuda: { result: 1 } });
    expect(error.hint).toMatch(/LAZY_ENABLE_PEER_ACCESS/);
  });

  it('64 zero bytes', async () => {
    expect(await refused(new Uint8Array(64))).toMatchObject({
      cuda: { result: 1 },
      hint: expect.stringMatching(/zero/),
    });
  });

  it('the handle of an event', async () => {
    const { id } = await exporter.value('events.create', { device: 0 });
    const { handle } = await exporter.value('events.export', { id });
    expect((await refused(handle)).hint).toMatch(/handle of an event/);
  });

  it('a damaged handle that the driver would open, to its end', async () => {
    const { handle } = await exported();
    const damaged = handle.slice();
    damaged[31] = 1;
    const error = await refused(damaged);
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(/not all in it/) });
    expect(error.hint).toMatch(/driver would open it all the same/);
    const { id } = await open(handle);
    expect((await importer.read(id, 0, 1))[0]).toBe(0xab);
    await importer.value('imports.close', { id });
  });

  it('another size than the one that is open', async () => {
    const { handle } = await exported(4 * MiB);
    const { id } = await open(handle);
    const smaller = handle.slice();
    new DataView(smaller.buffer).setBigUint64(16, BigInt(2 * MiB), true);
    const error = await refused(smaller);
    expect(error).toMatchObject({ cuda: { result: 208 }, hint: expect.stringMatching(/another size/) });
    await importer.value('imports.close', { id });
  });

  it('freed memory', async () => {
    const { id, handle } = await exported();
    const mapping = await open(handle);
    await exporter.value('buffers.free', { id });
    expect((await importer.read(mapping.id, 0, 1))[0]).toBe(0xab);
    await importer.value('imports.close', { id: mapping.id });
    const error = await refused(handle);
    expect(error).toMatchObject({ cuda: { result: 1 } });
    expect(error.hint).toMatch(/freed/);
  });

  it('a process that was killed; what was open stays', async () => {
    const doomed = await hostElsewhere('p3');
    const kept = await exported(MiB, doomed);
    const mapping = await open(kept.handle);
    const other = await exported(4 * MiB, doomed);
    await doomed.kill();
    const error = await refused(other.handle);
    expect(error).toMatchObject({ cuda: { result: 400 } });
    expect(error.hint).toMatch(/is gone/);
    expect((await importer.read(mapping.id, 0, 1))[0]).toBe(0xab);
    await importer.value('imports.close', { id: mapping.id });
  });
});

describe('hanging', () => {
  it.skipIf(onRealDriver)(
    'says which driver call began before it returns',
    async () => {
      const slow = await hostElsewhere('p4', { GPU_IPC_SIM_DELAY: 'cuIpcOpenMemHandle_v2=2000' });
      const { handle } = await exported();
      const began = Date.now();
      const calling = slow.next((message) => message.kind === 'calling' && message.call === 'cuIpcOpenMemHandle_v2');
      const opening = slow.value('imports.open', args(handle));
      await calling;
      const told = Date.now() - began;
      await opening;
      const took = Date.now() - began;
      expect(took).toBeGreaterThanOrEqual(2000);
      // Long before it returned, on a busy machine too.
      expect(took - told).toBeGreaterThan(500);
      await slow.shutdown();
    },
    60_000,
  );
});
