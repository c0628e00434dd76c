/** Every way to share memory, through the API that windows have: pools, virtual memory, and their descriptors. */
import type { Api } from '../harness/api';
import type { App } from '../harness/app';
import { expect, realDriver, test } from '../harness/test';

const MiB = 1024 * 1024;
const id = expect.stringMatching(/^p\d+\.[a-z]\d+$/);
const filled = (value: number) => ({ pattern: 'constant', value }) as const;

const bytesOf = async (gpu: Api, memory: string, offset = 0, length = 4) => [
  ...(await gpu.memory.read.value({ id: memory, offset, length })).bytes,
];

const code = async (call: Promise<{ ok: boolean; error?: { code: string } }>) => {
  const result = await call;
  return result.ok ? 'ok' : result.error?.code;
};

async function actors(app: App, devices: readonly [number, number] = [0, 0]) {
  const producer = await app.open('producer', devices[0]);
  const consumer = await app.open('consumer', devices[1]);
  return { producer, consumer };
}

for (const memory of ['pool', 'virtual'] as const) {
  test(`${memory} memory is created, exported, opened elsewhere, and let go of`, async ({ app, gpu }) => {
    const { producer, consumer } = await actors(app);
    const made = await producer.api.buffers.create.value({ device: 0, bytes: 4 * MiB, memory, fill: filled(0xab) });
    expect(made).toEqual({ id, address: expect.stringMatching(/^0x/), bytes: 4 * MiB });
    const exported = await producer.api.buffers.export.value({ id: made.id });
    expect(exported).toEqual({
      id,
      allocationId: made.id,
      mechanism: memory,
      handle: memory === 'pool' ? expect.any(Uint8Array) : null,
      fds: memory === 'pool' ? [] : [expect.any(Number)],
    });
    expect(await producer.api.buffers.export.value({ id: made.id })).toEqual(exported);

    for (const importer of [consumer.api, gpu]) {
      const opened = await importer.imports.open.value({ exportId: exported.id, device: 0 });
      expect(opened).toMatchObject({ id, bytes: 4 * MiB, references: 1, state: 'open', exporter: 'alive' });
      expect(await bytesOf(importer, opened.id)).toEqual([0xab, 0xab, 0xab, 0xab]);
      await importer.buffers.write.value({ id: opened.id, offset: 4 * MiB - 1, bytes: Uint8Array.of(7) });
      expect(await bytesOf(producer.api, made.id, 4 * MiB - 1, 1)).toEqual([7]);
      await producer.api.buffers.write.value({ id: made.id, offset: 4 * MiB - 1, bytes: Uint8Array.of(8) });
      expect(await bytesOf(importer, opened.id, 4 * MiB - 1, 1)).toEqual([8]);
      const again = await importer.imports.open.value({ exportId: exported.id, device: 0 });
      expect(again).toEqual({ ...opened, references: 2 });
      expect(await importer.imports.close.value({ id: opened.id })).toEqual({ references: 1, state: 'open' });
      expect(await bytesOf(importer, opened.id, 0, 1)).toEqual([0xab]);
      expect(await importer.imports.close.value({ id: opened.id })).toEqual({ references: 0, state: 'closed' });
      expect(await code(importer.imports.close({ id: opened.id }))).toBe('closed');
    }
    const ledger = await gpu.ledger.snapshot.value();
    const mapping = ledger.mappings.find(({ exportId }) => exportId === exported.id);
    expect(mapping).toMatchObject({ mechanism: memory, exporterPeerId: producer.peerId });
    expect(ledger.pools.filter(({ imported, state }) => imported && state === 'live')).toEqual([]);
    expect(ledger.physicals.filter(({ imported, state }) => imported && state === 'live')).toEqual([]);

    await producer.api.buffers.free.value({ id: made.id });
    expect(await code(consumer.api.imports.open({ exportId: exported.id, device: 0 }))).toBe('closed');
    const { descriptors } = await gpu.fds.list.value();
    expect(descriptors.filter(({ objectId }) => objectId === made.id)).toEqual([]);
  });

  test(`${memory} memory outlives its owner for who has it open`, async ({ app, gpu }) => {
    const { producer, consumer } = await actors(app);
    const share = async (value: number) => {
      const { id } = await producer.api.buffers.create.value({
        device: 0,
        bytes: 2 * MiB,
        memory,
        fill: filled(value),
      });
      const exported = await producer.api.buffers.export.value({ id });
      return { id, mapping: await consumer.api.imports.open.value({ exportId: exported.id, device: 0 }) };
    };
    const freed = await share(1);
    await producer.api.buffers.free.value({ id: freed.id });
    expect(await bytesOf(consumer.api, freed.mapping.id, 0, 1)).toEqual([1]);
    const stateOf = async (mapping: string) =>
      (await gpu.ledger.snapshot.value()).mappings.find((row) => row.id === mapping)?.exporter;
    expect(await stateOf(freed.mapping.id)).toBe('freed');

    const lost = await share(2);
    await gpu.demo.kill.value({ peerId: producer.peerId });
    await expect.poll(() => stateOf(lost.mapping.id)).toBe('gone');
    expect(await bytesOf(consumer.api, lost.mapping.id, 0, 1)).toEqual([2]);
    expect((await gpu.fds.list.value()).descriptors).toEqual([]);
    for (const { mapping } of [freed, lost]) {
      expect(await consumer.api.imports.close.value({ id: mapping.id })).toEqual({ references: 0, state: 'closed' });
    }
  });

  test(`${memory} memory stays its owner's when an importer is killed`, async ({ app, gpu }) => {
    const { producer, consumer } = await actors(app);
    const made = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MiB, memory, fill: filled(3) });
    const exported = await producer.api.buffers.export.value({ id: made.id });
    const opened = await consumer.api.imports.open.value({ exportId: exported.id, device: 0 });
    await gpu.demo.kill.value({ peerId: consumer.peerId });
    expect(await bytesOf(producer.api, made.id, 0, 1)).toEqual([3]);
    const ledger = await gpu.ledger.snapshot.value();
    expect(ledger.mappings.find((row) => row.id === opened.id)?.state).toBe('closed');
    const again = await gpu.imports.open.value({ exportId: exported.id, device: 0 });
    expect(await bytesOf(gpu, again.id, 0, 1)).toEqual([3]);
  });

  test(`${memory} memory of the Inspector can be opened by itself`, async ({ gpu }) => {
    const made = await gpu.buffers.create.value({ device: 0, bytes: 2 * MiB, memory, fill: filled(4) });
    const exported = await gpu.buffers.export.value({ id: made.id });
    const opened = await gpu.imports.open.value({ exportId: exported.id, device: 0 });
    expect(opened.address).not.toBe(made.address);
    await gpu.buffers.write.value({ id: made.id, offset: 1, bytes: Uint8Array.of(5) });
    expect(await bytesOf(gpu, opened.id, 0, 2)).toEqual([4, 5]);
    expect(await gpu.imports.close.value({ id: opened.id })).toMatchObject({ state: 'closed' });
  });

  test(`${memory} memory is described, and opened by that text`, async ({ app, gpu }) => {
    const { producer, consumer } = await actors(app);
    const made = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MiB, memory, fill: filled(6) });
    await producer.api.buffers.export.value({ id: made.id });
    const { descriptor } = await gpu.handles.describe.value({ id: made.id });
    const opened = await consumer.api.imports.open.value({ descriptor, device: 0 });
    expect(opened).toMatchObject({ bytes: 2 * MiB, exporter: 'alive' });
    expect(await bytesOf(consumer.api, opened.id, 0, 1)).toEqual([6]);
  });
}

test('a view of shared memory is the part that was asked for', async ({ app }) => {
  const { producer, consumer } = await actors(app);
  for (const memory of ['pool', 'virtual'] as const) {
    const made = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MiB, memory });
    await producer.api.buffers.write.value({ id: made.id, offset: 4096, bytes: Uint8Array.of(1, 2, 3) });
    const { id: exportId } = await producer.api.buffers.export.value({ id: made.id });
    const view = await consumer.api.imports.open.value({ exportId, device: 0, offset: 4096, length: 2 });
    expect(view.bytes).toBe(2);
    expect(await bytesOf(consumer.api, view.id, 0, 2)).toEqual([1, 2]);
    const beyond = { exportId, device: 0, offset: 2 * MiB, length: 1 };
    expect(await code(consumer.api.imports.open(beyond))).toBe('out-of-range');
  }
});

test('single steps of a pool: export, import, open into it, destroy', async ({ app, gpu }) => {
  const { producer, consumer } = await actors(app);
  const pool = await producer.api.pools.create.value({ device: 0, label: 'tensors' });
  const made = await producer.api.buffers.create.value({ device: 0, bytes: 4 * MiB, poolId: pool.id, fill: filled(9) });
  const usage = await producer.api.pools.usage.value({ id: pool.id });
  expect(usage.used).toBeGreaterThanOrEqual(4 * MiB);
  expect(usage.reserved).toBeGreaterThanOrEqual(usage.used);
  const exported = await producer.api.pools.export.value({ id: pool.id });
  expect(exported).toEqual({ id, poolId: pool.id, fd: expect.any(Number), pid: producer.pid });
  expect(await producer.api.pools.export.value({ id: pool.id })).toEqual(exported);
  const memory = await producer.api.buffers.export.value({ id: made.id });
  const row = (await gpu.ledger.snapshot.value()).exports.find((one) => one.id === memory.id);
  expect(row?.poolExportId).toBe(exported.id);

  const imported = await consumer.api.pools.import.value({ exportId: exported.id, device: 0 });
  expect(await consumer.api.pools.import.value({ exportId: exported.id, device: 0 })).toEqual(imported);
  const opened = await consumer.api.imports.open.value({
    handle: memory.handle ?? new Uint8Array(64),
    poolId: imported.id,
    device: 0,
  });
  expect(await bytesOf(consumer.api, opened.id, 0, 1)).toEqual([9]);
  const refused = await consumer.api.pools.destroy({ id: imported.id });
  expect(refused).toMatchObject({
    ok: false,
    error: { code: 'driver-error', cuda: { result: 1 }, hint: expect.stringMatching(/is open/) },
  });
  await consumer.api.imports.close.value({ id: opened.id });
  expect((await gpu.ledger.snapshot.value()).pools.find((one) => one.id === imported.id)?.state).toBe('live');
  await consumer.api.pools.destroy.value({ id: imported.id });
  expect(await code(consumer.api.pools.destroy({ id: imported.id }))).toBe('closed');
  await producer.api.buffers.free.value({ id: made.id });
  expect((await producer.api.pools.trim.value({ id: pool.id })).used).toBe(0);
  await producer.api.pools.destroy.value({ id: pool.id });
  expect((await gpu.fds.list.value()).descriptors).toEqual([]);
});

test('pools in the wrong order are answered by the driver, with what to do', async ({ app }) => {
  const { producer, consumer } = await actors(app);
  const alone = await producer.api.pools.create.value({ device: 0, shareable: false });
  expect(await producer.api.pools.export({ id: alone.id })).toMatchObject({
    ok: false,
    error: { call: 'cuMemPoolExportToShareableHandle', cuda: { result: 1 }, hint: expect.stringMatching(/shareable/) },
  });
  const hidden = await producer.api.buffers.create.value({ device: 0, bytes: MiB, poolId: alone.id });
  expect(await code(producer.api.buffers.export({ id: hidden.id }))).toBe('driver-error');

  const small = await producer.api.pools.create.value({ device: 0, maxBytes: 64 * MiB });
  expect(await producer.api.buffers.create({ device: 0, bytes: 128 * MiB, poolId: small.id })).toMatchObject({
    ok: false,
    error: { cuda: { result: 2 } },
  });

  const one = await producer.api.buffers.create.value({ device: 0, bytes: MiB, memory: 'pool' });
  const exported = await producer.api.buffers.export.value({ id: one.id });
  const range = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MiB, memory: 'virtual' });
  const [fd = -1] = (await producer.api.buffers.export.value({ id: range.id })).fds;
  const from = { pid: producer.pid, fd };
  expect(await consumer.api.pools.import({ from, device: 0 })).toMatchObject({
    ok: false,
    error: { cuda: { result: 801 }, hint: expect.stringMatching(/virtual memory/) },
  });
  const pool = await consumer.api.pools.import.value({ exportId: exported.id, device: 0 });
  const zeros = await consumer.api.imports.open({ handle: new Uint8Array(64), poolId: pool.id, device: 0 });
  expect(zeros).toMatchObject({ ok: false, error: { cuda: { result: 1 }, hint: expect.stringMatching(/zero/) } });
});

test('single steps of virtual memory: one range of two pieces, exported as one', async ({ app, gpu }) => {
  const { producer, consumer } = await actors(app);
  const { minimum } = await producer.api.virtual.granularity.value({ device: 0 });
  expect(minimum).toBeGreaterThan(0);
  const range = await producer.api.virtual.reserve.value({ device: 0, bytes: 2 * minimum, label: 'range' });
  expect(range.bytes).toBe(2 * minimum);
  expect(await producer.api.memory.read({ id: range.id, offset: 0, length: 1 })).toMatchObject({
    ok: false,
    error: { code: 'out-of-range', message: expect.stringMatching(/nothing is mapped/) },
  });
  const first = await producer.api.virtual.create.value({ device: 0, bytes: 1, label: 'first' });
  const second = await producer.api.virtual.create.value({ device: 0, bytes: minimum, label: 'second' });
  expect(first.bytes).toBe(minimum);
  await producer.api.virtual.map.value({ id: range.id, physicalId: first.id });
  expect(await producer.api.memory.read({ id: range.id, offset: 0, length: 1 })).toMatchObject({
    ok: false,
    error: { code: 'out-of-range', message: expect.stringMatching(/device 0 has no access/) },
  });
  await producer.api.virtual.access.value({ id: range.id, access: 'read' });
  expect(await code(producer.api.memory.read({ id: range.id, offset: 0, length: 1 }))).toBe('ok');
  expect(await code(producer.api.buffers.fill({ id: range.id, fill: filled(1) }))).toBe('out-of-range');
  await producer.api.virtual.map.value({ id: range.id, physicalId: second.id, offset: minimum });
  const overlapping = { id: range.id, physicalId: second.id, offset: 0 };
  expect(await producer.api.virtual.map(overlapping)).toMatchObject({
    ok: false,
    error: { call: 'cuMemMap', cuda: { result: 1 }, hint: expect.stringMatching(/mapped/) },
  });
  expect(await code(producer.api.virtual.map({ ...overlapping, offset: 2 * minimum }))).toBe('out-of-range');
  await producer.api.virtual.access.value({ id: range.id, access: 'read-write' });
  await producer.api.buffers.fill.value({ id: range.id, fill: filled(0x33) });
  expect(await bytesOf(producer.api, range.id, minimum - 2, 4)).toEqual([0x33, 0x33, 0x33, 0x33]);

  const exported = await producer.api.buffers.export.value({ id: range.id });
  expect(exported.fds).toHaveLength(2);
  const opened = await consumer.api.imports.open.value({ exportId: exported.id, device: 0, access: 'read' });
  expect(opened.bytes).toBe(2 * minimum);
  expect(await bytesOf(consumer.api, opened.id, minimum - 2, 4)).toEqual([0x33, 0x33, 0x33, 0x33]);
  expect(await code(consumer.api.buffers.write({ id: opened.id, offset: 0, bytes: Uint8Array.of(1) }))).toBe(
    'out-of-range',
  );

  await producer.api.virtual.release.value({ id: second.id });
  expect(await bytesOf(producer.api, range.id, minimum, 1)).toEqual([0x33]);
  await producer.api.virtual.unmap.value({ id: range.id, offset: minimum });
  expect(await code(producer.api.memory.read({ id: range.id, offset: minimum - 1, length: 2 }))).toBe('out-of-range');
  expect(await bytesOf(consumer.api, opened.id, minimum, 1)).toEqual([0x33]);
  await producer.api.buffers.free.value({ id: range.id });
  expect(await bytesOf(consumer.api, opened.id, 0, 1)).toEqual([0x33]);
  expect((await gpu.fds.list.value()).descriptors).toEqual([]);
  await producer.api.virtual.release.value({ id: first.id });
});

test('physical memory is exported by itself, and mapped twice', async ({ app, gpu }) => {
  const { producer, consumer } = await actors(app);
  const physical = await producer.api.virtual.create.value({ device: 0, bytes: 2 * MiB });
  const exported = await producer.api.virtual.export.value({ id: physical.id });
  expect(exported).toEqual({
    id,
    physicalId: physical.id,
    pid: producer.pid,
    fd: expect.any(Number),
    handle: null,
  });
  const imported = await consumer.api.virtual.import.value({ exportId: exported.id, device: 0 });
  expect(imported.bytes).toBe(physical.bytes);
  const range = await consumer.api.virtual.reserve.value({ device: 0, bytes: 2 * physical.bytes });
  await consumer.api.virtual.map.value({ id: range.id, physicalId: imported.id });
  await consumer.api.virtual.map.value({ id: range.id, physicalId: imported.id, offset: physical.bytes });
  await consumer.api.virtual.access.value({ id: range.id, access: 'read-write' });
  await consumer.api.buffers.write.value({ id: range.id, offset: 3, bytes: Uint8Array.of(0x77) });
  expect(await bytesOf(consumer.api, range.id, physical.bytes + 3, 1)).toEqual([0x77]);
  const refused = await consumer.api.virtual.import({ from: { pid: process.pid, fd: 99_999 }, bytes: 1, device: 0 });
  expect(refused).toMatchObject({ ok: false, error: { hint: expect.any(String) } });

  const ledger = await gpu.ledger.snapshot.value();
  expect(ledger.physicals.find((row) => row.id === imported.id)).toMatchObject({
    imported: true,
    exportId: exported.id,
    exporterPeerId: producer.peerId,
    exporter: 'alive',
  });
  await producer.api.virtual.release.value({ id: physical.id });
  expect(await bytesOf(consumer.api, range.id, 3, 1)).toEqual([0x77]);
  await consumer.api.virtual.release.value({ id: imported.id });
  await consumer.api.virtual.unmap.value({ id: range.id });
});

test('descriptors are listed and closed on purpose', async ({ app, gpu }) => {
  const { producer, consumer } = await actors(app);
  const pool = await producer.api.buffers.create.value({ device: 0, bytes: MiB, memory: 'pool', label: 'of a pool' });
  const range = await producer.api.buffers.create.value({ device: 0, bytes: MiB, memory: 'virtual', label: 'range' });
  const ofPool = await producer.api.buffers.export.value({ id: pool.id });
  const ofRange = await producer.api.buffers.export.value({ id: range.id });
  const open = await consumer.api.imports.open.value({ exportId: ofRange.id, device: 0 });
  const { descriptors } = await gpu.fds.list.value();
  expect(descriptors).toHaveLength(2);
  const file = realDriver ? '/dev/nvidiactl' : /^\/memfd:gpu-ipc-sim/;
  expect(descriptors.find(({ exportId }) => exportId === ofRange.id)).toEqual({
    peerId: producer.peerId,
    pid: producer.pid,
    fd: ofRange.fds[0],
    exportId: ofRange.id,
    kind: 'physical',
    objectId: range.id,
    label: 'range',
    file: expect.stringMatching(file),
    openedAt: expect.any(Number),
    pins: 2 * MiB,
  });
  const poolDescriptor = descriptors.find(({ kind }) => kind === 'pool');
  expect(poolDescriptor).toMatchObject({ pins: null, file: expect.stringMatching(file) });
  expect((await consumer.api.fds.list.value()).descriptors).toEqual([]);
  expect((await producer.api.fds.list.value()).descriptors).toEqual(descriptors);

  await producer.api.fds.close.value({ exportId: ofRange.id });
  await gpu.fds.close.value({ exportId: poolDescriptor?.exportId ?? '' });
  expect((await gpu.fds.list.value()).descriptors).toEqual([]);
  const states = (await gpu.ledger.snapshot.value()).exports.map(({ state }) => state);
  expect(states).toEqual(['closed', 'closed', 'closed']);
  expect(await consumer.api.imports.open({ exportId: ofPool.id, device: 0 })).toMatchObject({
    ok: false,
    error: { code: 'closed', hint: expect.stringMatching(/Export it again/) },
  });
  // Whoever has it open keeps it, and may open it once more.
  expect(await code(consumer.api.memory.read({ id: open.id, offset: 0, length: 1 }))).toBe('ok');
  expect((await consumer.api.imports.open.value({ exportId: ofRange.id, device: 0 })).references).toBe(2);
  for (const { id: objectId } of [pool, range]) {
    const again = await producer.api.buffers.export.value({ id: objectId });
    expect([ofPool.id, ofRange.id]).not.toContain(again.id);
    expect(await code(gpu.imports.open({ exportId: again.id, device: 0 }))).toBe('ok');
  }
});

test.describe('between two devices', () => {
  test.use({ launch: realDriver ? {} : { env: { GPU_IPC_SIM_DEVICES: '2' } } });

  for (const memory of ['pool', 'virtual'] as const) {
    test(`${memory} memory is used by another device`, async ({ app, gpu }) => {
      test.skip((await gpu.devices.list.value()).length < 2, 'there is one device');
      const { producer, consumer } = await actors(app, [0, 1]);
      const made = await producer.api.buffers.create.value({ device: 0, bytes: 2 * MiB, memory, fill: filled(0x21) });
      const exported = await producer.api.buffers.export.value({ id: made.id });
      const opened = await consumer.api.imports.open.value({ exportId: exported.id, device: 1 });
      expect(await bytesOf(consumer.api, opened.id)).toEqual([0x21, 0x21, 0x21, 0x21]);
      await consumer.api.buffers.write.value({ id: opened.id, offset: 0, bytes: Uint8Array.of(0x22) });
      expect(await bytesOf(producer.api, made.id, 0, 2)).toEqual([0x22, 0x21]);
      expect(await consumer.api.imports.close.value({ id: opened.id })).toEqual({ references: 0, state: 'closed' });
    });
  }

  test('access to an imported pool is a step of its own', async ({ app, gpu }) => {
    test.skip((await gpu.devices.list.value()).length < 2, 'there is one device');
    const { producer, consumer } = await actors(app, [0, 1]);
    const made = await producer.api.buffers.create.value({ device: 0, bytes: MiB, memory: 'pool', fill: filled(5) });
    const exported = await producer.api.buffers.export.value({ id: made.id });
    const pool = await consumer.api.pools.import.value({ exportId: exported.id, device: 1 });
    const opened = await consumer.api.imports.open.value({ exportId: exported.id, poolId: pool.id, device: 1 });
    expect(await consumer.api.memory.read({ id: opened.id, offset: 0, length: 1 })).toMatchObject({
      ok: false,
      error: { cuda: { result: 1 }, hint: expect.stringMatching(/cuMemPoolSetAccess/) },
    });
    await consumer.api.pools.access.value({ id: pool.id, device: 1, access: 'read-write' });
    expect(await bytesOf(consumer.api, opened.id, 0, 1)).toEqual([5]);
    expect(await consumer.api.pools.access({ id: pool.id, device: 1, access: 'read' })).toMatchObject({
      ok: false,
      error: { cuda: { result: 801 } },
    });
  });
});
