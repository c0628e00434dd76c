/** Every call of `window.gpuIpc` with good arguments, from a page: what it answers, exactly. */

import * as v from 'valibot';
import { calls } from '#contract/calls';
import { api, exportHandle, raw } from '../harness/api';
import { expect, realDriver, test } from '../harness/test';

const id = expect.stringMatching(/^[a-z][a-z0-9.-]{0,39}$/);
const address = expect.stringMatching(/^0x[0-9a-f]{1,16}$/);
const text = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));

test('window.gpuIpc is one frozen object with every call of the contract', async ({ inspector }) => {
  const shape = await inspector.evaluate(() => {
    const groups = Object.entries(window.gpuIpc);
    return {
      frozen: Object.isFrozen(window.gpuIpc) && groups.every(([, group]) => Object.isFrozen(group)),
      methods: groups.flatMap(([name, group]) => Object.keys(group).map((method) => `${name}.${method}`)),
    };
  });
  expect(shape.frozen).toBe(true);
  expect(shape.methods.sort()).toEqual(
    [...Object.keys(calls), 'ledger.subscribe', 'settings.subscribe', 'contents.subscribe'].sort(),
  );
  const replaced = await inspector.evaluate(() => {
    try {
      (window as unknown as Record<string, unknown>).gpuIpc = 1;
    } catch {
      // A refusal may throw.
    }
    return typeof window.gpuIpc;
  });
  expect(replaced).toBe('object');
});

test('app.info names the versions, the driver and this window', async ({ gpu, app }) => {
  const info = await gpu.app.info.value();
  expect(info).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    electron: expect.stringMatching(/^\d+\.\d+\.\d+/),
    driver: {
      kind: realDriver ? 'real' : 'simulator',
      version: expect.stringMatching(/^\d+\.\d+$/),
      path: expect.stringMatching(realDriver ? /libcuda\.so/ : /build\/native\/libcuda-sim\.so$/),
      attempts: expect.any(Array),
    },
    self: { role: 'inspector', peerId: id, pid: expect.any(Number) },
  });
  if (!realDriver) expect(info.driver.reason).toMatch(/GPU_IPC_DRIVER/);
  expect(info.self.pid).toBe(app.electron.process().pid);
});

test('devices.list describes each device and what can be shared from it', async ({ gpu }) => {
  const devices = await gpu.devices.list.value();
  expect(devices.length).toBeGreaterThan(0);
  for (const [ordinal, device] of devices.entries()) {
    const support = { why: expect.stringMatching(/\w/) };
    expect(device).toMatchObject({
      ordinal,
      name: expect.stringMatching(/\w/),
      uuid: expect.stringMatching(/^GPU-[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/),
      pciBusId: expect.stringMatching(/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/i),
      totalBytes: expect.any(Number),
      computeCapability: expect.stringMatching(/^\d+\.\d+$/),
      attributes: expect.any(Object),
      sharing: { legacyMemory: support, events: support, poolFd: support, vmmFd: support, fabric: support },
      peers: expect.any(Array),
    });
    expect(device.totalBytes).toBeGreaterThan(2 ** 28);
    expect(device.freeBytes ?? 0).toBeLessThanOrEqual(device.totalBytes);
    for (const { supported } of Object.values(device.sharing)) expect([true, false, null]).toContain(supported);
    expect(device.sharing.legacyMemory.supported).toBe(true);
    expect(device.sharing.events.supported).toBe(true);
    expect(device.attributes.UNIFIED_ADDRESSING).toBe(1);
    expect(device.peers.map((peer) => peer.ordinal)).not.toContain(ordinal);
  }
});

test('a buffer is created, written, filled, read, exported and freed', async ({ gpu }) => {
  const created = await gpu.buffers.create.value({ device: 0, bytes: 4096, label: 'weights', dtype: 'u8' });
  expect(created).toEqual({ id, address, bytes: 4096 });
  const fresh = await gpu.memory.read.value({ id: created.id, offset: 0, length: 4096 });
  expect(fresh.bytes.every((byte) => byte === 0)).toBe(true);
  expect(Math.abs(fresh.takenAt - Date.now())).toBeLessThan(60_000);

  expect(await gpu.buffers.write({ id: created.id, offset: 16, bytes: text('deadbeef') })).toEqual({
    ok: true,
    value: undefined,
  });
  const { bytes } = await gpu.memory.read.value({ id: created.id, offset: 14, length: 8 });
  expect(bytes).toBeInstanceOf(Uint8Array);
  expect([...bytes]).toEqual([0, 0, 0xde, 0xad, 0xbe, 0xef, 0, 0]);

  await gpu.buffers.fill.value({ id: created.id, fill: { pattern: 'constant', value: 0xab } });
  const filled = await gpu.memory.read.value({ id: created.id, offset: 4088, length: 8 });
  expect([...filled.bytes]).toEqual(Array(8).fill(0xab));

  const exported = await exportHandle(gpu, { id: created.id });
  expect(exported).toEqual({
    id,
    allocationId: created.id,
    mechanism: 'legacy',
    handle: expect.any(Uint8Array),
    fds: [],
  });
  expect(exported.handle).toHaveLength(64);
  expect(await exportHandle(gpu, { id: created.id })).toEqual(exported);
  expect(await gpu.handles.reveal.value({ exportId: exported.id })).toEqual({ handle: exported.handle });

  expect(await gpu.buffers.free({ id: created.id })).toEqual({ ok: true, value: undefined });
  const ledger = await gpu.ledger.snapshot.value();
  expect(ledger.allocations.find((record) => record.id === created.id)?.state).toBe('freed');
  expect(ledger.exports.find((record) => record.id === exported.id)?.state).toBe('freed');
});

test('element types and patterns fill as they say', async ({ gpu }) => {
  const ramp = await gpu.buffers.create.value({
    device: 0,
    bytes: 16,
    dtype: 'f32',
    fill: { pattern: 'ramp', start: 1, step: 0.5 },
  });
  const { bytes } = await gpu.memory.read.value({ id: ramp.id, offset: 0, length: 16 });
  expect([...new Float32Array(bytes.slice().buffer)]).toEqual([1, 1.5, 2, 2.5]);
  const words = await gpu.buffers.create.value({ device: 0, bytes: 8, fill: { pattern: 'text', text: 'Grüße' } });
  const written = await gpu.memory.read.value({ id: words.id, offset: 0, length: 8 });
  expect(new TextDecoder().decode(written.bytes)).toBe('Grüße\0');
  const same = { device: 0, bytes: 256, fill: { pattern: 'random', seed: 7 } } as const;
  const [one, two] = [await gpu.buffers.create.value(same), await gpu.buffers.create.value(same)];
  const whole = { offset: 0, length: 256 };
  const first = (await gpu.memory.read.value({ id: one.id, ...whole })).bytes;
  expect(new Set(first).size).toBeGreaterThan(64);
  expect((await gpu.memory.read.value({ id: two.id, ...whole })).bytes).toEqual(first);
});

test('another process opens the buffer, both see each other write, references count', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  expect(producer.pid).toBeGreaterThan(0);
  const { id: bufferId } = await producer.api.buffers.create.value({ device: 0, bytes: 8192 });
  await producer.api.buffers.write.value({ id: bufferId, offset: 100, bytes: text('0102') });
  const exported = await exportHandle(producer.api, { id: bufferId });

  const opened = await gpu.imports.open.value({ handle: exported.handle, device: 0 });
  expect(opened).toEqual({ id, address, bytes: 8192, references: 1, state: 'open', exporter: 'alive' });
  expect([...(await gpu.memory.read.value({ id: opened.id, offset: 100, length: 2 })).bytes]).toEqual([1, 2]);
  await gpu.buffers.write.value({ id: opened.id, offset: 101, bytes: text('ff') });
  expect([...(await producer.api.memory.read.value({ id: bufferId, offset: 100, length: 2 })).bytes]).toEqual([1, 255]);

  const hex = Buffer.from(exported.handle).toString('hex');
  const again = await gpu.imports.open.value({ handle: hex, device: 0 });
  expect(again).toEqual({ ...opened, references: 2 });
  expect(await gpu.imports.close.value({ id: opened.id })).toEqual({ references: 1, state: 'open' });
  expect(await gpu.imports.close.value({ id: opened.id })).toEqual({ references: 0, state: 'closed' });

  const view = await gpu.imports.open.value({ exportId: exported.id, device: 0, offset: 4096, length: 16, flags: 1 });
  expect(view).toMatchObject({ bytes: 16, references: 1 });
  await producer.api.buffers.write.value({ id: bufferId, offset: 4096, bytes: text('55') });
  expect((await gpu.memory.read.value({ id: view.id, offset: 0, length: 16 })).bytes[0]).toBe(0x55);
});

test('pointer attributes are those of the driver', async ({ gpu }) => {
  const { id: bufferId } = await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  const attributes = await gpu.memory.attributes.value({ id: bufferId });
  const named = Object.fromEntries(attributes.map(({ name, value }) => [name, value]));
  expect(Object.keys(named).length).toBeGreaterThan(15);
  const find = (end: string) => Object.entries(named).find(([name]) => name.endsWith(end))?.[1];
  expect(find('IS_LEGACY_CUDA_IPC_CAPABLE')).toMatch(/^(1|yes|true)\b/);
  expect(find('RANGE_SIZE')).toMatch(/4[ ,]?096/);
});

test('an event is created, exported, opened, recorded, queried, waited for and destroyed', async ({ app }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const event = await producer.api.events.create.value({ device: 0 });
  expect(event).toEqual({ id });
  const exported = await producer.api.events.export.value({ id: event.id });
  expect(exported).toEqual({ id, eventId: event.id, handle: expect.any(Uint8Array) });
  expect(exported.handle).toHaveLength(64);
  const opened = await consumer.api.events.open.value({ handle: exported.handle, device: 0 });
  expect(opened).toEqual({ id });
  expect(await consumer.api.events.query.value({ id: opened.id })).toBe('ready');

  await producer.api.events.record.value({ id: event.id, afterMs: 1500 });
  expect(await producer.api.events.query.value({ id: event.id })).toBe('not-ready');
  expect(await consumer.api.events.query.value({ id: opened.id })).toBe('not-ready');
  expect(await consumer.api.events.wait.value({ id: opened.id, timeoutMs: 50 })).toBe('not-ready');
  expect(await consumer.api.events.wait.value({ id: opened.id, timeoutMs: 20_000 })).toBe('ready');
  expect(await producer.api.events.query.value({ id: event.id })).toBe('ready');

  await producer.api.events.record.value({ id: event.id, afterMs: 3000 });
  const waiting = consumer.api.events.wait({ id: opened.id, timeoutMs: 60_000 });
  await expect.poll(async () => (await consumer.api.events.cancelWait({ id: opened.id })).ok).toBe(true);
  expect(await waiting).toMatchObject({ ok: false, error: { code: 'cancelled' } });

  expect(await consumer.api.events.destroy({ id: opened.id })).toEqual({ ok: true, value: undefined });
  expect(await producer.api.events.destroy({ id: event.id })).toEqual({ ok: true, value: undefined });
});

test('the ledger arrives as a snapshot and then as patches without a gap', async ({ inspector, gpu }) => {
  const snapshot = await gpu.ledger.snapshot.value();
  v.parse(calls['ledger.snapshot'].result, snapshot);
  await inspector.evaluate(() => {
    const seen = { patches: [] as { seq: number; tables: string[] }[], stop: () => {} };
    (window as unknown as { seen: typeof seen }).seen = seen;
    seen.stop = window.gpuIpc.ledger.subscribe((patch) => {
      seen.patches.push({ seq: patch.seq, tables: patch.changes.map((change) => change.table) });
    });
  });
  const patches = () =>
    inspector.evaluate(
      () => (window as unknown as { seen: { patches: { seq: number; tables: string[] }[] } }).seen.patches,
    );
  const { id: bufferId } = await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  await expect.poll(async () => (await patches()).flatMap((patch) => patch.tables)).toContain('allocations');
  await gpu.buffers.free.value({ id: bufferId });
  await expect.poll(async () => (await patches()).length).toBeGreaterThan(1);
  const seqs = (await patches()).map((patch) => patch.seq);
  expect(seqs).toEqual(seqs.map((_, i) => (seqs[0] ?? 0) + i));

  await inspector.evaluate(() => (window as unknown as { seen: { stop: () => void } }).seen.stop());
  const before = (await patches()).length;
  // Another subscription tells when there was something to hear.
  const heard = inspector.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const end = window.gpuIpc.ledger.subscribe(({ changes }) => {
          if (!changes.some(({ table }) => table === 'allocations')) return;
          end();
          resolve();
        });
      }),
  );
  await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  await heard;
  expect(await patches()).toHaveLength(before);
});

test('settings are merged, kept and announced', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const changed = await gpu.settings.set.value({ followHz: 5 });
  expect(changed.followHz).toBe(5);
  expect(await producer.api.settings.get.value()).toEqual(changed);
});

test('demo processes: opened, killed, restarted, crashed on purpose', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const stateOf = async (peerId: string) =>
    (await gpu.ledger.snapshot.value()).peers.find((peer) => peer.id === peerId)?.state;
  expect(await stateOf(producer.peerId)).toBe('alive');
  expect(await gpu.demo.kill({ peerId: producer.peerId })).toEqual({ ok: true, value: undefined });
  await expect.poll(() => stateOf(producer.peerId)).toBe('lost');
  expect(await producer.api.devices.list()).toMatchObject({ ok: false, error: { code: 'host-lost' } });

  const restarted = await producer.api.demo.restart.value({});
  expect(restarted).toEqual({ peerId: id, pid: expect.any(Number) });
  expect(restarted.pid).not.toBe(producer.pid);
  const peers = (await gpu.ledger.snapshot.value()).peers;
  expect(peers.find((peer) => peer.id === producer.peerId)).toMatchObject({ replacedBy: restarted.peerId });
  expect(await producer.api.devices.list()).toMatchObject({ ok: true });

  await raw(producer.page, 'demo.crash');
  await expect.poll(() => stateOf(restarted.peerId)).toBe('lost');
});

test('every answer fits the schema of the contract', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  for (const page of [inspector, producer.page]) {
    for (const name of ['app.info', 'settings.get', 'devices.list', 'ledger.snapshot'] as const) {
      const answer = await raw(page, name);
      expect(answer.ok, name).toBe(true);
      if (answer.ok) v.parse(calls[name].result, answer.value);
    }
  }
  const buffer = await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  const exported = await exportHandle(gpu, { id: buffer.id });
  const anatomy = await api(inspector).handles.anatomy.value({ exportId: exported.id });
  v.parse(calls['handles.anatomy'].result, anatomy);
  expect(anatomy).toMatchObject({ kind: 'memory', checked: true });
  const named = Object.fromEntries(anatomy.fields.map((field) => [field.kind, field]));
  expect(named.pid?.value).toBe(String((await gpu.app.info.value()).self.pid));
  for (const field of anatomy.fields.filter(({ kind }) => kind === 'secret')) {
    expect(field).toMatchObject({ value: null, bytes: null });
  }
});
