import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();
// Free memory is compared, so nobody else may use this simulated machine.
process.env.GPU_IPC_SIM_MACHINE = `pools-${process.pid}`;
process.env.GPU_IPC_SIM_DEVICES = '2';

const MiB = 1024 * 1024;

let importer: TestHost;
let exporter: ChildHost;
beforeAll(async () => {
  importer = hostHere('p1');
  expect((await importer.init()).kind).toBe('ready');
  exporter = await hostElsewhere('p2');
});
afterAll(async () => {
  await exporter.shutdown();
  await importer.shutdown();
});

const allocate = (poolId: string, bytes = 4 * MiB, from: TestHost = exporter) =>
  from.value('buffers.create', { device: 0, bytes, memory: 'pool', poolId });

async function imported(exportId: string, more: { usedOn?: number } = {}) {
  const { name } = await exporter.value('descriptors.offer', { exportId, toPid: importer.pid });
  const source = { kind: 'offer', name } as const;
  return importer.value('pools.import', { source, exportId, device: 0, label: 'theirs', ...more });
}

describe('a pool', () => {
  it('is made when memory of one is asked for, and used again', async () => {
    const one = await exporter.value('buffers.create', { device: 0, bytes: 1, memory: 'pool' });
    const two = await exporter.value('buffers.create', { device: 0, bytes: 1, memory: 'pool' });
    const { poolId = '' } = exporter.record('allocations', one.id);
    expect(exporter.record('allocations', two.id)).toMatchObject({ memory: 'pool', poolId });
    expect(exporter.record('pools', poolId)).toMatchObject({
      imported: false,
      shareable: true,
      maxBytes: null,
      state: 'live',
      access: [{ device: 0, access: 'read-write' }],
    });
    for (const { id } of [one, two]) await exporter.value('buffers.free', { id });
  });

  it('says what it reserves and what of it is used, after every allocation and free', async () => {
    const pool = await exporter.value('pools.create', { device: 0, label: 'counted' });
    expect(exporter.record('pools', pool.id).usage).toBeNull();
    const one = await allocate(pool.id);
    const usage = exporter.record('pools', pool.id).usage;
    expect(usage?.used).toBeGreaterThanOrEqual(4 * MiB);
    expect(usage?.reserved).toBeGreaterThanOrEqual(usage?.used ?? 0);
    expect(await exporter.value('pools.usage', { id: pool.id })).toMatchObject({ used: usage?.used });
    await exporter.value('buffers.free', { id: one.id });
    expect(exporter.record('pools', pool.id).usage).toMatchObject({ used: 0, usedHigh: usage?.used });
    expect(await exporter.value('pools.trim', { id: pool.id })).toMatchObject({ reserved: 0 });
    await exporter.value('pools.destroy', { id: pool.id });
    expect(exporter.record('pools', pool.id).endedAt).toBeGreaterThan(0);
    expect(await exporter.error('pools.usage', { id: pool.id })).toMatchObject({ code: 'closed' });
  });

  it('with a limit is refused more by the driver; without one more than there is is not asked for', async () => {
    const small = await exporter.value('pools.create', { device: 0, maxBytes: 64 * MiB });
    const error = await exporter.error('buffers.create', { device: 0, bytes: 128 * MiB, poolId: small.id });
    expect(error).toMatchObject({ cuda: { result: 2 }, hint: expect.stringMatching(/limit/) });
    const all = await exporter.error('buffers.create', { device: 0, bytes: 2 ** 50, memory: 'pool' });
    expect(all).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(/Device 0 has/) });
    expect(exporter.calls.some(({ args }) => args.includes('1 PiB') || args.includes('1,024 TiB'))).toBe(false);
    const other = await exporter.error('buffers.create', { device: 1, bytes: 1, poolId: small.id });
    const devices = await exporter.value('devices.list', {});
    const why = devices.length > 1 ? /memory of device 0/ : /no device 1/;
    expect(other).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(why) });
    const kind = await exporter.error('buffers.create', { device: 0, bytes: 1, memory: 'device', poolId: small.id });
    expect(kind).toMatchObject({ code: 'invalid-argument' });
    await exporter.value('pools.destroy', { id: small.id });
  });

  it('can be destroyed while memory of it is in use: that stays', async () => {
    const pool = await exporter.value('pools.create', { device: 0 });
    const { id } = await allocate(pool.id, 4096);
    await exporter.value('pools.destroy', { id: pool.id });
    expect(await exporter.read(id, 0, 1)).toEqual(Uint8Array.of(0));
    expect(await exporter.error('buffers.export', { id })).toMatchObject({ code: 'closed' });
    await exporter.value('buffers.free', { id });
  });

  it('that is not shareable exports nothing', async () => {
    const pool = await exporter.value('pools.create', { device: 0, shareable: false });
    const { id } = await allocate(pool.id, 4096);
    for (const refused of [
      await exporter.error('pools.export', { id: pool.id }),
      await exporter.error('buffers.export', { id }),
    ]) {
      expect(refused).toMatchObject({
        call: 'cuMemPoolExportToShareableHandle',
        cuda: { result: 1 },
        hint: expect.stringMatching(/created shareable/),
      });
    }
    await exporter.value('buffers.free', { id });
    await exporter.value('pools.destroy', { id: pool.id });
  });

  it('takes exports of its memory with it when its descriptor is closed', async () => {
    const pool = await exporter.value('pools.create', { device: 0 });
    const { id } = await allocate(pool.id, 4096);
    const first = await exporter.value('buffers.export', { id });
    const made = await exporter.value('pools.export', { id: pool.id });
    expect(exporter.record('exports', first.id)).toMatchObject({ mechanism: 'pool', poolExportId: made.id });
    expect(await exporter.error('descriptors.close', { exportId: first.id })).toMatchObject({
      code: 'closed',
      message: expect.stringContaining(exporter.record('pools', pool.id).label),
      hint: expect.stringMatching(/pool’s export/),
    });
    await exporter.value('descriptors.close', { exportId: made.id });
    expect(exporter.record('exports', first.id).state).toBe('closed');
    const second = await exporter.value('buffers.export', { id });
    expect(second.handle).toEqual(first.handle);
    expect(exporter.record('exports', second.id)).toMatchObject({ state: 'live' });
    expect(exporter.record('exports', second.id).poolExportId).not.toBe(made.id);
    await exporter.value('buffers.free', { id });
    expect(exporter.record('exports', second.id).state).toBe('freed');
    await exporter.value('pools.destroy', { id: pool.id });
    expect(await exporter.value('descriptors.list', {})).toEqual(
      expect.not.arrayContaining([expect.objectContaining({ exportId: made.id })]),
    );
  });
});

describe('an imported pool', () => {
  it('is one however often it is imported, and gives no memory of its own', async () => {
    const pool = await exporter.value('pools.create', { device: 0 });
    const { id } = await allocate(pool.id);
    const made = await exporter.value('buffers.export', { id });
    const { poolExportId = '' } = exporter.record('exports', made.id);
    const first = await imported(poolExportId);
    expect(await imported(poolExportId)).toEqual(first);
    expect(importer.record('pools', first.id)).toMatchObject({
      imported: true,
      exportId: poolExportId,
      label: 'theirs',
    });
    expect(await importer.error('buffers.create', { device: 0, bytes: 1, poolId: first.id })).toMatchObject({
      call: 'cuMemAllocFromPoolAsync',
      cuda: { result: 1 },
      hint: expect.stringMatching(/gives no memory/),
    });
    expect(await importer.error('pools.export', { id: first.id })).toMatchObject({
      cuda: { result: 1 },
      hint: expect.stringMatching(/cannot be exported again/),
    });
    expect(await importer.error('pools.trim', { id: first.id })).toMatchObject({ cuda: { result: 1 } });

    const open = {
      handle: made.handle ?? new Uint8Array(64),
      poolId: first.id,
      exportId: made.id,
      access: false,
      device: 0,
      label: '',
    };
    const opened = await importer.value('imports.openPointer', open);
    const part = await importer.value('imports.openPointer', { ...open, offset: 4096, length: 16 });
    expect(BigInt(part.address)).toBe(BigInt(opened.address) + 4096n);
    expect(await importer.error('imports.openPointer', { ...open, offset: 4 * MiB })).toMatchObject({
      code: 'out-of-range',
    });
    const destroyed = await importer.error('pools.destroy', { id: first.id });
    expect(destroyed).toMatchObject({ cuda: { result: 1 }, hint: expect.stringMatching(/2 mappings.*Close it first/) });
    await importer.value('imports.close', { id: opened.id });
    // One free would end both: it waits for the last of them.
    expect(await importer.read(part.id, 0, 1)).toEqual(Uint8Array.of(0));
    await importer.value('imports.close', { id: part.id });
    expect(importer.record('pools', first.id).state).toBe('live');
    await importer.value('pools.destroy', { id: first.id });
    const own = await importer.value('pools.create', { device: 0 });
    expect(await importer.error('imports.openPointer', { ...open, poolId: own.id })).toMatchObject({
      code: 'invalid-argument',
    });
    await importer.value('pools.destroy', { id: own.id });
    await exporter.value('buffers.free', { id });
    await exporter.value('pools.destroy', { id: pool.id });
  });

  it('gives another device access when it is told to', async () => {
    if ((await importer.value('devices.list', {})).length < 2) return;
    const pool = await exporter.value('pools.create', { device: 0 });
    const { id } = await allocate(pool.id);
    const made = await exporter.value('buffers.export', { id });
    const { poolExportId = '' } = exporter.record('exports', made.id);
    const theirs = await imported(poolExportId, { usedOn: 1 });
    const open = {
      handle: made.handle ?? new Uint8Array(64),
      poolId: theirs.id,
      exportId: made.id,
      device: 1,
      label: '',
    };
    const opened = await importer.value('imports.openPointer', { ...open, access: false });
    expect(await importer.error('memory.read', { id: opened.id, offset: 0, length: 1 })).toMatchObject({
      cuda: { result: 1 },
      hint: expect.stringMatching(/cuMemPoolSetAccess/),
    });
    expect(await importer.error('pools.access', { id: theirs.id, device: 1, access: 'read' })).toMatchObject({
      cuda: { result: 801 },
      hint: expect.stringMatching(/read-write or none/),
    });
    expect(await importer.error('pools.access', { id: theirs.id, device: 7, access: 'read-write' })).toMatchObject({
      code: 'invalid-argument',
    });
    await importer.value('imports.openPointer', { ...open, access: true });
    expect(await importer.read(opened.id, 0, 1)).toEqual(Uint8Array.of(0));
    expect(importer.record('pools', theirs.id).access).toEqual([
      { device: 0, access: 'read-write' },
      { device: 1, access: 'read-write' },
    ]);
    for (let left = 2; left > 0; left--) await importer.value('imports.close', { id: opened.id });
    await importer.value('pools.destroy', { id: theirs.id });
    await exporter.value('buffers.free', { id });
    await exporter.value('pools.destroy', { id: pool.id });
  });
});

describe('a host that ends', () => {
  it('lets go of everything, and of memory that others have open keeps nothing back', async () => {
    const free = async () => (await importer.value('devices.list', {}))[0]?.freeBytes;
    const before = await free();
    const doomed = await hostElsewhere('p8');
    for (const memory of ['pool', 'virtual'] as const) {
      const { id } = await doomed.value('buffers.create', { device: 0, bytes: 4 * MiB, memory });
      await doomed.value('buffers.export', { id });
    }
    await doomed.value('pools.create', { device: 0 });
    await doomed.value('virtual.create', { device: 0, bytes: 1 });
    await doomed.value('virtual.reserve', { device: 0, bytes: 1 });
    await doomed.shutdown();
    expect(await doomed.exit).toBe(0);
    for (const table of ['allocations', 'pools', 'physicals'] as const) {
      expect(
        doomed.table(table).filter(({ state }) => state === 'live'),
        table,
      ).toEqual([]);
    }
    expect(doomed.table('exports').filter(({ state }) => state === 'live')).toEqual([]);
    expect(doomed.calls.filter(({ result }) => result !== 0 && result !== 600)).toEqual([]);
    if (!onRealDriver) expect(await free()).toBe(before);
  });
});
