import { afterEach, describe, expect, it } from 'vitest';
import { DeviceAttribute } from '#native/cuda/index';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

const started: TestHost[] = [];
async function ready(peerId = 'p1') {
  const host = hostHere(peerId);
  expect((await host.init()).kind).toBe('ready');
  started.push(host);
  return host;
}
afterEach(async () => {
  for (const host of started.splice(0)) await host.shutdown();
});

describe('start', () => {
  it('says which driver answers', async () => {
    const host = await ready();
    expect(host.pid).toBe(process.pid);
    expect(host.driver?.kind).toBe(onRealDriver ? 'real' : 'simulator');
    expect(host.driver?.version).toMatch(/^\d+\.\d+$/);
  });

  it('fails with the reason, and answers every call with it', async () => {
    const host = hostHere();
    expect(await host.error('devices.list', {})).toMatchObject({ code: 'no-driver' });
    const message = await host.init({ driver: 'simulator', simulatorPath: '/nowhere/libcuda-sim.so' });
    expect(message).toMatchObject({ kind: 'failed', error: { code: 'no-driver' } });
    expect(await host.error('buffers.create', { device: 0, bytes: 16 })).toMatchObject({ code: 'no-driver' });
    await host.shutdown();
    expect(host.exited).toEqual([0]);
  });

  it('refuses a call it does not have', async () => {
    const host = await ready();
    expect(await host.error('no.such' as 'devices.list', {})).toMatchObject({ code: 'not-found' });
    expect(await host.error('toString' as 'devices.list', {})).toMatchObject({ code: 'not-found' });
  });
});

describe('devices', () => {
  it('lists every fact without making a context', async () => {
    const host = await ready();
    const devices = await host.value('devices.list', {});
    expect(devices.length).toBeGreaterThan(0);
    for (const device of devices) {
      expect(device.uuid).toMatch(/^GPU-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
      expect(device.pciBusId).toMatch(/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-9a-f]$/);
      expect(device.totalBytes).toBeGreaterThan(2 ** 20);
      expect(device.computeCapability).toMatch(/^\d+\.\d+$/);
      expect(Object.keys(device.attributes)).toEqual(Object.keys(DeviceAttribute));
      expect(device.freeBytes).toBeNull();
      for (const { why } of Object.values(device.sharing)) expect(why.length).toBeGreaterThan(10);
      expect(device.peers).toHaveLength(devices.length - 1);
    }
    expect(host.calls.map(({ name }) => name)).not.toContain('cuDevicePrimaryCtxRetain');
    expect(host.calls.filter(({ name }) => name === 'cuDeviceGetAttribute')).toHaveLength(1);
  });

  it('knows the free memory once a context exists', async () => {
    const host = await ready();
    await host.value('buffers.create', { device: 0, bytes: 4096 });
    const [device] = await host.value('devices.list', {});
    expect(device?.freeBytes).toBeGreaterThan(0);
    expect(device?.freeBytes).toBeLessThan(device?.totalBytes ?? 0);
  });

  it('refuses a device that is not there', async () => {
    const host = await ready();
    const error = await host.error('buffers.create', { device: 1023, bytes: 16 });
    expect(error).toMatchObject({ code: 'invalid-argument', message: expect.stringContaining('no device 1023') });
  });
});

describe('reports', () => {
  it('come before the answer of the call that made them', async () => {
    const host = await ready();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 64, label: 'first' });
    const answerAt = host.messages.findIndex((message) => message.kind === 'answer');
    const reportAt = host.messages.findIndex(
      (message) =>
        message.kind === 'ledger' && message.changes.some((change) => 'put' in change && change.put.id === id),
    );
    expect(reportAt).toBeGreaterThanOrEqual(0);
    expect(reportAt).toBeLessThan(answerAt);
    expect(host.calls.find(({ name }) => name === 'cuMemAlloc_v2')).toMatchObject({
      objectId: id,
      args: 'first, 64 B',
      result: 0,
    });
  });

  it('are rare while a buffer is read often', async () => {
    const host = await ready();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 4096 });
    await host.read(id, 0, 4096);
    const before = host.messages.filter(({ kind }) => kind === 'ledger').length;
    const began = Date.now();
    let reads = 0;
    for (; Date.now() - began < 350; reads++) {
      await host.read(id, 0, 4096);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const reports = host.messages.filter(({ kind }) => kind === 'ledger').length - before;
    expect(reads).toBeGreaterThan(20);
    // One in a tenth of a second, and one that was on its way.
    expect(reports).toBeLessThanOrEqual(2 + (Date.now() - began) / 100);
    const counted = () =>
      host.calls
        .filter(({ name, objectId }) => name === 'cuMemcpyDtoH_v2' && objectId === id)
        .reduce((sum, { count }) => sum + count, 0);
    await host.until(() => counted() >= reads + 1);
    expect(counted()).toBe(reads + 1);
  });

  it('never hold the bytes of a handle', async () => {
    const host = await ready();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 4096 });
    const handle = await host.handle(id);
    await host.call('imports.open', { handle, device: 0, flags: 1, label: 'own' });
    const text = JSON.stringify(host.calls);
    const hex = Buffer.from(handle).toString('hex');
    for (let at = 0; at + 16 <= hex.length; at += 16) {
      const part = hex.slice(at, at + 16);
      if (!/^0+$/.test(part)) expect(text).not.toContain(part);
    }
  });
});

describe('the end', () => {
  it('answers what waits for queued work, and makes nothing any more', async () => {
    const host = hostHere();
    await host.init();
    const { id } = await host.value('events.create', { device: 0 });
    await host.value('events.record', { id, afterMs: 60_000 });
    const waiting = host.call('buffers.create', { device: 0, bytes: 4096 });
    await host.shutdown();
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'host-lost' } });
    expect(host.table('allocations')).toEqual([]);
    expect(host.calls.at(-1)?.name).toBe('cuDevicePrimaryCtxRelease_v2');
  });

  it('frees, closes and tells, then leaves', async () => {
    const host = hostHere();
    await host.init();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 4096 });
    await host.value('buffers.export', { id });
    const event = await host.value('events.create', { device: 0 });
    await host.value('buffers.animate', { id, hz: 50 });
    await host.shutdown();
    expect(host.exited).toEqual([0]);
    expect(host.record('allocations', id)).toMatchObject({ state: 'freed', animated: undefined });
    expect(host.table('exports')).toMatchObject([{ state: 'freed' }]);
    expect(host.record('events', event.id)).toMatchObject({ state: 'destroyed' });
    expect(host.calls.at(-1)?.name).toBe('cuDevicePrimaryCtxRelease_v2');
    expect(host.calls.filter(({ result }) => result !== 0)).toEqual([]);
  });
});
