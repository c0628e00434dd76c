import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ChildHost, hostElsewhere, prepareChildHosts } from './testing/child-host';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

prepareChildHosts();

/** Free memory is counted over all processes, so the simulator gets a device that nobody else uses meanwhile. */
const device = onRealDriver ? 0 : 7;
process.env.GPU_IPC_SIM_DEVICES = '8';

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

/** What a buffer holds, whoever looks at it. */
interface Shared {
  readonly id: string;
  readonly bytes: Uint8Array;
  handle?: Uint8Array;
  freed: boolean;
  readonly views: Map<string, { offset: number; length: number; references: number }>;
}

/** Allocations from this size on have a block of their own. */
const SHARES_NO_BLOCK = 2 * 1024 * 1024;

const byte = fc.nat({ max: 255 });
const pick = fc.nat({ max: 1000 });
const operation = fc.oneof(
  fc.record({ do: fc.constant('create' as const), size: fc.constantFrom(1, 100, 4096, 3 * 1024 * 1024), value: byte }),
  fc.record({ do: fc.constant('export' as const), which: pick }),
  fc.record({ do: fc.constant('write' as const), which: pick, at: fc.nat(), value: byte, here: fc.boolean() }),
  fc.record({ do: fc.constant('open' as const), which: pick, from: fc.nat(), part: fc.boolean() }),
  fc.record({ do: fc.constant('close' as const), which: pick }),
  fc.record({ do: fc.constant('free' as const), which: pick }),
);

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];
const freeBytes = async (host: TestHost) => (await host.value('devices.list', {}))[device]?.freeBytes;

describe('two processes', () => {
  it('agree with a model of shared memory after any sequence of calls, and give everything back', async () => {
    // Contexts and staging memory exist from here on.
    for (const host of [exporter, importer]) {
      const { id } = await host.value('buffers.create', { device, bytes: 4096 });
      await host.read(id, 0, 4096);
      await host.value('buffers.free', { id });
    }
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 20, maxLength: 40 }), async (operations) => {
        const before = await freeBytes(exporter);
        const buffers: Shared[] = [];
        for (const step of operations) await run(step, buffers);
        for (const buffer of buffers) {
          await compare(buffer);
          await letGo(buffer);
        }
        // A real driver keeps blocks for later; the simulator accounts for every byte.
        if (!onRealDriver) expect(await freeBytes(exporter)).toBe(before);
      }),
      { numRuns: 40 },
    );
  }, 120_000);
});

async function run(step: typeof operation extends fc.Arbitrary<infer T> ? T : never, buffers: Shared[]): Promise<void> {
  switch (step.do) {
    case 'create': {
      const fill = { pattern: 'constant', value: step.value } as const;
      const { id } = await exporter.value('buffers.create', { device, bytes: step.size, fill });
      buffers.push({ id, bytes: new Uint8Array(step.size).fill(step.value), freed: false, views: new Map() });
      return;
    }
    case 'export': {
      const buffer = at(buffers, step.which);
      if (!buffer) return;
      const result = await exporter.call('buffers.export', { id: buffer.id });
      expect(result.ok).toBe(!buffer.freed);
      if (result.ok) buffer.handle = result.value.handle ?? undefined;
      return;
    }
    case 'write': {
      const buffer = at(buffers, step.which);
      if (!buffer) return;
      const [mapping, view] = at([...buffer.views], step.at) ?? [];
      const data = Uint8Array.from([step.value]);
      if (step.here && mapping && view) {
        const offset = step.at % view.length;
        await importer.value('buffers.write', { id: mapping, offset, bytes: data });
        buffer.bytes[view.offset + offset] = step.value;
      } else if (!buffer.freed) {
        const offset = step.at % buffer.bytes.length;
        await exporter.value('buffers.write', { id: buffer.id, offset, bytes: data });
        buffer.bytes[offset] = step.value;
      }
      return;
    }
    case 'open': {
      const buffer = at(buffers, step.which);
      if (!buffer?.handle) return;
      const offset = step.part ? step.from % buffer.bytes.length : 0;
      const result = await importer.call('imports.open', {
        handle: buffer.handle,
        device,
        flags: 1,
        label: 'model',
        ...(step.part ? { offset } : {}),
      });
      if (buffer.freed && buffer.views.size === 0) {
        // Nothing, or other memory: what its block still holds, or what got the number of its block.
        if (result.ok) await importer.value('imports.close', { id: result.value.id });
        return;
      }
      expect(result).toMatchObject({ ok: true });
      if (!result.ok) return;
      const references = (buffer.views.get(result.value.id)?.references ?? 0) + 1;
      expect(result.value).toMatchObject({ references, bytes: buffer.bytes.length - offset });
      buffer.views.set(result.value.id, { offset, length: buffer.bytes.length - offset, references });
      return;
    }
    case 'close': {
      const buffer = at(buffers, step.which);
      const [id] = at([...(buffer?.views ?? [])], step.which) ?? [];
      if (buffer && id) await closeOnce(buffer, id);
      return;
    }
    case 'free': {
      const buffer = at(buffers, step.which);
      if (!buffer) return;
      // What takes the place of a small buffer in its block cannot be told from it while that is open.
      if (buffer.bytes.length < SHARES_NO_BLOCK && buffer.views.size > 0) return;
      const result = await exporter.call('buffers.free', { id: buffer.id });
      expect(result.ok).toBe(!buffer.freed);
      buffer.freed = true;
    }
  }
}

async function closeOnce(buffer: Shared, id: string): Promise<void> {
  const view = buffer.views.get(id);
  if (!view) throw new Error(`no view ${id}`);
  const references = view.references - 1;
  expect(await importer.value('imports.close', { id })).toEqual({
    references,
    state: references === 0 ? 'closed' : 'open',
  });
  if (references === 0) buffer.views.delete(id);
  else view.references = references;
}

/** Both sides see the bytes of the model; a closed or freed one sees nothing. */
async function compare(buffer: Shared): Promise<void> {
  if (buffer.freed) {
    expect(await exporter.error('memory.read', { id: buffer.id, offset: 0, length: 1 })).toMatchObject({
      code: 'closed',
    });
  } else {
    const bytes = await exporter.read(buffer.id, 0, buffer.bytes.length);
    expect(Buffer.compare(bytes, buffer.bytes)).toBe(0);
  }
  for (const [id, { offset, length }] of buffer.views) {
    const bytes = await importer.read(id, 0, length);
    expect(Buffer.compare(bytes, buffer.bytes.subarray(offset, offset + length))).toBe(0);
  }
}

async function letGo(buffer: Shared): Promise<void> {
  for (const id of [...buffer.views.keys()]) while (buffer.views.has(id)) await closeOnce(buffer, id);
  if (!buffer.freed) await exporter.value('buffers.free', { id: buffer.id });
}
