import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DescriptorSource } from '#contract/host-protocol';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();
// Free memory is compared, so nobody else may use this simulated machine.
process.env.GPU_IPC_SIM_MACHINE = `sharing-${process.pid}`;

/** How often memory of each kind is shared by the test of leaks: 10,000 takes two to three minutes. */
const ROUNDS = Number(process.env.GPU_IPC_SHARE_ROUNDS ?? 200);

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

async function openPool(
  made: Awaited<ReturnType<typeof poolMemory>>,
  from: TestHost = exporter,
  more = {},
  to: TestHost = importer,
) {
  return to.value('imports.openPool', {
    handle: made.handle,
    source: await offered(from, made.poolExportId, to),
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

async function openVirtual(exportId: string, from: TestHost = exporter, more = {}, to: TestHost = importer) {
  const chunks = (from.record('exports', exportId).descriptors ?? []).map(({ bytes }) => ({ bytes: bytes ?? 0 }));
  return to.value('imports.openVirtual', {
    source: await offered(from, exportId, to),
    chunks,
    exportId,
    device: 0,
    access: 'read-write',
    label: 'shared',
    ...more,
  });
}

/** What the descriptors of a process are, without the numbers of those that have no name. */
const filesOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`)
    .flatMap((fd) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${fd}`).replace(/\[\d+\]$/, '')];
      } catch {
        return []; // The one that listed them.
      }
    })
    .sort();
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

/** Shares memory of both kinds once, and lets go of everything. */
async function shareOnce(from: TestHost, to: TestHost = importer): Promise<void> {
  const pool = await poolMemory(from, 1, 4096);
  const virtual = await virtualMemory(from, 2, 4096);
  const opened = [await openPool(pool, from, {}, to), await openVirtual(virtual.exportId, from, {}, to)];
  for (const { id } of opened) await to.value('imports.close', { id });
  for (const { id } of [pool, virtual]) await from.value('buffers.free', { id });
}

describe('descriptors', () => {
  it(`are not left open by ${ROUNDS} exports and imports of each kind`, async () => {
    await shareOnce(exporter);
    const before = [descriptorsOf(process.pid), descriptorsOf(exporter.pid)];
    for (let index = 0; index < ROUNDS; index++) await shareOnce(exporter);
    expect([descriptorsOf(process.pid), descriptorsOf(exporter.pid)]).toEqual(before);
  }, 600_000);

  it('are listed while they are open, and closed with what they stand for', async () => {
    const of = async (exportId: string) =>
      (await exporter.value('descriptors.list', {})).filter((held) => held.exportId === exportId);
    const range = await virtualMemory(exporter);
    expect(await of(range.exportId)).toEqual([
      { exportId: range.exportId, fd: range.fds[0], bytes: 2 * MiB, file: expect.stringMatching(/^\//) },
    ]);
    await exporter.value('descriptors.close', { exportId: range.exportId });
    expect(await of(range.exportId)).toEqual([]);
    expect(exporter.record('exports', range.exportId)).toMatchObject({ state: 'closed', descriptors: [] });
    expect(await exporter.error('descriptors.close', { exportId: range.exportId })).toMatchObject({ code: 'closed' });
    expect(await exporter.error('descriptors.offer', { exportId: range.exportId, toPid: 1 })).toMatchObject({
      code: 'closed',
      hint: expect.stringMatching(/Export it again/),
    });
    const again = await exporter.value('buffers.export', { id: range.id });
    expect(again.id).not.toBe(range.exportId);
    await exporter.value('buffers.free', { id: range.id });
    expect(await of(again.id)).toEqual([]);
    expect(exporter.record('exports', again.id).state).toBe('freed');

    const { id } = await exporter.value('virtual.create', { device: 0, bytes: MiB });
    const piece = await exporter.value('virtual.export', { id });
    expect(await of(piece.id)).toHaveLength(1);
    await exporter.value('virtual.release', { id });
    expect(await of(piece.id)).toEqual([]);
    const pool = await exporter.value('pools.create', { device: 0 });
    const made = await exporter.value('pools.export', { id: pool.id });
    expect(await of(made.id)).toHaveLength(1);
    await exporter.value('pools.destroy', { id: pool.id });
    expect(await of(made.id)).toEqual([]);
  });

  it('are given to the process that they are offered to, and to no other', async () => {
    const { id, exportId } = await virtualMemory(exporter);
    const { name } = await exporter.value('descriptors.offer', { exportId, toPid: exporter.pid });
    const args = { chunks: [{ bytes: 2 * MiB }], exportId, device: 0, access: 'read', label: '' } as const;
    const refused = await importer.error('imports.openVirtual', { ...args, source: { kind: 'offer', name } });
    expect(refused).toMatchObject({ code: 'closed', message: expect.stringMatching(/did not arrive/) });
    // The offer stands for whom it was made.
    const opened = await exporter.value('imports.openVirtual', { ...args, source: { kind: 'offer', name } });
    await exporter.value('imports.close', { id: opened.id });
    const nobody = { kind: 'offer', name: 'gpu-ipc-nobody-listens-here' } as const;
    expect(await importer.error('imports.openVirtual', { ...args, source: nobody })).toMatchObject({
      code: 'closed',
      message: expect.stringMatching(/ECONNREFUSED/),
    });
    await exporter.value('buffers.free', { id });
  });

  it('travel in several messages when there are many', async () => {
    const pieces = 70;
    const range = await exporter.value('virtual.reserve', { device: 0, bytes: pieces * 2 * MiB });
    const before = [descriptorsOf(process.pid), descriptorsOf(exporter.pid)];
    for (let index = 0; index < pieces; index++) {
      const { id } = await exporter.value('virtual.create', { device: 0, bytes: 1 });
      await exporter.value('virtual.map', { id: range.id, physicalId: id, offset: index * 2 * MiB });
      await exporter.value('virtual.release', { id });
    }
    await exporter.value('virtual.access', { id: range.id, access: 'read-write' });
    await exporter.value('buffers.fill', { id: range.id, fill: { pattern: 'ramp' } });
    const { id: exportId, fds } = await exporter.value('buffers.export', { id: range.id });
    expect(new Set(fds).size).toBe(pieces);
    const opened = await openVirtual(exportId);
    expect(opened.bytes).toBe(pieces * 2 * MiB);
    const at = 66 * 2 * MiB - 2;
    expect(await importer.read(opened.id, at, 4)).toEqual(await exporter.read(range.id, at, 4));
    await importer.value('imports.close', { id: opened.id });
    await exporter.value('buffers.free', { id: range.id });
    expect([descriptorsOf(process.pid), descriptorsOf(exporter.pid)]).toEqual(before);
  });

  it('of a pool that is imported by itself meanwhile leave that pool where it is', async () => {
    const made = await poolMemory(exporter, 0x33);
    const [descriptor] = exporter.record('exports', made.poolExportId).descriptors ?? [];
    // The descriptor of this one is on its way still when the other one takes a copy.
    const source = await offered(exporter, made.poolExportId, importer);
    const facts = { exportId: made.poolExportId, device: 0, usedOn: 0, label: 'their pool' };
    const opening = importer.value('imports.openPool', {
      handle: made.handle,
      source,
      pool: facts,
      exportId: made.exportId,
      device: 0,
      label: 'shared',
    });
    const taken = { kind: 'process', pid: exporter.pid, fds: [descriptor?.fd ?? -1] } as const;
    const pool = await importer.value('pools.import', { ...facts, source: taken });
    const opened = await opening;
    expect(importer.record('mappings', opened.id).poolId).toBe(pool.id);
    await importer.value('imports.close', { id: opened.id });
    expect(importer.record('pools', pool.id).state).toBe('live');
    await importer.value('pools.destroy', { id: pool.id });
    await exporter.value('buffers.free', { id: made.id });
  });

  it('are taken out of a process that does not send them', async () => {
    const pool = await poolMemory(exporter, 0x31);
    const virtual = await virtualMemory(exporter, 0x32);
    const { pid } = exporter;
    const [poolDescriptor] = exporter.record('exports', pool.poolExportId).descriptors ?? [];
    const before = descriptorsOf(process.pid);
    const one = await importer.value('imports.openPool', {
      handle: pool.handle,
      source: { kind: 'process', pid, fds: [poolDescriptor?.fd ?? -1] },
      pool: { exportId: null, device: 0, label: '' },
      exportId: null,
      device: 0,
      label: '',
    });
    const args = { chunks: [{ bytes: 2 * MiB }], exportId: null, device: 0, access: 'read', label: '' } as const;
    const two = await importer.value('imports.openVirtual', {
      ...args,
      source: { kind: 'process', pid, fds: virtual.fds },
    });
    expect(await importer.read(one.id, 0, 1)).toEqual(Uint8Array.of(0x31));
    expect(await importer.read(two.id, 0, 1)).toEqual(Uint8Array.of(0x32));
    for (const { id } of [one, two]) await importer.value('imports.close', { id });

    const taking = (from: { pid: number; fds: number[] }) =>
      importer.error('imports.openVirtual', { ...args, source: { kind: 'process', ...from } });
    expect(await taking({ pid, fds: [99_999] })).toMatchObject({
      code: 'not-found',
      message: expect.stringMatching(/EBADF/),
      hint: expect.stringMatching(/closed it/),
    });
    expect(await taking({ pid: 0x7ffffff0, fds: [3] })).toMatchObject({
      code: 'not-found',
      hint: expect.stringMatching(/ended|namespace/),
    });
    // Standard input of a test is no memory.
    expect(await taking({ pid, fds: [0] })).toMatchObject({
      code: 'driver-error',
      cuda: { result: 999 },
      hint: expect.stringMatching(/not one that a CUDA driver gave/),
    });
    for (const { id } of [pool, virtual]) await exporter.value('buffers.free', { id });
    expect(descriptorsOf(process.pid)).toBe(before);
  });
});

describe('a process that is killed', () => {
  const free = async () => {
    const [device] = await importer.value('devices.list', {});
    return device?.freeBytes ?? 0;
  };
  /** Milliseconds; and once it has shared. */
  const moments = [...Array.from({ length: 12 }, (_, index) => 3 ** (index / 2)), 'shared'] as const;

  it.each(['exporter', 'importer'] as const)(
    'as %s at any moment leaves nothing behind',
    async (role) => {
      // What the first of each kind makes for good is no leak.
      await shareOnce(exporter);
      const before = { free: await free(), here: filesOf(process.pid), there: filesOf(exporter.pid) };
      let rounds = 0;
      for (const moment of moments) {
        const doomed = await hostElsewhere('p9');
        const [from, to] = role === 'exporter' ? [doomed, importer] : [exporter, doomed];
        const sharing = (async () => {
          for (;;) {
            await Promise.race([shareOnce(from, to), doomed.exit.then(() => Promise.reject(new Error('killed')))]);
            rounds++;
          }
        })();
        const soFar = rounds;
        const ended = sharing.catch((error: Error) => error.message);
        if (moment === 'shared') await expect.poll(() => rounds, { timeout: 20_000 }).toBeGreaterThan(soFar);
        else await new Promise((resolve) => setTimeout(resolve, moment));
        await doomed.kill();
        await ended;
        await letGoOfAll();
      }
      // Offers to a process that was killed stand for some seconds, and a round that was cut off may go on meanwhile.
      const left = async (pid: number): Promise<string[]> => {
        await letGoOfAll();
        return filesOf(pid);
      };
      await expect.poll(() => left(process.pid), { timeout: 15_000 }).toEqual(before.here);
      await expect.poll(() => left(exporter.pid), { timeout: 15_000 }).toEqual(before.there);
      if (!onRealDriver) await expect.poll(free, { timeout: 15_000 }).toBe(before.free);
    },
    120_000,
  );

  const letGoOfAll = async (): Promise<void> => {
    for (const host of [importer, exporter]) await letGo(host);
  };

  /** Closes and frees what a round that was cut off left in a process that lives. */
  async function letGo(host: TestHost): Promise<void> {
    for (const { id, state } of host.table('mappings')) if (state === 'open') await host.call('imports.close', { id });
    for (const { id, state } of host.table('allocations'))
      if (state === 'live') await host.call('buffers.free', { id });
  }
});
