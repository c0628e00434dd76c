import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();

const device = onRealDriver ? 0 : 6;
process.env.GPU_IPC_SIM_DEVICES = '8';
/** Moments after the last call at which the other process is killed, in ms. */
const moments = [0, 0, 1, 2, 3, 5, 8, 13, 21, 34];

let here: TestHost;
beforeAll(async () => {
  here = hostHere('p1');
  expect((await here.init()).kind).toBe('ready');
});
afterAll(() => here.shutdown());

const share = async (from: TestHost) => {
  const { id } = await from.value('buffers.create', {
    device,
    bytes: 1 << 20,
    fill: { pattern: 'constant', value: 3 },
  });
  const memory = await from.handle(id);
  const event = await from.value('events.create', { device });
  return { id, memory, event: event.id, eventHandle: (await from.value('events.export', { id: event.id })).handle };
};
const killAfter = (ms: number, child: ChildHost) =>
  new Promise((resolve) => setTimeout(resolve, ms)).then(() => child.kill());

describe('a peer that is killed', () => {
  it('as exporter leaves readable memory, an event that can be given up, and a handle that says so', async () => {
    for (const moment of moments) {
      const exporter = await hostElsewhere('p2');
      const made = await share(exporter);
      const open = { handle: made.memory, device, flags: 1, label: 'shared' };
      const { id } = await here.value('imports.open', open);
      const event = await here.value('events.open', { handle: made.eventHandle, device, label: 'done' });
      await exporter.value('events.record', { id: made.event, afterMs: 60_000 });
      void exporter.call('buffers.animate', { id: made.id, fill: { pattern: 'random' }, hz: 60 });
      const waiting = here.value('events.wait', { id: event.id, timeoutMs: 300 });
      const killed = killAfter(moment, exporter);
      for (let reads = 0; reads < 20; reads++) expect(await here.read(id, 0, 1 << 20)).toHaveLength(1 << 20);
      await killed;
      expect(await waiting).toBe('not-ready');
      expect(await here.read(id, 0, 1 << 20)).toHaveLength(1 << 20);
      expect(await here.value('imports.close', { id })).toEqual({ references: 0, state: 'closed' });
      await here.value('events.destroy', { id: event.id });
      const refused = await here.error('imports.open', open);
      expect(refused).toMatchObject({ cuda: { result: 400 }, hint: expect.stringMatching(/is gone/) });
    }
    expect(here.table('mappings').filter(({ state }) => state === 'open')).toEqual([]);
  });

  it('as importer takes nothing with it', async () => {
    const made = await share(here);
    const free = async () => (await here.value('devices.list', {}))[device]?.freeBytes;
    const before = await free();
    for (const moment of moments) {
      const importer = await hostElsewhere('p3');
      const open = { handle: made.memory, device, flags: 1, label: 'shared' };
      const { id } = await importer.value('imports.open', open);
      await importer.value('imports.open', open);
      const writing = (async () => {
        for (;;) await importer.value('buffers.write', { id, offset: 0, bytes: new Uint8Array(4096).fill(9) });
      })();
      writing.catch(() => {});
      await killAfter(moment, importer);
      expect(await here.read(made.id, 8192, 1)).toEqual(Uint8Array.of(3));
    }
    await here.value('buffers.free', { id: made.id });
    await here.value('events.destroy', { id: made.event });
    // Nobody alive holds the megabyte any more, so all of it is free again.
    if (!onRealDriver) expect(await free()).toBeGreaterThan(before ?? Number.POSITIVE_INFINITY);
  });
});
