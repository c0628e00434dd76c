import { readdirSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FromHost } from '#contract/host-protocol';
import { type Bundle, bundle } from '../testing/bundle';
import { TestHost } from '../testing/test-host';

// The simulator maps a table of every process whose memory it counts; here only this one's.
process.env.GPU_IPC_SIM_MACHINE = `worker-test-${process.pid}`;

let entry: Bundle;
beforeAll(async () => {
  entry = await bundle('entries/worker.ts');
});
afterAll(() => entry.remove());

/** A host in a worker thread of this process, as the Inspector has it. */
async function inThread() {
  const worker = new Worker(entry.file);
  const exit = new Promise<number>((resolve) => worker.once('exit', resolve));
  const host = new TestHost(
    {
      send: (message) => worker.postMessage(message),
      onMessage: (listener) => void worker.on('message', (message: FromHost) => listener(message)),
    },
    'p1',
  );
  expect((await host.init()).kind).toBe('ready');
  return { host, exit };
}

const openFiles = () => readdirSync('/proc/self/fd').length;
/** Mappings that belong to shared memory, the driver's devices or the simulator's files. */
const sharedMappings = () =>
  readFileSync('/proc/self/maps', 'utf8')
    .split('\n')
    .filter((line) => /\/dev\/shm|\/memfd|\/dev\/nvidia/.test(line)).length;

describe('in a worker thread', () => {
  it('serves the same calls and moves the bytes of a read', async () => {
    const { host, exit } = await inThread();
    const { id } = await host.value('buffers.create', { device: 0, bytes: 256, fill: { pattern: 'ramp' } });
    const bytes = await host.read(id, 16, 4);
    expect([...bytes]).toEqual([16, 17, 18, 19]);
    expect(bytes.buffer.byteLength).toBe(4);
    await host.shutdown();
    expect(await exit).toBe(0);
  });

  it.runIf(process.platform === 'linux')('ends its thread, not the process, and leaves nothing open', async () => {
    const round = async () => {
      const { host, exit } = await inThread();
      for (const bytes of [4096, 4096, 3 * 1024 * 1024]) {
        const { id } = await host.value('buffers.create', { device: 0, bytes });
        await host.value('buffers.export', { id });
        await host.read(id, 0, 4096);
      }
      const event = await host.value('events.create', { device: 0 });
      await host.value('events.export', { id: event.id });
      await host.value('events.record', { id: event.id, afterMs: 10_000 });
      await host.shutdown();
      await exit;
    };
    await round();
    const before = { files: openFiles(), mappings: sharedMappings() };
    for (let index = 0; index < 5; index++) await round();
    // The simulator of another test may look at this process just now; a leak stays.
    await expect.poll(openFiles, { timeout: 3000 }).toBeLessThanOrEqual(before.files);
    await expect.poll(sharedMappings, { timeout: 3000 }).toBeLessThanOrEqual(before.mappings);
  });
});
