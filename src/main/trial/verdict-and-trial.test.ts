/**
 * What a verdict says and what a trial shows, for every kind of memory: they must agree. Runs on a real GPU with
 * GPU_IPC_DRIVER=real.
 */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Trial } from '#contract/calls/sharing';
import { fail } from '#contract/result';
import type { Mechanism, MemoryKind } from '#contract/values';
import { type ChildHost, hostElsewhere, prepareChildHosts } from '#host/testing/child-host';
import { onRealDriver, simulatorPath, testDriver } from '#host/testing/driver';
import { ChildTransports } from '../testing/child-transport';
import { Trials } from './trials';
import type { TrialHost } from './within';

prepareChildHosts();

const KiB = 1024;
const MiB = 1024 * KiB;
const mechanisms: readonly Mechanism[] = ['legacy', 'pool', 'virtual', 'fabric'];

let owner: ChildHost;
let importer: ChildHost;
let transports: ChildTransports;
let trials: Trials;
beforeAll(async () => {
  transports = await ChildTransports.prepare();
  trials = new Trials({ startProcess: () => transports.start(), simulatorPath });
  owner = await hostElsewhere('p1');
  importer = await hostElsewhere('p2');
});
afterAll(async () => {
  await importer.shutdown();
  await owner.shutdown();
  transports.remove();
});

const asExporter = (host: ChildHost): TrialHost => ({
  request: (name, args) => host.call(name as 'trial.end', args as never),
});

const tryIt = (host: ChildHost, id: string, mechanism: Mechanism, using = trials): Promise<Trial> =>
  using.run({ exporter: asExporter(host), id, mechanism, driver: testDriver() });

interface Made {
  readonly host: ChildHost;
  readonly id: string;
  readonly gone: () => Promise<unknown>;
}

async function buffer(memory: MemoryKind, bytes: number, more: { poolId?: string } = {}): Promise<Made> {
  const fill = { pattern: 'random', seed: 7 } as const;
  const { id } = await owner.value('buffers.create', { device: 0, bytes, memory, fill, ...more });
  return { host: owner, id, gone: () => owner.value('buffers.free', { id }) };
}

async function ofPool(shareable: boolean): Promise<Made> {
  const pool = await owner.value('pools.create', { device: 0, shareable });
  const made = await buffer('pool', 1 * MiB, { poolId: pool.id });
  return {
    ...made,
    gone: async () => {
      await made.gone();
      await owner.value('pools.destroy', { id: pool.id });
    },
  };
}

/** Physical memory mapped into a range, side by side. */
async function virtual(shareable: 'none' | 'fd', pieces = 1): Promise<Made> {
  const { minimum } = await owner.value('virtual.granularity', { device: 0 });
  const { id } = await owner.value('virtual.reserve', { device: 0, bytes: pieces * minimum });
  const physicals: string[] = [];
  for (let index = 0; index < pieces; index++) {
    const physical = await owner.value('virtual.create', { device: 0, bytes: minimum, shareable });
    physicals.push(physical.id);
    await owner.value('virtual.map', { id, physicalId: physical.id, offset: index * minimum });
  }
  await owner.value('virtual.access', { id, access: 'read-write' });
  await owner.value('buffers.fill', { id, fill: { pattern: 'random', seed: 3 } });
  return {
    host: owner,
    id,
    gone: async () => {
      await owner.value('virtual.unmap', { id });
      for (const physicalId of physicals) await owner.value('virtual.release', { id: physicalId });
      await owner.value('buffers.free', { id });
    },
  };
}

const view = { device: 0, label: 'imported' };

async function imported(mechanism: 'legacy' | 'pool' | 'virtual'): Promise<Made> {
  const made = mechanism === 'legacy' ? await buffer('device', 4 * MiB) : await ofKind(mechanism);
  const { id: exportId, handle } = await owner.value('buffers.export', { id: made.id });
  const open = async () => {
    const bytes = handle ?? new Uint8Array(64);
    if (mechanism === 'legacy') return importer.value('imports.open', { ...view, handle: bytes, flags: 1 });
    const { poolExportId } = owner.record('exports', exportId);
    const offered = mechanism === 'pool' ? (poolExportId ?? exportId) : exportId;
    const { name } = await owner.value('descriptors.offer', { exportId: offered, toPid: importer.pid });
    const source = { kind: 'offer', name } as const;
    if (mechanism === 'pool') {
      const pool = { device: 0, label: 'imported', exportId: offered };
      return importer.value('imports.openPool', { ...view, handle: bytes, source, pool, exportId });
    }
    const { chunks = [] } = owner.record('allocations', made.id);
    const facts = chunks.map((chunk) => ({ bytes: chunk.bytes, device: 0 }));
    return importer.value('imports.openVirtual', { ...view, source, chunks: facts, access: 'read', exportId });
  };
  const { id } = await open();
  return {
    host: importer,
    id,
    gone: async () => {
      await importer.value('imports.close', { id });
      await made.gone();
    },
  };
}
const ofKind = (kind: 'pool' | 'virtual'): Promise<Made> => (kind === 'pool' ? ofPool(true) : virtual('fd', 2));

/** Every kind, and the one way to share it. Over the fabric only where the device can, which the verdict knows. */
const kinds: readonly [string, () => Promise<Made>, Mechanism | undefined][] = [
  ['cuMemAlloc, 4 MiB', () => buffer('device', 4 * MiB), 'legacy'],
  ['cuMemAlloc, 4 KiB', () => buffer('device', 4 * KiB), 'legacy'],
  ['managed', () => buffer('managed', 1 * MiB), undefined],
  ['pinned', () => buffer('pinned', 1 * MiB), undefined],
  ['mapped', () => buffer('mapped', 1 * MiB), undefined],
  ['default pool', () => buffer('default-pool', 1 * MiB), undefined],
  ['a pool that is shareable', () => ofPool(true), 'pool'],
  ['a pool that is not', () => ofPool(false), undefined],
  ['virtual memory by buffers.create', () => buffer('virtual', 100), 'virtual'],
  ['virtual memory that is shareable', () => virtual('fd'), 'virtual'],
  ['virtual memory in three pieces', () => virtual('fd', 3), 'virtual'],
  ['virtual memory that is not shareable', () => virtual('none'), undefined],
  ['imported, legacy', () => imported('legacy'), undefined],
  ['imported, of a pool', () => imported('pool'), undefined],
  ['imported, virtual', () => imported('virtual'), undefined],
];

const openFiles = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;
/**
 * The process comes to have no more files open than it had. A process opens some for a moment by itself, and closes what
 * it offered behind its answer; what leaks stays.
 */
const hasLetGo = (pid: number, before: number) =>
  expect.poll(() => openFiles(pid), { timeout: 10_000 }).toBeLessThanOrEqual(before);
/** The processes made for trials come to have ended: one that had to be killed is not always gone at once. */
const haveEnded = () => expect.poll(() => transports.allEnded, { timeout: 10_000 }).toBe(true);

describe('verdict and trial agree on', () => {
  it.each(kinds)('%s', { timeout: 120_000 }, async (_kind, make, way) => {
    const { host, id, gone } = await make();
    const { mechanisms: answers } = await host.value('sharing.verdict', { id });
    expect(answers.map(({ mechanism }) => mechanism)).toEqual(mechanisms);
    const said = Object.fromEntries(answers.map(({ mechanism, possible }) => [mechanism, possible]));
    expect(said).toMatchObject(
      Object.fromEntries(['legacy', 'pool', 'virtual'].map((mechanism) => [mechanism, mechanism === way])),
    );
    // With the first export of a pool the driver opens a file that it keeps as long as the pool.
    if (way !== undefined) await tryIt(host, id, way);
    const before = openFiles(host.pid);
    for (const mechanism of mechanisms) {
      const trial = await tryIt(host, id, mechanism);
      expect(trial.worked, JSON.stringify(trial, null, 1)).toBe(said[mechanism]);
      expect(trial.mechanism).toBe(mechanism);
      if (trial.worked) {
        expect(trial.error).toBeUndefined();
        expect(trial.steps.filter(({ ok }) => !ok)).toEqual([]);
        expect(trial.exporterChecksum).toMatch(/^[0-9a-f]{64}$/);
        expect(trial.importerChecksum).toBe(trial.exporterChecksum);
        expect(trial.comparedBytes).toBe(trial.ofBytes);
      } else {
        expect(trial.error).toMatchObject({ code: 'driver-error' });
        expect(trial.error?.hint, trial.error?.message).toMatch(/^[A-Z].*\.$/);
        expect(trial.importerChecksum).toBeNull();
        expect(trial.steps.some(({ ok }) => !ok)).toBe(true);
      }
    }
    await haveEnded();
    await hasLetGo(host.pid, before);
    await gone();
  });
});

describe('a verdict', () => {
  it('of freed memory and of nothing is no', async () => {
    const { id, gone } = await buffer('device', 4 * KiB);
    const { address } = owner.record('allocations', id);
    await gone();
    const freed = await owner.value('sharing.verdict', { id });
    expect(freed.subject).toMatchObject({ memory: 'nothing', objectId: id, range: null, address });
    for (const args of [{ address: '0x0' }, { address: '0x1234' }]) {
      const nothing = await owner.value('sharing.verdict', args);
      expect(nothing.subject).toMatchObject({ memory: 'nothing', objectId: null, peerId: 'p1' });
      expect(nothing.mechanisms.map(({ possible }) => possible)).toEqual([false, false, false, false]);
    }
    expect(await owner.error('sharing.verdict', { id: 'p1.a999' })).toMatchObject({ code: 'not-found' });
    await expect(tryIt(owner, id, 'legacy')).rejects.toMatchObject({ error: { code: 'closed' } });
  });

  it('finds the memory at an address, and who else is in its block', async () => {
    const first = await buffer('device', 4 * KiB);
    const second = await buffer('device', 4 * KiB);
    const inside = BigInt(owner.record('allocations', second.id).address) + 100n;
    const { subject, block, facts } = await owner.value('sharing.verdict', { address: `0x${inside.toString(16)}` });
    expect(subject).toMatchObject({ memory: 'device', objectId: second.id, range: { bytes: 4 * KiB } });
    expect(block).toMatchObject({ bytes: 2 * MiB, exposedBytes: 2 * MiB - 4 * KiB });
    expect(block?.neighbours.map(({ objectId }) => objectId)).toContain(first.id);
    expect(block?.neighbours.map(({ objectId }) => objectId)).not.toContain(second.id);
    expect(facts).toContainEqual({ name: 'IS_LEGACY_CUDA_IPC_CAPABLE', value: 'yes', result: 'CUDA_SUCCESS' });
    expect(facts.find(({ name }) => name === 'cuMemRetainAllocationHandle')).toMatchObject({
      value: null,
      result: 'CUDA_ERROR_INVALID_VALUE',
    });
    await first.gone();
    await second.gone();
  });
});

describe('a trial', () => {
  it('leaves an export as it is, and adds none to the records', async () => {
    const { id, gone } = await buffer('virtual', 100);
    const before = owner.table('exports').length;
    await tryIt(owner, id, 'virtual');
    expect(owner.table('exports').length).toBe(before);
    const made = await owner.value('buffers.export', { id });
    const files = openFiles(owner.pid);
    expect((await tryIt(owner, id, 'virtual')).worked).toBe(true);
    await hasLetGo(owner.pid, files);
    expect(owner.record('exports', made.id).state).toBe('live');
    await gone();
  });

  it('of large memory compares parts of it', async () => {
    const { id } = await owner.value('buffers.create', { device: 0, bytes: 300 * MiB });
    await owner.value('buffers.write', { id, offset: 300 * MiB - 4, bytes: Uint8Array.of(1, 2, 3, 4) });
    const trial = await tryIt(owner, id, 'legacy');
    expect(trial).toMatchObject({ worked: true, comparedBytes: 256 * MiB, ofBytes: 300 * MiB });
    expect(trial.importerChecksum).toBe(trial.exporterChecksum);
    await owner.value('buffers.free', { id });
  });

  it('of a range with a hole compares what is mapped', async () => {
    const { minimum } = await owner.value('virtual.granularity', { device: 0 });
    const { id } = await owner.value('virtual.reserve', { device: 0, bytes: 4 * minimum });
    await expect(tryIt(owner, id, 'virtual')).rejects.toMatchObject({ error: { code: 'unsupported' } });
    expect((await owner.value('sharing.verdict', { id })).subject).toMatchObject({ memory: 'virtual', objectId: id });
    const physicals: string[] = [];
    for (const offset of [2 * minimum, 0]) {
      const { id: physicalId } = await owner.value('virtual.create', { device: 0, bytes: minimum });
      physicals.push(physicalId);
      await owner.value('virtual.map', { id, physicalId, offset });
    }
    // Nobody may read it yet, not even its owner; an importer may, once it has given itself access.
    const unread = await tryIt(owner, id, 'virtual');
    expect(unread).toMatchObject({ worked: true, exporterChecksum: null, comparedBytes: 0 });
    expect(unread.error).toBeDefined();
    await owner.value('virtual.access', { id, access: 'read-write' });
    await owner.value('buffers.write', { id, offset: 2 * minimum, bytes: Uint8Array.of(1, 2, 3) });
    const trial = await tryIt(owner, id, 'virtual');
    expect(trial, JSON.stringify(trial)).toMatchObject({
      worked: true,
      ofBytes: 2 * minimum,
      comparedBytes: 2 * minimum,
    });
    await owner.value('virtual.unmap', { id });
    for (const physicalId of physicals) await owner.value('virtual.release', { id: physicalId });
    await owner.value('buffers.free', { id });
  });

  it('of memory that is being written says so, or compares a quiet moment', async () => {
    const { id, gone } = await buffer('device', 4 * KiB);
    await owner.value('buffers.animate', { id, fill: { pattern: 'ramp' }, hz: 60 });
    const trial = await tryIt(owner, id, 'legacy');
    expect(trial.worked, JSON.stringify(trial)).toBe(true);
    expect(trial.steps.find(({ what }) => what === 'compare')?.ok).toBe(true);
    await gone();
  });

  it.skipIf(onRealDriver)('whose importer hangs ends it, and says so', async () => {
    const { id, gone } = await buffer('device', 4 * KiB);
    const slow = new Trials({
      startProcess: () => transports.start({ GPU_IPC_SIM_DELAY: 'cuIpcOpenMemHandle_v2=20000' }),
      simulatorPath,
      // Long enough for the start of a process on a busy machine.
      deadlineMs: 4000,
    });
    const trial = await tryIt(owner, id, 'legacy', slow);
    expect(trial).toMatchObject({ worked: false, error: { code: 'host-lost' }, importerChecksum: null });
    expect(trial.error?.message).toMatch(/did not answer within 4 s/);
    await haveEnded();
    expect((await tryIt(owner, id, 'legacy')).worked).toBe(true);
    await gone();
  });

  it.skipIf(onRealDriver)('whose exporter hangs is given up, and what it made later is let go of', async () => {
    const slow = await hostElsewhere('p3', { GPU_IPC_SIM_DELAY: 'cuMemExportToShareableHandle=1500' });
    const { id } = await slow.value('buffers.create', { device: 0, bytes: 100, memory: 'virtual' });
    const before = openFiles(slow.pid);
    const patient = new Trials({ startProcess: () => transports.start(), simulatorPath, deadlineMs: 500 });
    await expect(tryIt(slow, id, 'virtual', patient)).rejects.toMatchObject({ error: { code: 'host-lost' } });
    await slow.until(() => slow.calls.some(({ name }) => name === 'cuMemExportToShareableHandle'));
    // Its late answer has to arrive here first: only then it is asked to let go.
    await hasLetGo(slow.pid, before);
    await slow.shutdown();
  });

  it.skipIf(onRealDriver)('whose importer dies says so and leaves nothing', async () => {
    const { id, gone } = await buffer('virtual', 100);
    const before = openFiles(owner.pid);
    const dying = new Trials({
      startProcess: () => transports.start({ GPU_IPC_SIM_DELAY: 'cuMemImportFromShareableHandle=2000' }),
      simulatorPath,
    });
    const running = tryIt(owner, id, 'virtual', dying);
    await expect.poll(() => transports.allEnded, { timeout: 5000 }).toBe(false);
    setTimeout(() => void dying.stop(), 1000);
    expect(await running).toMatchObject({ worked: false, error: { code: 'host-lost' } });
    await haveEnded();
    await hasLetGo(owner.pid, before);
    await gone();
  });

  it('whose exporter was killed says so, and not what the driver answers about memory that is gone', async () => {
    const killed = await hostElsewhere('p4');
    const { id } = await killed.value('buffers.create', { device: 0, bytes: 4 * MiB });
    let isKilled = false;
    const exporter: TrialHost = {
      request: async (name, args) => {
        if (isKilled) return fail({ code: 'host-lost', message: 'gone' });
        const answer = await asExporter(killed).request(name, args);
        await killed.kill();
        isKilled = true;
        return answer;
      },
    };
    const trial = await trials.run({ exporter, id, mechanism: 'legacy', driver: testDriver() });
    expect(trial).toMatchObject({
      worked: false,
      error: { code: 'host-lost', message: 'The process that has the memory ended before the trial did.' },
    });
    expect(trial.steps.find(({ what }) => what === 'cuIpcOpenMemHandle_v2')).toMatchObject({ ok: false });
    await haveEnded();
  });

  it('whose process is killed while it starts says which it was', async () => {
    const { id, gone } = await buffer('device', 4 * KiB);
    const shot = new Trials({
      startProcess: () => {
        const transport = transports.start();
        transport.kill();
        return transport;
      },
      simulatorPath,
    });
    const { worked, error } = await tryIt(owner, id, 'legacy', shot);
    expect(worked).toBe(false);
    expect(error).toMatchObject({
      code: 'host-lost',
      message: 'The process made for the trial ended before the trial did.',
    });
    await haveEnded();
    await gone();
  });
});
