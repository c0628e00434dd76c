/**
 * Programs that are killed while they share with the app: it says so, keeps working, and gives everything back.
 * One after the other: they compare how much memory the GPU has left.
 */
import { spawnSync } from 'node:child_process';
import type { MemoryKind } from '#contract/values';
import type { Api } from './harness/api';
import type { Peer } from './harness/peer';
import { mayTake, type Program, programs, skipWithout, startProgram } from './harness/peer-programs';
import { expect, realDriver, test } from './harness/test';

/**
 * More than the contexts of other tests that come and go at the same time. For a pool half of the largest pointer that is
 * imported (docs/driver-facts.md), so that it takes until they have settled to see the difference: hence the polls.
 */
const sizeOf = (kind: Kind | MemoryKind) => (realDriver ? (kind === 'pool' ? 2 : 16) * 2 ** 30 : 64 * 2 ** 20);
const POLL = { timeout: 15_000 };
const hex = (data: Uint8Array) => Buffer.from(data).toString('hex');

/** Bytes of the first device that are in use. By nvidia-smi where there is one: not the app's own word. */
async function used(gpu: Api): Promise<number> {
  const [device] = await gpu.devices.list.value();
  if (realDriver) {
    const query = ['--query-gpu=memory.used', '--format=csv,noheader,nounits', `--id=${device?.uuid}`];
    const { stdout, status } = spawnSync('nvidia-smi', query, { encoding: 'utf8' });
    if (status === 0) return Number(stdout.trim()) * 2 ** 20;
  }
  if (device?.freeBytes == null) throw new Error('nobody says how much memory is in use');
  return device.totalBytes - device.freeBytes;
}

/** The same, once it does not change any more: the context of a killed process goes a little later. */
async function settled(gpu: Api): Promise<number> {
  let last = -1;
  for (const end = Date.now() + 3000; Date.now() < end; ) {
    const now = await used(gpu);
    if (now === last) break;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return last;
}

/** How many descriptors a process has that could be shared memory. */
async function descriptors(gpu: Api, pid: number): Promise<number> {
  return (await gpu.fds.ofProcess.value({ pid })).candidates.length;
}

async function ownPid(gpu: Api): Promise<number> {
  const { self } = await gpu.app.info.value();
  if (self.pid === null) throw new Error('the Inspector has no process');
  return self.pid;
}

/** A simulated GPU of its own: other tests may use one at the same time. */
const machine = { GPU_IPC_SIM_MACHINE: `killed ${process.pid}` };
test.use({ launch: { env: machine } });

type Kind = 'legacy' | 'pool' | 'virtual';

/** The peer's memory, open in the app. */
async function openTheirs(gpu: Api, peer: Peer, kind: Kind, size: number, label: string) {
  const how = { device: 0, length: 4096, label };
  if (kind === 'legacy') {
    const { handle, offset = 0 } = await peer.ask('alloc', { size });
    const opened = await gpu.imports.open.value({ handle, offset, ...how });
    return { id: opened.id, handle };
  }
  await mayTake(gpu, peer.pid);
  if (kind === 'pool') {
    const { handle, fd } = await peer.ask('allocPool', { size });
    const pool = await gpu.pools.import.value({ from: { pid: peer.pid, fd }, device: 0 });
    const opened = await gpu.imports.open.value({ handle, poolId: pool.id, ...how });
    return { id: opened.id, handle, poolId: pool.id };
  }
  const { fd } = await peer.ask('allocVirtual', { size });
  const [device] = await gpu.devices.list.value();
  const descriptor = JSON.stringify({
    format: 'gpu-ipc-descriptor',
    version: 1,
    mechanism: 'virtual',
    descriptors: [{ fd, bytes: size }],
    exporter: { pid: peer.pid },
    device: { uuid: device?.uuid },
    offset: 0,
    size: 4096,
    label,
  });
  const opened = await gpu.imports.open.value({ descriptor, device: 0 });
  return { id: opened.id, descriptor };
}

const exporters: { readonly program: Program; readonly kinds: readonly Kind[] }[] = [
  { program: programs.ctypes, kinds: ['legacy', 'pool', 'virtual'] },
  { program: programs.cudaCore, kinds: ['pool'] },
  { program: programs.cupy, kinds: ['legacy'] },
  { program: programs.numba, kinds: ['legacy'] },
  { program: programs.pytorch, kinds: ['legacy'] },
];

for (const { program, kinds } of exporters) {
  test.describe(`${program.name}, killed @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    for (const kind of kinds) {
      test(`with its ${kind} memory open in the app`, async ({ gpu, inspector }) => {
        const size = sizeOf(kind);
        // Once before: what the first import makes for good is no leak.
        const first = await startProgram(gpu, programs.ctypes, machine);
        const pid = await ownPid(gpu);
        try {
          const small = await openTheirs(gpu, first, kind, 2 ** 21, 'the first');
          await gpu.imports.close.value({ id: small.id });
          if (small.poolId !== undefined) await gpu.pools.destroy.value({ id: small.poolId });
        } finally {
          await first.stop('SIGKILL');
        }
        const before = { used: await settled(gpu), descriptors: await descriptors(gpu, pid) };

        const peer = await startProgram(gpu, program, machine);
        try {
          const opened = await openTheirs(gpu, peer, kind, size, 'of the killed');
          await peer.ask('write', { offset: 0, hex: 'c0ffee' });
          await expect.poll(() => used(gpu), POLL).toBeGreaterThan(before.used + size / 2);

          // In the middle of reading; every answer is the bytes.
          let killed = false;
          const reading = (async () => {
            let reads = 0;
            for (const end = Date.now() + 400; Date.now() < end; reads++) {
              const { bytes } = await gpu.memory.read.value({ id: opened.id, offset: 0, length: 4 });
              expect(hex(bytes), killed ? 'after the kill' : 'before the kill').toBe('c0ffee00');
            }
            return reads;
          })();
          await new Promise((resolve) => setTimeout(resolve, 100));
          await peer.stop('SIGKILL');
          killed = true;
          expect(await reading).toBeGreaterThan(1);

          const exporter = async () =>
            (await gpu.ledger.snapshot.value()).mappings.find(({ id }) => id === opened.id)?.exporter;
          await expect.poll(exporter, POLL).toBe('gone');
          const row = inspector.getByRole('grid', { name: 'Handles' }).getByRole('row', { name: /^of the killed/ });
          await expect(row).toContainText(/exporter gone/i);
          // Whoever has it open keeps it.
          await expect.poll(() => used(gpu), POLL).toBeGreaterThan(before.used + size / 2);
          await gpu.buffers.write.value({ id: opened.id, offset: 4, bytes: Uint8Array.of(0x77) });
          const { bytes } = await gpu.memory.read.value({ id: opened.id, offset: 0, length: 5 });
          expect(hex(bytes)).toBe('c0ffee0077');
          if (opened.poolId === undefined) {
            const what =
              opened.descriptor === undefined ? { handle: opened.handle } : { descriptor: opened.descriptor };
            const { findings } = await gpu.handles.check.value({ ...what, device: 0 });
            expect(findings.map(({ code }) => code)).toContain('exporter-gone');
          }

          await gpu.imports.close.value({ id: opened.id });
          if (opened.poolId !== undefined) await gpu.pools.destroy.value({ id: opened.poolId });
          await expect.poll(() => used(gpu), POLL).toBeLessThan(before.used + size / 2);
          await expect.poll(() => descriptors(gpu, pid), POLL).toBeLessThanOrEqual(before.descriptors);
          const ledger = await gpu.ledger.snapshot.value();
          expect(ledger.mappings.filter(({ state }) => state === 'open')).toEqual([]);
          expect(ledger.pools.filter(({ state }) => state === 'live')).toEqual([]);
          expect(ledger.physicals.filter(({ state }) => state === 'live')).toEqual([]);
        } finally {
          await peer.stop('SIGKILL');
        }
      });
    }
  });
}

const importers: { readonly program: Program; readonly kinds: readonly MemoryKind[] }[] = [
  { program: programs.ctypes, kinds: ['device', 'pool', 'virtual'] },
  { program: programs.cudaPython, kinds: ['virtual'] },
  { program: programs.cudaCore, kinds: ['pool'] },
];

for (const { program, kinds } of importers) {
  test.describe(`${program.name}, killed as importer @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    for (const memory of kinds) {
      test(`with the app's ${memory} memory open`, async ({ gpu }) => {
        const size = sizeOf(memory);
        const pid = await ownPid(gpu);
        const peer = await startProgram(gpu, program, machine);
        try {
          await mayTake(gpu, peer.pid);
          // Once before, which makes the context.
          const first = await gpu.buffers.create.value({ device: 0, bytes: 4096, memory });
          await gpu.buffers.free.value({ id: first.id });
          const before = await settled(gpu);
          const made = await gpu.buffers.create.value({ device: 0, bytes: size, memory, label: 'kept' });
          await expect.poll(() => used(gpu), POLL).toBeGreaterThan(before + size / 2);
          const exported = await gpu.buffers.export.value({ id: made.id });
          const { descriptor } = await gpu.handles.describe.value({ id: exported.id });
          const withExport = await descriptors(gpu, pid);
          await peer.ask('openDescription', { descriptor });
          await peer.ask('write', { offset: 0, hex: 'c0ffee' });
          await peer.stop('SIGKILL');
          const { bytes } = await gpu.memory.read.value({ id: made.id, offset: 0, length: 3 });
          expect(hex(bytes)).toBe('c0ffee');
          expect(await descriptors(gpu, pid)).toBeLessThanOrEqual(withExport);
          // Nobody else has it: freed here, it is the GPU's again.
          await gpu.buffers.free.value({ id: made.id });
          if (memory === 'pool') {
            const { pools } = await gpu.ledger.snapshot.value();
            for (const pool of pools.filter(({ state }) => state === 'live')) {
              await gpu.pools.destroy.value({ id: pool.id });
            }
          }
          await expect.poll(() => used(gpu), POLL).toBeLessThan(before + size / 2);
        } finally {
          await peer.stop('SIGKILL');
        }
      });
    }
  });
}
