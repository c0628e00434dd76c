import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DescriptorSource } from '#contract/host-protocol';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();

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

const offered = async (from: TestHost, exportId: string, to: TestHost): Promise<DescriptorSource> => ({
  kind: 'offer',
  name: (await from.value('descriptors.offer', { exportId, toPid: to.pid })).name,
});

const filled = (value: number) => ({ pattern: 'constant', value }) as const;

async function poolMemory(from: TestHost, value = 0xab, bytes = 4 * MiB) {
  const { id } = await from.value('buffers.create', { device: 0, bytes, memory: 'pool', fill: filled(value) });
  const made = await from.value('buffers.export', { id });
  const { poolExportId = '' } = from.record('exports', made.id);
  return { id, exportId: made.id, handle: made.handle ?? new Uint8Array(64), poolExportId, bytes };
}

async function openPool(made: Awaited<ReturnType<typeof poolMemory>>, from: TestHost = exporter, more = {}) {
  return importer.value('imports.openPool', {
    handle: made.handle,
    source: await offered(from, made.poolExportId, importer),
    pool: { exportId: made.poolExportId, device: 0, usedOn: 0, label: 'their pool' },
    exportId: made.exportId,
    device: 0,
    label: 'shared',
    ...more,
  });
}

const virtualMemory = async (from: TestHost, value = 0xcd, bytes = 2 * MiB) => {
  const { id } = await from.value('buffers.create', { device: 0, bytes, memory: 'virtual', fill: filled(value) });
  const made = await from.value('buffers.export', { id });
  return { id, exportId: made.id, fds: made.fds };
};

async function openVirtual(exportId: string, from: TestHost = exporter, more = {}) {
  const chunks = (from.record('exports', exportId).descriptors ?? []).map(({ bytes }) => ({ bytes: bytes ?? 0 }));
  return importer.value('imports.openVirtual', {
    source: await offered(from, exportId, importer),
    chunks,
    exportId,
    device: 0,
    access: 'read-write',
    label: 'shared',
    ...more,
  });
}

const descriptorsOf = (pid: number) => readdirSync(`/proc/${pid}/fd`).length;

describe('memory of a pool', () => {
  it('is seen on both sides, and its pool goes with its last mapping', async () => {
    const made = await poolMemory(exporter);
    expect(exporter.record('allocations', made.id)).toMatchObject({ memory: 'pool', state: 'live' });
    const opened = await openPool(made);
    expect(opened).toMatchObject({ bytes: 4 * MiB, references: 1, state: 'open' });
    expect(new Set(await importer.read(opened.id, 0, 4096))).toEqual(new Set([0xab]));
    await importer.value('buffers.write', { id: opened.id, offset: 7, bytes: Uint8Array.of(9) });
    expect([...(await exporter.read(made.id, 7, 1))]).toEqual([9]);
    const { poolId = '', mechanism, exportId } = importer.record('mappings', opened.id);
    expect({ mechanism, exportId }).toEqual({ mechanism: 'pool', exportId: made.exportId });
    expect(importer.record('pools', poolId)).toMatchObject({
      imported: true,
      state: 'live',
      exportId: made.poolExportId,
    });

    const again = await openPool(made);
    expect(again).toEqual({ ...opened, references: 2 });
    expect(await importer.value('imports.close', { id: opened.id })).toEqual({ references: 1, state: 'open' });
    expect(importer.record('pools', poolId).state).toBe('live');
    expect([...(await importer.read(opened.id, 7, 1))]).toEqual([9]);
    expect(await importer.value('imports.close', { id: opened.id })).toEqual({ references: 0, state: 'closed' });
    expect(importer.record('pools', poolId).state).toBe('destroyed');
    expect((await importer.error('imports.close', { id: opened.id })).code).toBe('closed');
    await exporter.value('buffers.free', { id: made.id });
    expect(exporter.record('exports', made.exportId).state).toBe('freed');
  });

  it('keeps its bytes for who has it open when it is freed', async () => {
    const made = await poolMemory(exporter, 0x5a);
    const { id } = await openPool(made);
    await exporter.value('buffers.free', { id: made.id });
    expect(new Set(await importer.read(id, 0, 64))).toEqual(new Set([0x5a]));
    await importer.value('imports.close', { id });
  });
});

describe('virtual memory', () => {
  it('is seen on both sides', async () => {
    const made = await virtualMemory(exporter);
    expect(made.fds).toHaveLength(1);
    const opened = await openVirtual(made.exportId);
    expect(opened).toMatchObject({ bytes: 2 * MiB, references: 1, state: 'open' });
    expect(new Set(await importer.read(opened.id, 0, 4096))).toEqual(new Set([0xcd]));
    await importer.value('buffers.write', { id: opened.id, offset: 7, bytes: Uint8Array.of(9) });
    expect([...(await exporter.read(made.id, 7, 1))]).toEqual([9]);
    expect(await importer.value('imports.again', { id: opened.id })).toMatchObject({ references: 2 });
    expect(await importer.value('imports.close', { id: opened.id })).toEqual({ references: 1, state: 'open' });
    expect(await importer.value('imports.close', { id: opened.id })).toEqual({ references: 0, state: 'closed' });
    const physicals = importer.table('physicals').filter(({ exportId }) => exportId === made.exportId);
    expect(physicals.map(({ state }) => state)).toEqual(['released']);
    await exporter.value('buffers.free', { id: made.id });
  });
});

describe('descriptors', () => {
  it('are not left open, however often memory is shared', async () => {
    const pool = await poolMemory(exporter);
    const virtual = await virtualMemory(exporter);
    const round = async () => {
      const one = await openPool(pool);
      const two = await openVirtual(virtual.exportId);
      await importer.value('imports.close', { id: one.id });
      await importer.value('imports.close', { id: two.id });
    };
    await round();
    const before = [descriptorsOf(process.pid), descriptorsOf(exporter.pid)];
    for (let index = 0; index < 20; index++) await round();
    expect([descriptorsOf(process.pid), descriptorsOf(exporter.pid)]).toEqual(before);
  });
});
