/** What the windows' API says of whole contents, with a producer and a consumer in processes of their own. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as v from 'valibot';
import { calls } from '#contract/calls';
import { answerFileDialogs } from '../harness/file-dialogs';
import { expect, test } from '../harness/test';

const MiB = 1024 * 1024;

test('statistics, summary and search answer what a fill is known to have', async ({ gpu }) => {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes: 4 * MiB,
    dtype: 'f32',
    fill: { pattern: 'ramp', start: -1000, step: 1 },
  });
  const count = MiB;
  const statistics = await gpu.contents.statistics.value({ id, dtype: 'f32', bins: 16 });
  v.parse(calls['contents.statistics'].result, statistics);
  expect(statistics).toMatchObject({
    count,
    min: -1000,
    max: count - 1001,
    zeros: 1,
    nans: 0,
    infs: 0,
    negatives: 1000,
    denormals: 0,
    bytes: 4 * MiB,
    checksum: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(statistics.mean).toBeCloseTo((count - 2001) / 2, 3);
  expect(statistics.std).toBeCloseTo(Math.sqrt((count ** 2 - 1) / 12), 0);
  expect(statistics.histogram.counts.reduce((sum, one) => sum + one, 0)).toBe(count);
  expect(statistics.histogram.edges).toHaveLength(statistics.histogram.counts.length + 1);
  expect((await gpu.contents.statistics.value({ id, dtype: 'u8' })).checksum).toBe(statistics.checksum);

  const { slices } = await gpu.contents.summary.value({ id, dtype: 'f32', slices: 8 });
  expect(slices.reduce((sum, slice) => sum + slice.count, 0)).toBe(count);
  expect(slices[0]).toMatchObject({ offset: 0, min: -1000, zeros: 1 });

  const found = await gpu.contents.search.value({ id, query: { dtype: 'f32', value: 5 } });
  expect(found).toMatchObject({ hits: [1005 * 4], done: true });
  const last = await gpu.contents.search.value({
    id,
    query: { dtype: 'f32', min: 0, max: 9 },
    limit: 3,
    backwards: true,
  });
  expect(last).toMatchObject({ hits: [1007, 1008, 1009].map((index) => index * 4), done: false });
  const bytes = await gpu.contents.search.value({ id, query: { bytes: '00 00 80 3f' } });
  expect(bytes.hits).toContain(1001 * 4);
});

test('a buffer and its mapping in another process are compared, equal and not', async ({ app, gpu }) => {
  const [producer, consumer] = [await app.open('producer'), await app.open('consumer')];
  const bytes = 5 * MiB + 3;
  const made = await producer.api.buffers.create.value({ device: 0, bytes, fill: { pattern: 'random', seed: 1 } });
  const exported = await producer.api.buffers.export.value({ id: made.id });
  const opened = await consumer.api.imports.open.value({ exportId: exported.id, device: 0 });
  const other = await producer.api.buffers.create.value({ device: 0, bytes, fill: { pattern: 'random', seed: 1 } });
  for (const b of [opened.id, other.id]) {
    expect(await gpu.contents.compare.value({ a: made.id, b })).toMatchObject({
      equal: true,
      differing: 0,
      first: null,
      ranges: [],
      bytes,
      unmatchedBytes: 0,
    });
  }
  const old = (await producer.api.memory.read.value({ id: made.id, offset: bytes - 3, length: 3 })).bytes;
  await producer.api.buffers.write.value({ id: made.id, offset: bytes - 3, bytes: old.map((byte) => byte ^ 0x10) });
  // The mapping is the same memory, the other buffer is not.
  expect((await gpu.contents.compare.value({ a: made.id, b: opened.id })).equal).toBe(true);
  expect(await gpu.contents.compare.value({ a: opened.id, b: other.id })).toMatchObject({
    equal: false,
    differing: 3,
    first: bytes - 3,
    ranges: [{ offset: bytes - 3, length: 3 }],
  });
  // Only the Inspector may ask.
  expect(await producer.api.contents.compare({ a: made.id, b: other.id })).toMatchObject({
    ok: false,
    error: { code: 'not-allowed' },
  });
});

test('a snapshot stays as it was, is compared with what there is now, and outlives its memory', async ({
  app,
  gpu,
}) => {
  const producer = await app.open('producer');
  const made = await producer.api.buffers.create.value({ device: 0, bytes: MiB, label: 'weights', dtype: 'f32' });
  const exported = await producer.api.buffers.export.value({ id: made.id });
  const opened = await gpu.imports.open.value({ exportId: exported.id, device: 0 });
  const snapshot = await gpu.contents.snapshot.value({ id: opened.id, name: 'before' });
  v.parse(calls['contents.snapshot'].result, snapshot);
  expect(snapshot).toMatchObject({ name: 'before', objectId: opened.id, offset: 0, bytes: MiB });
  await producer.api.buffers.write.value({ id: made.id, offset: 4096, bytes: Uint8Array.of(0, 0, 0x80, 0x3f) });
  for (const b of [opened.id, made.id]) {
    const found = await gpu.contents.compare.value({ a: snapshot.id, b, dtype: 'f32' });
    expect(found).toMatchObject({ differing: 1, first: 4096, ranges: [{ offset: 4096, length: 4 }] });
    expect((await gpu.contents.compare.value({ a: snapshot.id, b, dtype: 'f32', tolerance: 1 })).equal).toBe(true);
  }
  await gpu.imports.close.value({ id: opened.id });
  await gpu.demo.kill.value({ peerId: producer.peerId });
  const read = await gpu.memory.read.value({ id: snapshot.id, offset: 4096, length: 4 });
  expect([...read.bytes]).toEqual([0, 0, 0, 0]);
  expect((await gpu.contents.snapshots.value()).snapshots).toEqual([snapshot]);
  await gpu.contents.drop.value({ id: snapshot.id });
  expect(await gpu.contents.snapshots.value()).toMatchObject({ snapshots: [], memoryBytes: 0 });
});

test('memory is decoded by a format, and a wrong format says where', async ({ gpu }) => {
  const { id } = await gpu.buffers.create.value({ device: 0, bytes: 64 });
  await gpu.buffers.write.value({ id, offset: 0, bytes: Uint8Array.of(7, 0, 0, 0, 0, 0, 0x80, 0x3f) });
  const format = 'struct Head { u32 version; f32 scale; };\nHead head;';
  const { root } = await gpu.contents.decode.value({ id, format });
  expect(JSON.stringify(root)).toMatch(/"name":"version"[^{}]*"value":"7".*"name":"scale"[^{}]*"value":"1"/);
  expect(await gpu.contents.decode({ id, format: 'struct {\n  what? }' })).toMatchObject({
    ok: false,
    error: { code: 'invalid-argument', message: expect.stringMatching(/^format \d+:\d+: /) },
  });
});

test('contents are saved and loaded, where somebody says', async ({ app, gpu }) => {
  const { id } = await gpu.buffers.create.value({
    device: 0,
    bytes: 3 * MiB,
    dtype: 'f32',
    label: 'activations',
    fill: { pattern: 'ramp', start: 1, step: 1 },
  });
  const path = join(app.profile, 'saved.npy');
  await answerFileDialogs(app, undefined);
  expect(await gpu.contents.save.value({ id, as: 'npy' })).toEqual({ path: null, bytes: 0 });
  expect(existsSync(path)).toBe(false);
  await answerFileDialogs(app, path);
  const saved = await gpu.contents.save.value({ id, as: 'npy', shape: [3, 512, 512] });
  const file = readFileSync(path);
  expect(saved).toEqual({ path, bytes: file.byteLength });
  expect(file.subarray(0, 128).toString('latin1')).toContain("'shape': (3, 512, 512)");
  const copy = await gpu.buffers.create.value({ device: 0, bytes: 3 * MiB, dtype: 'f32' });
  expect(await gpu.contents.load.value({ id: copy.id })).toEqual({ path, bytes: 3 * MiB });
  expect((await gpu.contents.compare.value({ a: id, b: copy.id })).equal).toBe(true);
});

test('quitting ends what is under way, and leaves nothing', async ({ app, gpu }) => {
  const producer = await app.open('producer');
  const [own, other] = [
    await gpu.buffers.create.value({ device: 0, bytes: 2048 * MiB }),
    await producer.api.buffers.create.value({ device: 0, bytes: 2048 * MiB }),
  ];
  await answerFileDialogs(app, join(app.profile, 'never.bin'));
  const working = [
    gpu.contents.snapshot({ id: own.id, name: 'late' }),
    gpu.contents.compare({ a: own.id, b: other.id }),
    gpu.contents.save({ id: own.id, as: 'raw' }),
  ];
  // The page goes before they answer.
  for (const one of working) one.catch(() => {});
  await expect.poll(() => readdirSync(app.profile).some((name) => name.endsWith('.part'))).toBe(true);
  // Closing the app, which every test does, says what is left.
});

test('long work tells how far it is, and is cancelled', async ({ app, inspector, gpu }) => {
  const producer = await app.open('producer');
  const bytes = 1024 * MiB;
  const a = await producer.api.buffers.create.value({ device: 0, bytes });
  const b = await gpu.buffers.create.value({ device: 0, bytes });
  await inspector.evaluate(() => {
    const seen: unknown[] = [];
    (window as unknown as { progress: unknown[] }).progress = seen;
    window.gpuIpc.contents.subscribe((progress) => seen.push(progress));
  });
  const progress = () => inspector.evaluate(() => (window as unknown as { progress: unknown[] }).progress);
  const asked = gpu.contents.compare({ a: a.id, b: b.id, job: 'compare-1' });
  await expect.poll(async () => (await progress()).length).toBeGreaterThan(0);
  expect((await progress())[0]).toMatchObject({ job: 'compare-1', done: expect.any(Number), total: bytes });
  expect(await gpu.contents.cancel({ job: 'compare-1' })).toEqual({ ok: true, value: undefined });
  expect(await asked).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  expect(await gpu.contents.cancel({ job: 'compare-1' })).toEqual({ ok: true, value: undefined });
});
