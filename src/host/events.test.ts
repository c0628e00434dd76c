import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();

/** Records, in a process of its own. */
let exporter: ChildHost;
let importer: TestHost;

beforeAll(async () => {
  exporter = await hostElsewhere('p2');
  importer = hostHere('p1');
  expect((await importer.init()).kind).toBe('ready');
});
afterAll(async () => {
  await importer.shutdown();
  await exporter.shutdown();
});

async function shared() {
  const { id } = await exporter.value('events.create', { device: 0, label: 'ready flag' });
  const { handle } = await exporter.value('events.export', { id });
  const imported = await importer.value('events.open', { handle, device: 0, label: 'ready flag' });
  return { own: id, imported: imported.id, handle };
}

describe('own events', () => {
  it('can be exported with the flags they get unless told otherwise', async () => {
    const { id } = await exporter.value('events.create', { device: 0 });
    expect(exporter.record('events', id)).toMatchObject({
      flags: 6,
      state: 'live',
      label: expect.stringMatching(/^event \d+$/),
    });
    const first = await exporter.value('events.export', { id });
    const second = await exporter.value('events.export', { id });
    expect(second).toEqual(first);
    expect(exporter.record('exports', first.id)).toMatchObject({ kind: 'event', objectId: id, state: 'live' });
    await exporter.value('events.destroy', { id });
    expect(exporter.record('exports', first.id).state).toBe('freed');
    expect(await exporter.error('events.query', { id })).toMatchObject({ code: 'closed' });
  });

  it('explains flags that do not go together, and events that cannot be exported', async () => {
    const wrong = await exporter.error('events.create', { device: 0, flags: 4 });
    expect(wrong).toMatchObject({ cuda: { result: 1 }, hint: expect.stringMatching(/DISABLE_TIMING/) });
    const { id } = await exporter.value('events.create', { device: 0, flags: 0 });
    const error = await exporter.error('events.export', { id });
    expect(error).toMatchObject({ cuda: { result: 400 }, hint: expect.stringMatching(/flags 0/) });
  });

  it('become ready in the ledger without being asked', async () => {
    const { id } = await exporter.value('events.create', { device: 0 });
    expect(exporter.record('events', id).status).toBeNull();
    await exporter.until(() => exporter.record('events', id).status === 'ready');
  });
});

describe('waiting', () => {
  it('sees work of another process end, and never blocks its host', async () => {
    const { own, imported } = await shared();
    expect(await importer.value('events.query', { id: imported })).toBe('ready');
    // Long enough for what is done meanwhile, on a busy machine too.
    await exporter.value('events.record', { id: own, afterMs: 2500 });
    const began = performance.now();
    expect(await exporter.value('events.query', { id: own })).toBe('not-ready');
    expect(await importer.value('events.query', { id: imported })).toBe('not-ready');
    expect(exporter.record('events', own)).toMatchObject({ status: 'not-ready', recordedAt: expect.any(Number) });

    const waiting = importer.value('events.wait', { id: imported, timeoutMs: 10_000 });
    const { id } = await importer.value('buffers.create', { device: 0, bytes: 16 });
    await importer.read(id, 0, 16);
    // All that was answered before the work ended.
    expect(await exporter.value('events.query', { id: own })).toBe('not-ready');
    expect(importer.record('eventImports', imported).waiting).toMatchObject({ timeoutMs: 10_000 });
    expect(await waiting).toBe('ready');
    expect(performance.now() - began).toBeGreaterThan(2300);
    expect(importer.record('eventImports', imported)).toMatchObject({ status: 'ready', waiting: undefined });
    await exporter.until(() => exporter.record('events', own).status === 'ready');
  });

  it('gives up at its deadline', async () => {
    const { own, imported } = await shared();
    await exporter.value('events.record', { id: own, afterMs: 2500 });
    const began = performance.now();
    expect(await importer.value('events.wait', { id: imported, timeoutMs: 100 })).toBe('not-ready');
    const took = performance.now() - began;
    expect(took).toBeGreaterThanOrEqual(99);
    expect(took).toBeLessThan(2000);
    expect(await importer.value('events.wait', { id: imported, timeoutMs: 0 })).toBe('not-ready');
    expect(await importer.value('events.wait', { id: imported, timeoutMs: 5000 })).toBe('ready');
  });

  it('can be cancelled, and ends with its event', async () => {
    const { own, imported } = await shared();
    await exporter.value('events.record', { id: own, afterMs: 1000 });
    const waiting = importer.error('events.wait', { id: imported, timeoutMs: 60_000 });
    await importer.value('events.cancelWait', { id: imported });
    expect(await waiting).toMatchObject({ code: 'cancelled' });
    const again = importer.error('events.wait', { id: imported, timeoutMs: 60_000 });
    await importer.value('events.destroy', { id: imported });
    expect(await again).toMatchObject({ code: 'closed' });
    expect(importer.record('eventImports', imported)).toMatchObject({ state: 'closed', waiting: undefined });
    expect(await importer.error('events.wait', { id: imported, timeoutMs: 1 })).toMatchObject({ code: 'closed' });
  });

  it('ends with `host-lost` when the host is told to end', async () => {
    const host = hostHere('p5');
    await host.init();
    const { own, handle } = await shared();
    const { id } = await host.value('events.open', { handle, device: 0, label: 'x' });
    await exporter.value('events.record', { id: own, afterMs: 1000 });
    const waiting = host.error('events.wait', { id, timeoutMs: 60_000 });
    await host.shutdown();
    expect(await waiting).toMatchObject({ code: 'host-lost' });
  });
});

describe('work on purpose', () => {
  it('holds up neither the driver nor other calls', async () => {
    const { id: event } = await exporter.value('events.create', { device: 0 });
    const { id: before } = await exporter.value('buffers.create', { device: 0, bytes: 4096 });
    await exporter.value('events.record', { id: event, afterMs: 3000 });
    const began = performance.now();
    await exporter.read(before, 0, 4096);
    await exporter.value('buffers.write', { id: before, offset: 0, bytes: new Uint8Array(4096) });
    await exporter.value('buffers.fill', { id: before, fill: { pattern: 'constant', value: 1 } });
    await exporter.value('buffers.export', { id: before });
    await exporter.value('memory.attributes', { id: before });
    const { id: other } = await exporter.value('events.create', { device: 0 });
    await exporter.value('events.export', { id: other });
    await exporter.value('devices.list', {});
    // All that was answered before the work ended.
    expect(await exporter.value('events.query', { id: event })).toBe('not-ready');
    // Freeing waits for the device, as the driver does, and everybody else is served meanwhile.
    const freeing = exporter.value('buffers.free', { id: before });
    expect(await exporter.value('events.query', { id: event })).toBe('not-ready');
    await freeing;
    expect(performance.now() - began).toBeGreaterThan(2800);
    expect(await exporter.value('events.wait', { id: event, timeoutMs: 2000 })).toBe('ready');
  });

  it('queues up', async () => {
    const { id } = await exporter.value('events.create', { device: 0 });
    const began = performance.now();
    await exporter.value('events.record', { id, afterMs: 300 });
    await exporter.value('events.record', { id, afterMs: 300 });
    expect(await exporter.value('events.wait', { id, timeoutMs: 5000 })).toBe('ready');
    expect(performance.now() - began).toBeGreaterThan(550);
  });

  it('ends at once when the host ends', async () => {
    const host = await hostElsewhere('p6');
    const { id } = await host.value('events.create', { device: 0 });
    await host.value('events.record', { id, afterMs: 60_000 });
    const began = performance.now();
    await host.shutdown();
    expect(await host.exit).toBe(0);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});

describe('refusals are explained', () => {
  it('an own handle, memory, zeros, a killed exporter', async () => {
    const { id } = await importer.value('events.create', { device: 0 });
    const { handle } = await importer.value('events.export', { id });
    const openWith = (bytes: Uint8Array) => importer.error('events.open', { handle: bytes, device: 0, label: 'x' });
    expect(await openWith(handle)).toMatchObject({ cuda: { result: 201 }, hint: expect.stringMatching(/itself/) });
    expect(await openWith(new Uint8Array(64))).toMatchObject({
      cuda: { result: 205 },
      hint: expect.stringMatching(/zero/),
    });
    const buffer = await exporter.value('buffers.create', { device: 0, bytes: 16 });
    expect((await openWith(await exporter.handle(buffer.id))).hint).toMatch(/handle of memory/);
  });

  it('an event whose exporter was killed while it worked stays not ready, and its wait ends', async () => {
    const doomed = await hostElsewhere('p7');
    const { id } = await doomed.value('events.create', { device: 0 });
    const { handle } = await doomed.value('events.export', { id });
    const imported = await importer.value('events.open', { handle, device: 0, label: 'lost' });
    await doomed.value('events.record', { id, afterMs: 60_000 });
    await doomed.kill();
    expect(await importer.value('events.wait', { id: imported.id, timeoutMs: 200 })).toBe('not-ready');
    // A record would wait behind the one that never ends, and with it everything that frees memory.
    expect(await importer.error('events.record', { id: imported.id })).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/no process here has the pid/),
      hint: expect.stringMatching(/never gets ready/),
    });
    const { id: freed } = await importer.value('buffers.create', { device: 0, bytes: 16 });
    await importer.value('buffers.free', { id: freed });
    // While somebody has it open, so can others.
    const again = await importer.value('events.open', { handle, device: 0, label: 'lost too' });
    expect(await importer.value('events.query', { id: again.id })).toBe('not-ready');
    for (const { id: done } of [imported, again]) await importer.value('events.destroy', { id: done });
  });

  it('an event of a killed exporter that had nothing to do can still be recorded', async () => {
    const doomed = await hostElsewhere('p8');
    const { id } = await doomed.value('events.create', { device: 0 });
    const { handle } = await doomed.value('events.export', { id });
    const imported = await importer.value('events.open', { handle, device: 0, label: 'kept' });
    await doomed.kill();
    await importer.value('events.record', { id: imported.id });
    expect(await importer.value('events.wait', { id: imported.id, timeoutMs: 2000 })).toBe('ready');
    await importer.value('events.destroy', { id: imported.id });
  });

  it('a damaged handle that the driver would open', async () => {
    const { handle } = await shared();
    const damaged = handle.slice();
    damaged[18] = 1;
    const error = await importer.error('events.open', { handle: damaged, device: 0, label: 'x' });
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringMatching(/a table of 4,096/) });
  });

  it('a destroyed event can still be opened', async () => {
    const { own, handle } = await shared();
    await exporter.value('events.destroy', { id: own });
    const { id } = await importer.value('events.open', { handle, device: 0, label: 'late' });
    expect(await importer.value('events.query', { id })).toBe('ready');
    await importer.value('events.destroy', { id });
  });

  it('exporting what is imported', async () => {
    const { imported } = await shared();
    expect(await importer.error('events.export', { id: imported })).toMatchObject({ code: 'invalid-argument' });
  });
});
