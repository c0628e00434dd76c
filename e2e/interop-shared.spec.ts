/** Memory that travels by file descriptor, to and from programs that know nothing of the app: pools and virtual memory. */
import type { MemoryKind } from '#contract/values';
import type { Api } from './harness/api';
import type { Peer } from './harness/peer';
import { mayTake, type Program, programs, skipWithout, startProgram } from './harness/peer-programs';
import { expect, screenshot, test } from './harness/test';

const MIB = 2 ** 20;
const SIZE = 4 * MIB;
/** Where is looked: [offset, bytes]. */
const PLACES = [
  [0, 64],
  [4090, 16],
  [SIZE - 16, 16],
] as const;

const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'hex'));

async function expectSame(gpu: Api, id: string, peer: Peer): Promise<void> {
  for (const [offset, length] of PLACES) {
    const { bytes: mine } = await gpu.memory.read.value({ id, offset, length });
    expect(hex(mine), `bytes from ${offset}`).toBe((await peer.ask('read', { offset, length })).hex);
  }
}

/** A write of each side arrives at the other. */
async function expectShared(gpu: Api, id: string, peer: Peer): Promise<void> {
  await gpu.buffers.write.value({ id, offset: 4097, bytes: bytes('c0ffee') });
  expect((await peer.ask('read', { offset: 4097, length: 3 })).hex).toBe('c0ffee');
  await peer.ask('write', { offset: SIZE - 4, hex: '0badcafe' });
  const { bytes: mine } = await gpu.memory.read.value({ id, offset: SIZE - 4, length: 4 });
  expect(hex(mine)).toBe('0badcafe');
}

for (const program of [programs.ctypes, programs.cudaCore]) {
  test.describe(`a pool of ${program.name} @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    test('is opened by its process, its descriptor and 64 bytes', async ({ gpu, inspector }) => {
      const peer = await startProgram(gpu, program);
      try {
        const { fd, handle } = await peer.ask('allocPool', { size: SIZE });
        await mayTake(gpu, peer.pid);
        await peer.ask('write', { offset: 0, hex: hex(new TextEncoder().encode(`pool of ${program.name}`)) });
        await peer.ask('write', { offset: SIZE - 8, hex: 'deadbeef' });
        const { candidates } = await gpu.fds.ofProcess.value({ pid: peer.pid });
        expect(candidates.map((candidate) => candidate.fd)).toContain(fd);

        const from = { pid: peer.pid, fd };
        const pool = await gpu.pools.import.value({ from, device: 0, label: 'their pool' });
        const label = `from ${program.name}`;
        const opened = await gpu.imports.open.value({ handle, poolId: pool.id, device: 0, length: SIZE, label });
        expect(opened).toMatchObject({ bytes: SIZE, references: 1, state: 'open', exporter: 'alive' });
        await expectSame(gpu, opened.id, peer);
        await expectShared(gpu, opened.id, peer);
        const ledger = await gpu.ledger.snapshot.value();
        const outside = ledger.peers.find(({ role }) => role === 'outside');
        expect(outside).toMatchObject({ pid: peer.pid, state: 'alive' });
        const mapping = ledger.mappings.find(({ id }) => id === opened.id);
        expect(mapping).toMatchObject({ mechanism: 'pool', exporterPeerId: outside?.id, poolId: pool.id });
        await inspector.getByRole('grid', { name: 'Handles' }).getByText(label).first().click();
        await expect(inspector.getByRole('grid', { name: 'Bytes' })).toContainText(/70\s*6f\s*6f\s*6c/);
        await screenshot(inspector, `interop-pool-${program.name.toLowerCase()}`);

        // The order that the driver wants: what is open, the pool, and then the exporter's own.
        const early = await gpu.pools.destroy({ id: pool.id });
        expect(early).toMatchObject({ ok: false });
        expect(await gpu.imports.close.value({ id: opened.id })).toEqual({ references: 0, state: 'closed' });
        await gpu.pools.destroy.value({ id: pool.id });
        expect((await peer.ask('read', { offset: SIZE - 8, length: 8 })).hex).toBe('deadbeef0badcafe');
        await peer.ask('free', {});
        const late = await gpu.pools.import({ from, device: 0 });
        expect(late).toMatchObject({ ok: false, error: { code: 'not-found' } });
        const after = await gpu.ledger.snapshot.value();
        expect(after.pools.filter(({ state }) => state === 'live')).toEqual([]);
        expect(after.mappings.filter(({ state }) => state === 'open')).toEqual([]);
      } finally {
        await peer.stop('SIGKILL');
      }
    });

    test('an event of it is ready when its data are', async ({ gpu }) => {
      const peer = await startProgram(gpu, program);
      try {
        const { handle } = await peer.ask('exportEvent', {});
        const opened = await gpu.events.open.value({ handle, device: 0 });
        expect(await gpu.events.wait.value({ id: opened.id, timeoutMs: 5000 })).toBe('ready');
        await gpu.events.destroy.value({ id: opened.id });
      } finally {
        await peer.stop();
      }
    });
  });
}

const openers: { readonly program: Program; readonly kinds: readonly MemoryKind[] }[] = [
  { program: programs.ctypes, kinds: ['device', 'pool', 'virtual'] },
  { program: programs.cudaPython, kinds: ['device', 'pool', 'virtual'] },
  { program: programs.cudaCore, kinds: ['pool'] },
];

for (const { program, kinds } of openers) {
  test.describe(`${program.name} opens what the app made @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    for (const memory of kinds) {
      test(`${memory} memory, by its share descriptor`, async ({ app, gpu }) => {
        const producer = await app.open('producer');
        const peer = await startProgram(gpu, program);
        try {
          await mayTake(gpu, peer.pid);
          const fill = { pattern: 'random', seed: 11 } as const;
          const made = await producer.api.buffers.create.value({ device: 0, bytes: SIZE, memory, fill });
          const exported = await producer.api.buffers.export.value({ id: made.id });
          const { descriptor } = await producer.api.handles.describe.value({ id: exported.id });
          await peer.ask('openDescription', { descriptor });
          await expectSame(producer.api, made.id, peer);
          await expectShared(producer.api, made.id, peer);
          await peer.ask('free', {});
          // Once more: what was given back can be had again.
          await peer.ask('openDescription', { descriptor });
          await expectSame(producer.api, made.id, peer);
          await peer.ask('free', {});
          await producer.api.buffers.free.value({ id: made.id });
        } finally {
          await peer.stop('SIGKILL');
        }
      });
    }
  });
}
