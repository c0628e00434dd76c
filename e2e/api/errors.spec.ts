/** Bad arguments and calls that the driver refuses: a typed error at once, and nothing has changed. */

import type { Page } from '@playwright/test';
import type { LedgerSnapshot } from '#contract/records';
import type { IpcError, Result } from '#contract/result';
import { api, exportHandle, raw } from '../harness/api';
import { expect, test } from '../harness/test';

const error = (answer: Result<unknown>): IpcError => {
  if (answer.ok) throw new Error(`answered ok: ${JSON.stringify(answer.value)}`);
  expect(answer.error.message, 'a message for people').toMatch(/\w/);
  return answer.error;
};

/** What the ledger says about objects, without calls and what moves by itself. */
async function objects(page: Page) {
  const { allocations, exports, mappings, events, eventImports }: LedgerSnapshot =
    await api(page).ledger.snapshot.value();
  return { allocations, exports, mappings, events, eventImports };
}

const handle = (length: number) => new Uint8Array(length);

test('arguments that do not fit the contract are refused before anything happens', async ({ inspector, gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  const before = await objects(inspector);
  const wrong: [string, ...unknown[]][] = [
    ['buffers.create'],
    ['buffers.create', null],
    ['buffers.create', 'text'],
    ['buffers.create', { device: 0 }],
    ['buffers.create', { device: 0, bytes: 0 }],
    ['buffers.create', { device: 0, bytes: -1 }],
    ['buffers.create', { device: 0, bytes: 1.5 }],
    ['buffers.create', { device: 0, bytes: Number.NaN }],
    ['buffers.create', { device: 0, bytes: Number.POSITIVE_INFINITY }],
    ['buffers.create', { device: 0, bytes: 2 ** 53 }],
    ['buffers.create', { device: 0, bytes: '4096' }],
    ['buffers.create', { device: -1, bytes: 16 }],
    ['buffers.create', { device: 0, bytes: 16, label: 'x'.repeat(81) }],
    ['buffers.create', { device: 0, bytes: 16, dtype: 'f8' }],
    ['buffers.create', { device: 0, bytes: 16, fill: { pattern: 'plasma' } }],
    ['buffers.create', { device: 0, bytes: 16, surprise: true }],
    ['buffers.write', { id, offset: -1, bytes: handle(1) }],
    ['buffers.write', { id, offset: 0, bytes: handle(0) }],
    ['buffers.write', { id, offset: 0, bytes: [1, 2] }],
    ['buffers.free', { id: '../../etc' }],
    ['buffers.free', { id: '' }],
    ['memory.read', { id, offset: 0, length: 0 }],
    ['memory.read', { id, offset: 0, length: 64 * 1024 * 1024 + 1 }],
    ['memory.read', { id, offset: 0.5, length: 1 }],
    ['imports.open', { device: 0 }],
    ['imports.open', { device: 0, handle: handle(63) }],
    ['imports.open', { device: 0, handle: handle(65) }],
    ['imports.open', { device: 0, handle: '' }],
    ['imports.open', { device: 0, handle: 'not a handle' }],
    ['imports.open', { device: 0, handle: 'ab'.repeat(63) }],
    ['imports.open', { device: 0, handle: handle(64), exportId: 'p1.x1' }],
    ['imports.open', { device: 0, handle: handle(64), flags: -1 }],
    ['imports.open', { device: 0, handle: handle(64), length: 0 }],
    ['events.open', { device: 0, handle: handle(32) }],
    ['events.wait', { id, timeoutMs: -1 }],
    ['events.wait', { id, timeoutMs: 1e12 }],
    ['demo.open', { role: 'inspector', device: 0 }],
    ['demo.kill', { peerId: 4 }],
    ['buffers.create', { device: 0, bytes: 16, fill: { pattern: 'zero', surprise: true } }],
    ['buffers.create', { device: 0, bytes: 16, memory: 'texture' }],
    ['buffers.create', { device: 0, bytes: 16, memory: 'device', poolId: 'p1.q1' }],
    ['imports.open', { device: 0, handle: handle(64), access: 'write' }],
    ['imports.open', { device: 0, descriptor: '{"format":"gpu-ipc-descriptor","version":1}' }],
    ['pools.create', { device: 0, maxBytes: 0 }],
    ['pools.access', { id: 'p1.q1', device: 0, access: 'all' }],
    ['pools.import', { device: 0 }],
    ['pools.import', { device: 0, exportId: 'p1.x1', from: { pid: 1, fd: 0 } }],
    ['pools.import', { device: 0, from: { pid: 0, fd: 0 } }],
    ['virtual.create', { device: 0, bytes: 0 }],
    ['virtual.create', { device: 0, bytes: 16, shareable: 'win32' }],
    ['virtual.map', { id, physicalId: 'p1.f1', offset: -1 }],
    ['virtual.unmap', { id }],
    ['virtual.access', { id, access: 'read' }],
    ['virtual.import', { device: 0, from: { pid: 1, fd: -1 }, bytes: 16 }],
    ['virtual.import', { device: 0, from: { pid: 1, fd: 3 } }],
    ['virtual.import', { device: 0, fabric: handle(63), bytes: 16 }],
    ['settings.set', { followHz: 1000 }],
    ['settings.set', { surprise: true }],
  ];
  for (const [name, ...args] of wrong) {
    const answer = await raw(inspector, name, ...args);
    expect(error(answer).code, `${name}(${JSON.stringify(args[0])})`).toBe('invalid-argument');
  }
  expect(await objects(inspector)).toEqual(before);
});

test('what cannot be sent to main at all is a wrong argument too', async ({ inspector }) => {
  const answer = await inspector.evaluate(() =>
    (window.gpuIpc.buffers.free as unknown as (args: unknown) => Promise<Result<unknown>>)({ id: () => 'p1.a1' }),
  );
  expect(error(answer).code).toBe('invalid-argument');
});

test('ids of nobody are not found', async ({ inspector, gpu }) => {
  const nobody: [string, object][] = [
    ['buffers.write', { id: 'p1.a999', offset: 0, bytes: handle(1) }],
    ['buffers.fill', { id: 'p1.a999', fill: { pattern: 'zero' } }],
    ['buffers.export', { id: 'p1.a999' }],
    ['buffers.free', { id: 'p1.a999' }],
    ['imports.open', { exportId: 'p1.x999', device: 0 }],
    ['imports.close', { id: 'p1.m999' }],
    ['memory.read', { id: 'p1.a999', offset: 0, length: 1 }],
    ['memory.attributes', { id: 'p1.a999' }],
    ['events.export', { id: 'p1.e999' }],
    ['events.open', { exportId: 'p1.x999', device: 0 }],
    ['events.record', { id: 'p1.e999' }],
    ['events.query', { id: 'p1.e999' }],
    ['events.wait', { id: 'p1.e999', timeoutMs: 10 }],
    ['events.destroy', { id: 'p1.e999' }],
    ['handles.reveal', { exportId: 'p1.x999' }],
    ['handles.anatomy', { exportId: 'p1.x999' }],
    ['pools.usage', { id: 'p1.q999' }],
    ['pools.destroy', { id: 'p1.q999' }],
    ['pools.export', { id: 'p1.q999' }],
    ['pools.import', { exportId: 'p1.x999', device: 0 }],
    ['buffers.create', { device: 0, bytes: 16, poolId: 'p1.q999' }],
    ['imports.open', { handle: handle(64), poolId: 'p1.q999', device: 0 }],
    ['virtual.map', { id: 'p1.a999', physicalId: 'p1.f999' }],
    ['virtual.release', { id: 'p1.f999' }],
    ['virtual.export', { id: 'p1.f999' }],
    ['virtual.import', { exportId: 'p1.x999', device: 0 }],
    ['fds.close', { exportId: 'p1.x999' }],
    ['demo.kill', { peerId: 'p999' }],
    ['demo.restart', { peerId: 'p999' }],
    ['demo.focus', { peerId: 'p999' }],
  ];
  for (const [name, args] of nobody) {
    expect(error(await raw(inspector, name, args)).code, name).toBe('not-found');
  }
  // An id of another kind is nobody's either.
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 16 });
  expect(error(await gpu.imports.close({ id })).code).toBe('not-found');
  expect(error(await gpu.events.query({ id })).code).toBe('not-found');
  const event = await gpu.events.create.value({ device: 0 });
  expect(error(await gpu.buffers.free({ id: event.id })).code).toBe('not-found');
});

test('a window cannot touch objects of another process by their id', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 16 });
  for (const answer of [
    await producer.api.memory.read({ id, offset: 0, length: 16 }),
    await producer.api.buffers.free({ id }),
    await producer.api.buffers.write({ id, offset: 0, bytes: handle(1) }),
  ]) {
    expect(error(answer).code).toBe('not-found');
  }
  const range = await gpu.buffers.create.value({ device: 0, bytes: 16, memory: 'virtual' });
  const descriptors = await gpu.buffers.export.value({ id: range.id });
  expect(error(await producer.api.fds.close({ exportId: descriptors.id })).code).toBe('not-allowed');
  expect(error(await gpu.handles.reveal({ exportId: descriptors.id }))).toMatchObject({
    code: 'not-found',
    message: expect.stringMatching(/travels by file descriptor/),
  });
  const exported = await exportHandle(gpu, { id });
  expect(error(await gpu.pools.import({ exportId: exported.id, device: 0 })).code).toBe('invalid-argument');
  expect(error(await gpu.virtual.import({ exportId: exported.id, device: 0 })).code).toBe('invalid-argument');
  expect(error(await gpu.events.open({ exportId: exported.id, device: 0 })).code).toBe('invalid-argument');
  expect(['not-allowed', 'not-found']).toContain(
    error(await producer.api.handles.reveal({ exportId: exported.id })).code,
  );
});

test('ranges stay inside the object', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4096 });
  const { handle: bytes } = await exportHandle(producer.api, { id });
  const { id: mapping } = await gpu.imports.open.value({ handle: bytes, device: 0 });
  for (const window of [
    { ...producer, object: id },
    { api: gpu, page: inspector, object: mapping },
  ]) {
    const read = (offset: number, length: number) => window.api.memory.read({ id: window.object, offset, length });
    expect((await read(4095, 1)).ok).toBe(true);
    expect(error(await read(4095, 2)).code).toBe('out-of-range');
    expect(error(await read(4096, 1)).code).toBe('out-of-range');
    expect(error(await read(Number.MAX_SAFE_INTEGER, 1)).code).toBe('out-of-range');
    const write = { id: window.object, offset: 4090, bytes: handle(7) };
    expect(error(await window.api.buffers.write(write)).code).toBe('out-of-range');
  }
  expect(error(await gpu.imports.open({ handle: bytes, device: 0, offset: 4096 })).code).toBe('out-of-range');
  expect(error(await gpu.imports.open({ handle: bytes, device: 0, offset: 4000, length: 97 })).code).toBe(
    'out-of-range',
  );
  const [record] = (await gpu.ledger.snapshot.value()).mappings.filter((each) => each.id === mapping);
  expect(record?.references, 'a refused open leaves no reference').toBe(1);
});

test('what the driver refuses comes back with its result and what to do', async ({ inspector, gpu }) => {
  const before = await objects(inspector);
  const tooLarge = error(await gpu.buffers.create({ device: 0, bytes: 2 ** 50 }));
  expect(tooLarge).toMatchObject({
    code: 'driver-error',
    call: 'cuMemAlloc_v2',
    cuda: { result: 2, name: 'CUDA_ERROR_OUT_OF_MEMORY', text: expect.stringMatching(/\w/) },
    hint: expect.stringMatching(/\w/),
  });
  expect(error(await gpu.buffers.create({ device: 99, bytes: 16 })).message).toMatch(/device/i);
  const zeros = error(await gpu.imports.open({ device: 0, handle: handle(64) }));
  expect(zeros).toMatchObject({
    code: 'driver-error',
    call: 'cuIpcOpenMemHandle_v2',
    cuda: { result: 1, name: 'CUDA_ERROR_INVALID_VALUE' },
    hint: expect.stringMatching(/\w/),
  });
  const zeroEvent = error(await gpu.events.open({ device: 0, handle: handle(64) }));
  expect(zeroEvent).toMatchObject({
    code: 'driver-error',
    call: 'cuIpcOpenEventHandle',
    cuda: { name: 'CUDA_ERROR_MAP_FAILED' },
  });
  const timed = error(await gpu.events.create({ device: 0, flags: 4 }));
  expect(timed).toMatchObject({ code: 'driver-error', cuda: { name: 'CUDA_ERROR_INVALID_VALUE' } });
  expect(await objects(inspector)).toEqual(before);
});

test("opening one's own handle is the driver's 201, explained", async ({ gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 4096 });
  const memory = await exportHandle(gpu, { id });
  for (const args of [{ handle: memory.handle }, { exportId: memory.id }]) {
    const refused = error(await gpu.imports.open({ ...args, device: 0 }));
    expect(refused).toMatchObject({
      code: 'driver-error',
      call: 'cuIpcOpenMemHandle_v2',
      cuda: { result: 201, name: 'CUDA_ERROR_INVALID_CONTEXT' },
    });
    expect(refused.hint).toMatch(/same process|this process|own/i);
  }
  const event = await gpu.events.create.value({ device: 0 });
  const exported = await gpu.events.export.value({ id: event.id });
  expect(error(await gpu.events.open({ handle: exported.handle, device: 0 }))).toMatchObject({
    cuda: { result: 201 },
    hint: expect.stringMatching(/same process|this process|own/i),
  });
});

test('handles of another kind, flags 0, freed and dead exporters are explained', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const buffer = await producer.api.buffers.create.value({ device: 0, bytes: 4096 });
  const memory = await exportHandle(producer.api, { id: buffer.id });
  const event = await producer.api.events.create.value({ device: 0 });
  const exportedEvent = await producer.api.events.export.value({ id: event.id });

  const kinds = [
    error(await gpu.imports.open({ handle: exportedEvent.handle, device: 0 })),
    error(await gpu.events.open({ handle: memory.handle, device: 0 })),
  ];
  for (const refused of kinds) {
    expect(['driver-error', 'invalid-argument']).toContain(refused.code);
    expect(refused.hint ?? refused.message).toMatch(/memory|event/i);
  }
  const flags = error(await gpu.imports.open({ handle: memory.handle, device: 0, flags: 0 }));
  expect(flags).toMatchObject({ code: 'driver-error', cuda: { result: 1 }, hint: expect.stringMatching(/flag/i) });

  await producer.api.buffers.free.value({ id: buffer.id });
  const freed = error(await gpu.imports.open({ handle: memory.handle, device: 0 }));
  expect(freed).toMatchObject({ code: 'driver-error', cuda: { result: 1 }, hint: expect.stringMatching(/freed/i) });

  const second = await producer.api.buffers.create.value({ device: 0, bytes: 4096 });
  const later = await exportHandle(producer.api, { id: second.id });
  await gpu.demo.kill.value({ peerId: producer.peerId });
  await expect
    .poll(async () => (await gpu.ledger.snapshot.value()).peers.find((peer) => peer.id === producer.peerId)?.state)
    .toBe('lost');
  const dead = error(await gpu.imports.open({ handle: later.handle, device: 0 }));
  expect(dead).toMatchObject({ code: 'driver-error', cuda: { name: 'CUDA_ERROR_INVALID_HANDLE' } });
  expect(dead.hint).toMatch(/process|exporter|ended|gone/i);
});

test('what was freed, closed or destroyed says so', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4096 });
  const { handle: bytes } = await exportHandle(producer.api, { id });
  const mapping = await gpu.imports.open.value({ handle: bytes, device: 0 });
  await gpu.imports.close.value({ id: mapping.id });
  expect(error(await gpu.imports.close({ id: mapping.id })).code).toBe('closed');
  expect(error(await gpu.memory.read({ id: mapping.id, offset: 0, length: 1 })).code).toBe('closed');
  await producer.api.buffers.free.value({ id });
  expect(error(await producer.api.buffers.free({ id })).code).toBe('closed');
  expect(error(await producer.api.buffers.export({ id })).code).toBe('closed');
  expect(error(await producer.api.memory.read({ id, offset: 0, length: 1 })).code).toBe('closed');
  const event = await producer.api.events.create.value({ device: 0 });
  await producer.api.events.destroy.value({ id: event.id });
  expect(error(await producer.api.events.destroy({ id: event.id })).code).toBe('closed');
  expect(error(await producer.api.events.record({ id: event.id })).code).toBe('closed');
});

test('memory outlives its exporter for whoever has it open', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const share = async (value: number) => {
    const fill = { pattern: 'constant', value } as const;
    const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 4096, fill });
    const exported = await exportHandle(producer.api, { id });
    return { id, mapping: (await gpu.imports.open.value({ handle: exported.handle, device: 0 })).id };
  };
  const exporterOf = async (mapping: string) =>
    (await gpu.ledger.snapshot.value()).mappings.find((record) => record.id === mapping)?.exporter;
  const firstByte = async (id: string) => (await gpu.memory.read.value({ id, offset: 0, length: 1 })).bytes[0];
  const [freed, left] = [await share(0x5a), await share(0x5b)];
  await producer.api.buffers.free.value({ id: freed.id });
  await expect.poll(() => exporterOf(freed.mapping)).toBe('freed');
  expect(await exporterOf(left.mapping)).toBe('alive');
  expect(await firstByte(freed.mapping)).toBe(0x5a);
  await gpu.demo.kill.value({ peerId: producer.peerId });
  await expect.poll(() => exporterOf(left.mapping)).toBe('gone');
  expect(await firstByte(freed.mapping)).toBe(0x5a);
  expect(await firstByte(left.mapping)).toBe(0x5b);
  for (const { mapping } of [freed, left]) {
    expect(await gpu.imports.close.value({ id: mapping })).toEqual({ references: 0, state: 'closed' });
  }
});
