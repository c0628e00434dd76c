/** Handles as text: described, opened from their description, as code, and found in what somebody pasted. */
import { parseDescriptor } from '#contract/descriptor';
import { expect, test } from '../harness/test';

const KiB = 1024;

test('an export is described, and opened elsewhere from its description', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const fill = { pattern: 'ramp' } as const;
  for (const [memory, mechanism] of [
    ['device', 'legacy'],
    ['pool', 'pool'],
    ['virtual', 'virtual'],
  ] as const) {
    const made = await producer.api.buffers.create.value({ device: 0, bytes: 8 * KiB, memory, dtype: 'f32', fill });
    expect(await gpu.handles.describe({ id: made.id })).toMatchObject({ ok: false, error: { code: 'not-found' } });
    const { id: exportId } = await producer.api.buffers.export.value({ id: made.id });
    const { descriptor } = await gpu.handles.describe.value({ id: exportId });
    expect(await producer.api.handles.describe.value({ id: made.id })).toEqual({ descriptor });
    const reading = parseDescriptor(descriptor);
    expect(reading, descriptor).toMatchObject({
      ok: true,
      descriptor: {
        mechanism,
        exporter: { pid: producer.pid, name: 'Producer 1' },
        device: { uuid: expect.stringMatching(/^GPU-/), ordinal: 0 },
        base: made.address,
        offset: 0,
        size: made.bytes,
        dtype: 'f32',
        shape: [made.bytes / 4],
        byteOrder: 'little',
      },
    });
    for (const window of [gpu, consumer.api]) {
      const { id } = await window.imports.open.value({ descriptor, device: 0 });
      const theirs = await window.memory.read.value({ id, offset: 0, length: 64 });
      const ours = await producer.api.memory.read.value({ id: made.id, offset: 0, length: 64 });
      expect(theirs.bytes, mechanism).toEqual(ours.bytes);
      await window.imports.close.value({ id });
    }
    await producer.api.buffers.free.value({ id: made.id });
    expect(await gpu.handles.describe({ id: exportId })).toMatchObject({ ok: false, error: { code: 'closed' } });
  }
});

test('only the Inspector and the exporter may have it described', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const other = await app.open('producer');
  const consumer = await app.open('consumer');
  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: KiB });
  const { id: exportId } = await producer.api.buffers.export.value({ id });
  const snippet = { id: exportId, side: 'importer', language: 'python', library: 'ctypes' } as const;
  for (const window of [other.api, consumer.api]) {
    const refused = { ok: false, error: { code: 'not-allowed' } };
    expect(await window.handles.describe({ id: exportId })).toMatchObject(refused);
    expect(await window.handles.snippet(snippet)).toMatchObject(refused);
    expect(await window.handles.save({ id: exportId })).toMatchObject(refused);
  }
  expect((await gpu.handles.describe({ id: exportId })).ok).toBe(true);
});

test('code for another program holds the handle only when it is not masked', async ({ gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: KiB });
  const { id: exportId, handle } = await gpu.buffers.export.value({ id });
  const hex = Buffer.from(handle ?? []).toString('hex');
  expect(hex).toHaveLength(128);
  const ask = { id: exportId, side: 'importer', language: 'python', library: 'ctypes' } as const;
  const open = await gpu.handles.snippet.value(ask);
  const masked = await gpu.handles.snippet.value({ ...ask, masked: true });
  expect(open.code).toContain(hex);
  expect(masked.code).not.toContain(hex.slice(0, 32));
  expect(masked.code).toContain('•');
  expect(open.requires.length).toBeGreaterThan(0);
  expect(await gpu.handles.snippet({ ...ask, library: 'abacus' })).toMatchObject({
    ok: false,
    error: { code: 'unsupported', message: expect.stringMatching(/abacus/) },
  });
});

test('events and physical memory are described too, a pool alone is not', async ({ gpu }) => {
  const event = await gpu.events.create.value({ device: 0 });
  await gpu.events.export.value({ id: event.id });
  const described = await gpu.handles.describe.value({ id: event.id });
  expect(parseDescriptor(described.descriptor)).toMatchObject({
    ok: true,
    descriptor: { mechanism: 'event', size: 0 },
  });

  const physical = await gpu.virtual.create.value({ device: 0, bytes: 1 });
  const { fd } = await gpu.virtual.export.value({ id: physical.id });
  const ofPhysical = parseDescriptor((await gpu.handles.describe.value({ id: physical.id })).descriptor);
  expect(ofPhysical).toMatchObject({
    ok: true,
    descriptor: { mechanism: 'virtual', descriptors: [{ fd, bytes: physical.bytes }], size: physical.bytes },
  });

  const pool = await gpu.pools.create.value({ device: 0 });
  await gpu.pools.export.value({ id: pool.id });
  expect(await gpu.handles.describe({ id: pool.id })).toMatchObject({ ok: false, error: { code: 'unsupported' } });
});

test('pasted text is read in every window: handles, descriptors, and where they stand', async ({ app, gpu }) => {
  const consumer = await app.open('consumer');
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: KiB });
  const { id: exportId, handle } = await gpu.buffers.export.value({ id });
  const { descriptor } = await gpu.handles.describe.value({ id: exportId });
  const hex = Buffer.from(handle ?? []).toString('hex');
  const text = `the producer says:\n${hex}\nand\n${descriptor}\n`;
  for (const window of [gpu, consumer.api]) {
    const { items, problems } = await window.handles.parse.value({ text });
    expect(problems).toEqual([]);
    expect(items.map(({ kind }) => kind)).toEqual(['cuda-ipc-memory', 'descriptor']);
    expect(text.slice(items[0]?.start, items[0]?.end)).toBe(hex);
    expect(Buffer.from(items[0]?.handle ?? []).toString('hex')).toBe(hex);
    expect(items[1]?.descriptor).toBe(descriptor);
  }
  const nothing = await consumer.api.handles.parse.value({ text: 'nothing of the kind' });
  expect(nothing.items).toEqual([]);
  expect(nothing.problems.length).toBeGreaterThan(0);
});

test('before an import it is said what speaks against it', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const consumer = await app.open('consumer');
  const codes = async (window: typeof gpu, args: Parameters<typeof gpu.handles.check.value>[0]) =>
    (await window.handles.check.value(args)).findings.map(({ level, code }) => `${level} ${code}`);

  const { id } = await producer.api.buffers.create.value({ device: 0, bytes: 8 * KiB });
  const { id: exportId, handle } = await producer.api.buffers.export.value({ id });
  const { descriptor } = await producer.api.handles.describe.value({ id });
  for (const args of [{ exportId }, { handle: handle ?? '' }, { descriptor }]) {
    expect(await codes(consumer.api, { ...args, device: 0 })).toEqual([]);
    expect(await codes(producer.api, { ...args, device: 0 })).toEqual(['refuse own-process']);
  }
  expect(await codes(gpu, { exportId, offset: 8 * KiB, length: 1 })).toEqual(['refuse beyond-allocation']);
  await consumer.api.imports.open.value({ exportId, device: 0 });
  expect(await codes(consumer.api, { exportId })).toEqual(['info already-open']);
  expect(await codes(gpu, { exportId })).toEqual([]);
  expect(await codes(gpu, { handle: new Uint8Array(64) })).toContain('refuse zero-bytes');
  expect(await codes(gpu, { handle: 'no handle at all' })).toEqual(['refuse no-handle']);
  await producer.api.buffers.free.value({ id });
  expect(await codes(gpu, { exportId })).toEqual(['refuse export-freed']);
  expect(await codes(consumer.api, { exportId })).toEqual(['warn export-freed', 'info already-open']);
  expect(await gpu.handles.check({})).toMatchObject({ ok: false, error: { code: 'invalid-argument' } });
});
