/** Descriptors between the app and programs that know nothing of it: taken out of a process, in both directions. */
import { readlinkSync } from 'node:fs';
import type { Api } from './harness/api';
import { Peer, pythonHas } from './harness/peer';
import { expect, realDriver, test } from './harness/test';

const SIZE = 4 * 1024 * 1024;

test.skip(!pythonHas('ctypes, os; os.pidfd_open'), 'needs Python 3.9 with ctypes');

async function start(gpu: Api): Promise<Peer> {
  const { driver } = await gpu.app.info.value();
  return Peer.start('ctypes_peer.py', driver.path);
}

async function description(gpu: Api, peer: Peer, more: object): Promise<string> {
  const [device] = await gpu.devices.list.value();
  return JSON.stringify({
    format: 'gpu-ipc-descriptor',
    version: 1,
    exporter: { pid: peer.pid, pidNamespace: readlinkSync('/proc/self/ns/pid'), name: 'a program' },
    device: { uuid: device?.uuid },
    offset: 4096,
    size: 16,
    allocationSize: SIZE,
    label: 'foreign',
    ...more,
  });
}

/** Skips where the kernel does not let one process look into another. */
async function mayTake(gpu: Api, pid: number): Promise<void> {
  const { allowed, why } = await gpu.fds.ofProcess.value({ pid });
  test.skip(allowed !== true, why);
}

for (const mechanism of ['pool', 'virtual'] as const) {
  test(`${mechanism} memory of another program is opened by a description of it`, async ({ app, gpu }) => {
    const peer = await start(gpu);
    try {
      const made = await peer.ask(mechanism === 'pool' ? 'allocPool' : 'allocVirtual', { size: SIZE });
      await mayTake(gpu, peer.pid);
      const { candidates } = await gpu.fds.ofProcess.value({ pid: peer.pid });
      expect(candidates.map(({ fd }) => fd)).toContain(made.fd);
      await peer.ask('write', { offset: 4096, hex: 'c0ffee' });
      const parts =
        mechanism === 'pool'
          ? { mechanism, handle: 'handle' in made ? made.handle : '', descriptors: [{ fd: made.fd, bytes: null }] }
          : { mechanism, descriptors: [{ fd: made.fd, bytes: SIZE }] };
      const descriptor = await description(gpu, peer, parts);
      const consumer = await app.open('consumer');
      for (const importer of [gpu, consumer.api]) {
        const opened = await importer.imports.open.value({ descriptor, device: 0 });
        expect(opened).toMatchObject({ bytes: 16, references: 1, exporter: 'alive' });
        const { bytes } = await importer.memory.read.value({ id: opened.id, offset: 0, length: 4 });
        expect([...bytes]).toEqual([0xc0, 0xff, 0xee, 0]);
        await importer.buffers.write.value({ id: opened.id, offset: 3, bytes: Uint8Array.of(0x55) });
        expect((await peer.ask('read', { offset: 4096, length: 4 })).hex).toBe('c0ffee55');
        await peer.ask('write', { offset: 4099, hex: '00' });
      }
      const ledger = await gpu.ledger.snapshot.value();
      const outside = ledger.peers.find(({ role }) => role === 'outside');
      expect(outside).toMatchObject({ pid: peer.pid, state: 'alive' });
      for (const mapping of ledger.mappings) {
        expect(mapping).toMatchObject({ mechanism, label: 'foreign', exporterPeerId: outside?.id });
      }
      for (const row of [...ledger.pools, ...ledger.physicals]) {
        expect(row).toMatchObject({ imported: true, exportId: null, exporterPeerId: outside?.id, exporter: 'alive' });
      }
      // Closed there, it is found there no more: who has the memory keeps it.
      await peer.ask('closeFd', {});
      const late = await gpu.imports.open({ descriptor, device: 0 });
      expect(late).toMatchObject({ ok: false, error: { code: 'not-found', hint: expect.stringMatching(/closed it/) } });
      await peer.stop('SIGKILL');
      const exporters = async () =>
        (await gpu.ledger.snapshot.value()).mappings.map(({ exporter, state }) => `${state} ${exporter}`);
      await expect.poll(exporters, { timeout: 10_000 }).toEqual(['open gone', 'open gone']);
      const [mapping] = ledger.mappings.filter(({ peerId }) => peerId === consumer.peerId);
      const kept = await consumer.api.memory.read.value({ id: mapping?.id ?? '', offset: 0, length: 3 });
      expect([...kept.bytes]).toEqual([0xc0, 0xff, 0xee]);
      const gone = await gpu.imports.open({ descriptor, device: 0 });
      expect(gone).toMatchObject({ ok: false, error: { code: 'not-found', hint: expect.stringMatching(/ended/) } });
    } finally {
      await peer.stop('SIGKILL');
    }
  });
}

test('another program takes the descriptor of virtual memory of the app', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const peer = await start(gpu);
  try {
    await mayTake(gpu, peer.pid);
    const made = await producer.api.buffers.create.value({ device: 0, bytes: SIZE, memory: 'virtual' });
    const { fds } = await producer.api.buffers.export.value({ id: made.id });
    await peer.ask('openVirtual', { pid: producer.pid, fd: fds[0] ?? -1, size: SIZE });
    await producer.api.buffers.write.value({ id: made.id, offset: 7, bytes: Uint8Array.of(0xab) });
    expect((await peer.ask('read', { offset: 7, length: 1 })).hex).toBe('ab');
    await peer.ask('write', { offset: SIZE - 1, hex: 'cd' });
    const { bytes } = await producer.api.memory.read.value({ id: made.id, offset: SIZE - 1, length: 1 });
    expect([...bytes]).toEqual([0xcd]);
  } finally {
    await peer.stop('SIGKILL');
  }
});

test('a description that cannot be followed says why', async ({ gpu }) => {
  const peer = await start(gpu);
  try {
    const open = async (more: object) =>
      gpu.imports.open({ descriptor: await description(gpu, peer, more), device: 0 });
    const descriptors = [{ fd: 3, bytes: SIZE }];
    const elsewhere = { pid: peer.pid, pidNamespace: 'pid:[1]' };
    expect(await open({ mechanism: 'virtual', descriptors, exporter: elsewhere })).toMatchObject({
      ok: false,
      error: { code: 'unsupported', hint: expect.stringMatching(/--pid=host/) },
    });
    expect(await open({ mechanism: 'virtual', descriptors: [{ fd: 3, bytes: null }] })).toMatchObject({
      ok: false,
      error: { code: 'invalid-argument', message: expect.stringMatching(/descriptors\.0\.bytes/) },
    });
    expect(await open({ mechanism: 'pool', descriptors })).toMatchObject({
      ok: false,
      error: { code: 'invalid-argument', message: expect.stringMatching(/“handle” is missing/) },
    });
    const event = { mechanism: 'event', handle: '00'.repeat(64), offset: 0, size: 0, allocationSize: undefined };
    expect(await open(event)).toMatchObject({
      ok: false,
      error: { code: 'invalid-argument', hint: expect.stringMatching(/as an event/) },
    });
    expect(await gpu.imports.open({ descriptor: '{}', device: 0 })).toMatchObject({
      ok: false,
      error: { code: 'invalid-argument' },
    });
    expect((await gpu.ledger.snapshot.value()).mappings).toEqual([]);
  } finally {
    await peer.stop('SIGKILL');
  }
});

test.describe('fabric handles', () => {
  test.skip(realDriver, 'needs an IMEX channel');
  test.use({ launch: { env: { GPU_IPC_SIM_FABRIC: '1' } } });

  test('share memory where there is a channel', async ({ app, gpu }) => {
    const [device] = await gpu.devices.list.value();
    expect(device?.sharing.fabric.supported).toBe(true);
    const producer = await app.open('producer');
    const consumer = await app.open('consumer');
    const piece = await producer.api.virtual.create.value({ device: 0, bytes: SIZE, shareable: 'fabric' });
    const range = await producer.api.virtual.reserve.value({ device: 0, bytes: SIZE, label: 'over the fabric' });
    await producer.api.virtual.map.value({ id: range.id, physicalId: piece.id });
    await producer.api.virtual.access.value({ id: range.id, access: 'read-write' });
    await producer.api.buffers.fill.value({ id: range.id, fill: { pattern: 'constant', value: 0x42 } });
    const made = await producer.api.buffers.export.value({ id: range.id });
    expect(made).toMatchObject({ mechanism: 'fabric', handle: expect.any(Uint8Array), fds: [] });
    const { descriptor } = await gpu.handles.describe.value({ id: range.id });
    for (const args of [{ exportId: made.id }, { handle: made.handle ?? '' }, { descriptor }]) {
      const opened = await consumer.api.imports.open.value({ ...args, device: 0 });
      const { bytes } = await consumer.api.memory.read.value({ id: opened.id, offset: SIZE - 1, length: 1 });
      expect([...bytes]).toEqual([0x42]);
    }
    const exported = await producer.api.virtual.export.value({ id: piece.id });
    expect(exported.fd).toBeNull();
    const fabric = exported.handle ?? new Uint8Array(64);
    expect((await consumer.api.virtual.import.value({ fabric, bytes: SIZE, device: 0 })).bytes).toBe(SIZE);
  });
});
