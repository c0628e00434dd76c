/** "How can this be shared?": verdicts of memory of every process, and trials that leave nothing behind. */
import { readdirSync, readFileSync } from 'node:fs';
import type { Api } from '../harness/api';
import { expect, realDriver, test } from '../harness/test';

const KiB = 1024;
const MiB = 1024 * KiB;

/** Driver hosts in processes of their own, whoever's: only this test runs the app. */
function driverProcesses(main: number): number[] {
  const parents = new Map<number, number>();
  const hosts: number[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 4).split(' ')[0]));
      if (readFileSync(`/proc/${name}/cmdline`, 'utf8').includes('node.mojom.NodeService')) hosts.push(Number(name));
    } catch {
      // It ended meanwhile.
    }
  }
  const isOurs = (pid: number): boolean => pid === main || (pid > 1 && isOurs(parents.get(pid) ?? 0));
  return hosts.filter(isOurs);
}

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

/** What the verdict says of each mechanism. */
async function said(gpu: Api, id: string): Promise<Record<string, boolean | null>> {
  const { mechanisms } = await gpu.sharing.verdict.value({ id });
  return Object.fromEntries(mechanisms.map(({ mechanism, possible }) => [mechanism, possible]));
}

test('a verdict says for each mechanism whether and why, from every window', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const kinds = [
    ['device', 'legacy'],
    ['managed', undefined],
    ['pinned', undefined],
    ['mapped', undefined],
    ['default-pool', undefined],
    ['pool', 'pool'],
    ['virtual', 'virtual'],
  ] as const;
  for (const [memory, way] of kinds) {
    const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4 * KiB, memory });
    const expected = { legacy: false, pool: false, virtual: false, fabric: false };
    for (const window of [gpu, producer.api, consumer.api]) {
      expect(await said(window, id), memory).toEqual(way === undefined ? expected : { ...expected, [way]: true });
    }
    const verdict = await gpu.sharing.verdict.value({ id });
    expect(verdict.subject).toMatchObject({ memory, objectId: id, peerId: producer.peerId });
    for (const { possible, why, next } of verdict.mechanisms) {
      expect(why).toMatch(/^[A-Z].*\.$/);
      if (possible === false) expect(next).toMatch(/^[A-Z].*\.$/);
    }
  }
});

test('an address is asked in the process that has it', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const first = await producer.api.buffers.create.value({ device: 0, bytes: 4 * KiB, label: 'first' });
  const second = await producer.api.buffers.create.value({ device: 0, bytes: 4 * KiB, label: 'second' });
  for (const processId of [producer.peerId, producer.pid]) {
    const { subject, block } = await gpu.sharing.verdict.value({ address: second.address, processId });
    expect(subject).toMatchObject({ memory: 'device', objectId: second.id, peerId: producer.peerId });
    expect(block).toMatchObject({ bytes: 2 * MiB, exposedBytes: 2 * MiB - 4 * KiB });
    expect(block?.neighbours).toContainEqual({
      objectId: first.id,
      label: 'first',
      address: first.address,
      bytes: 4 * KiB,
    });
  }
  expect(await gpu.sharing.verdict({ address: second.address, processId: 1 })).toMatchObject({
    ok: false,
    error: { code: 'not-found' },
  });
  expect((await gpu.sharing.verdict.value({ address: '0x0' })).subject.memory).toBe('nothing');
  await producer.api.buffers.free.value({ id: second.id });
  const freed = await gpu.sharing.verdict.value({ id: second.id });
  expect(freed).toMatchObject({ subject: { memory: 'nothing', label: 'second', range: null }, block: null });
  expect(await gpu.sharing.verdict({ id: 'p99.a1' })).toMatchObject({ ok: false, error: { code: 'not-found' } });
});

test('a trial opens the memory elsewhere, compares it, and leaves nothing', async ({ app, gpu }) => {
  const main = app.electron.process().pid ?? 0;
  const producer = await app.open('producer');
  const before = { peers: (await gpu.ledger.snapshot.value()).peers.length, processes: driverProcesses(main) };
  const fill = { pattern: 'random', seed: 5 } as const;
  for (const owner of [gpu, producer.api]) {
    for (const [memory, mechanism] of [
      ['device', 'legacy'],
      ['pool', 'pool'],
      ['virtual', 'virtual'],
    ] as const) {
      const { id } = await owner.buffers.create.value({ device: 0, bytes: 3 * MiB, memory, fill });
      const trial = await gpu.sharing.try.value({ id, mechanism });
      expect(trial, JSON.stringify(trial, null, 1)).toMatchObject({ mechanism, worked: true });
      expect(trial.exporterChecksum).toMatch(/^[0-9a-f]{64}$/);
      expect(trial.importerChecksum).toBe(trial.exporterChecksum);
      expect(trial.comparedBytes).toBe(trial.ofBytes);
      expect(trial.steps.every(({ ok }) => ok)).toBe(true);
    }
  }
  const after = await gpu.ledger.snapshot.value();
  expect(after.peers.length).toBe(before.peers);
  expect(after.exports).toEqual([]);
  expect(after.mappings).toEqual([]);
  expect(app.electron.windows().length).toBe(2);
  await expect.poll(() => driverProcesses(main)).toEqual(before.processes);
});

test('a trial of what cannot be shared shows what the driver answers', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4 * KiB, memory: 'managed' });
  const trial = await gpu.sharing.try.value({ id, mechanism: 'legacy' });
  expect(trial).toMatchObject({
    worked: false,
    exporterChecksum: null,
    importerChecksum: null,
    error: { code: 'driver-error', call: 'cuIpcGetMemHandle', cuda: { result: 1 } },
  });
  expect(trial.steps[0]).toMatchObject({ what: 'cuIpcGetMemHandle', ok: false });

  const exported = await producer.api.buffers.create.value({ device: 0, bytes: 4 * KiB });
  const { id: exportId } = await producer.api.buffers.export.value({ id: exported.id });
  const mapping = await gpu.imports.open.value({ exportId, device: 0 });
  const again = await gpu.sharing.try.value({ id: mapping.id, mechanism: 'legacy' });
  expect(again).toMatchObject({ worked: false, error: { cuda: { result: 1 } } });

  await producer.api.buffers.free.value({ id: exported.id });
  expect(await gpu.sharing.try({ id: exported.id, mechanism: 'legacy' })).toMatchObject({
    ok: false,
    error: { code: 'closed' },
  });
  expect(await producer.api.sharing.try({ id, mechanism: 'legacy' })).toMatchObject({
    ok: false,
    error: { code: 'not-allowed' },
  });
});

test('trials do not add up: no descriptor and no process stays', async ({ app, gpu }) => {
  const main = app.electron.process().pid ?? 0;
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 100, memory: 'virtual' });
  await gpu.sharing.try.value({ id, mechanism: 'virtual' });
  await gpu.sharing.try.value({ id, mechanism: 'legacy' });
  const processes = driverProcesses(main);
  const files = openFiles(producer.pid);
  for (let round = 0; round < 3; round++) {
    await Promise.all([
      gpu.sharing.try.value({ id, mechanism: 'virtual' }),
      gpu.sharing.try.value({ id, mechanism: 'legacy' }),
    ]);
  }
  await expect.poll(() => driverProcesses(main)).toEqual(processes);
  await expect.poll(() => openFiles(producer.pid)).toBeLessThanOrEqual(files);
});

test('a producer that is killed during a trial ends the trial, and its process', async ({ app, gpu }) => {
  test.skip(realDriver, 'needs a driver call that takes long');
  const main = app.electron.process().pid ?? 0;
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 512 * MiB });
  const running = gpu.sharing.try({ id, mechanism: 'legacy' });
  await expect.poll(() => driverProcesses(main).length).toBe(2);
  process.kill(producer.pid, 'SIGKILL');
  const answer = await running;
  // Killed before the importer opened the memory: the driver does not know the exporter any more.
  const error = answer.ok ? answer.value.error : answer.error;
  expect(['host-lost', 'driver-error']).toContain(error?.code);
  await expect.poll(() => driverProcesses(main)).toEqual([]);
});

test('descriptors of another process are found, with whether they may be taken', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const { id } = await producer.api.virtual.create.value({ device: 0, bytes: 2 * MiB });
  const { fd } = await producer.api.virtual.export.value({ id });
  const found = await gpu.fds.ofProcess.value({ pid: producer.pid });
  expect(found.candidates.map((candidate) => candidate.fd)).toContain(fd);
  expect(found).toMatchObject({ allowed: true, why: expect.stringMatching(/copy was taken/) });
  expect(await gpu.fds.ofProcess({ pid: 0x7fffffff })).toMatchObject({ ok: false, error: { code: 'not-found' } });
  expect(await producer.api.fds.ofProcess({ pid: producer.pid })).toMatchObject({
    ok: false,
    error: { code: 'not-allowed' },
  });
});
