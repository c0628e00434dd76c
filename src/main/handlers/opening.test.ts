import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CheckedArgs } from '#contract/calls';
import { printDescriptor } from '#contract/descriptor';
import type { FromHost } from '#contract/host-protocol';
import type { Export } from '#contract/records';
import { GpuIpcError } from '#contract/result';
import { type ChildHost, hostElsewhere, prepareChildHosts } from '#host/testing/child-host';
import { onRealDriver } from '#host/testing/driver';
import { hostHere, type TestHost } from '#host/testing/test-host';
import { describeExport } from '../describe';
import { Ledger } from '../ledger/ledger';
import { OutsideExporters } from '../ledger/outside';
import type { WindowRecord } from '../windows/registry';
import { fdHandlers } from './fds';
import type { Services } from './services';
import { sharingHandlers } from './sharing';

prepareChildHosts();
// Free memory is compared, so nobody else may use this simulated machine.
process.env.GPU_IPC_SIM_MACHINE = `opening-${process.pid}`;

const SIZE = 2 * 1024 * 1024;

let ledger: Ledger;
let exporter: ChildHost;
let importer: TestHost;
let services: Services;
beforeAll(async () => {
  ledger = new Ledger({ deliver: () => {} });
  exporter = await hostElsewhere('p2');
  importer = hostHere('p1');
  expect((await importer.init()).kind).toBe('ready');
  const hosts = new Map<string, TestHost>([
    ['p1', importer],
    ['p2', exporter],
  ]);
  for (const [id, host] of hosts) {
    const role = host === importer ? 'inspector' : 'producer';
    ledger.addPeer({ id, role, name: id, pid: host.pid, device: 0, state: 'alive', startedAt: 0 });
    listen(host);
  }
  // The same as the supervisor's host: what it answers comes after what it reports.
  const host = (peerId: string) => ({ request: (name: never, args: never) => hosts.get(peerId)?.call(name, args) });
  services = { ledger, supervisor: { host }, outside: new OutsideExporters(ledger) } as unknown as Services;
});
afterAll(async () => {
  ledger.stop();
  await importer.shutdown();
  await exporter.shutdown();
});

/** Has the ledger take what a host reports, before the one who asked gets the answer. */
function listen(host: TestHost): void {
  const onMessage = (message: FromHost): boolean => {
    if (message.kind === 'ledger') ledger.apply(host.peerId, message.changes, message.calls);
    return false;
  };
  void host.next(onMessage);
}

const caller = { peerId: () => 'p1', name: 'p1', role: 'inspector' } as unknown as WindowRecord;

/** As a window of the importer; the error's code when it is refused. */
async function open(exportId: string, offset: number) {
  try {
    return await sharingHandlers(services)['imports.open']({ exportId, device: 0, offset }, caller);
  } catch (thrown) {
    if (thrown instanceof GpuIpcError) return thrown.error.code;
    throw thrown;
  }
}

interface Shared {
  readonly id: string;
  readonly kind: 'pool' | 'virtual';
  readonly bytes: Uint8Array;
  freed: boolean;
  readonly exports: string[];
  /** By the id of the mapping: the export that it was opened from first. */
  readonly views: Map<string, { readonly offset: number; readonly exportId: string; references: number }>;
}

const pick = fc.nat({ max: 1000 });
const operation = fc.oneof(
  fc.record({
    do: fc.constant('create' as const),
    kind: fc.constantFrom('pool' as const, 'virtual' as const),
    value: fc.nat(255),
  }),
  fc.record({ do: fc.constant('export' as const), which: pick }),
  fc.record({ do: fc.constant('open' as const), which: pick, export: pick, offset: fc.constantFrom(0, 0, 4096) }),
  fc.record({ do: fc.constant('open' as const), which: pick, export: pick, offset: fc.constantFrom(0, 0, 4096) }),
  fc.record({ do: fc.constant('write' as const), which: pick, at: fc.nat(SIZE - 1), value: fc.nat(255) }),
  fc.record({ do: fc.constant('close' as const), which: pick }),
  fc.record({ do: fc.constant('free' as const), which: pick }),
  fc.record({ do: fc.constant('close descriptors' as const), which: pick, export: pick }),
);
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

const at = <T>(list: readonly T[], index: number): T | undefined => list[index % Math.max(list.length, 1)];

async function run(step: Operation, buffers: Shared[]): Promise<void> {
  if (step.do === 'create') {
    const fill = { pattern: 'constant', value: step.value } as const;
    const { id } = await exporter.value('buffers.create', { device: 0, bytes: SIZE, memory: step.kind, fill });
    const bytes = new Uint8Array(SIZE).fill(step.value);
    buffers.push({ id, kind: step.kind, bytes, freed: false, exports: [], views: new Map() });
    return;
  }
  const buffer = at(buffers, step.which);
  if (buffer === undefined) return;
  switch (step.do) {
    case 'export': {
      const result = await exporter.call('buffers.export', { id: buffer.id });
      expect(result.ok).toBe(!buffer.freed);
      if (!result.ok) return;
      const live = buffer.exports.filter((id) => ledger.export(id)?.state === 'live');
      // The same export as long as it can be opened.
      if (live.length > 0) expect(live).toEqual([result.value.id]);
      else buffer.exports.push(result.value.id);
      return;
    }
    case 'open':
      await openOnce(buffer, at(buffer.exports, step.export), step.offset);
      return;
    case 'write': {
      const [mapping, view] = at([...buffer.views], step.at) ?? [];
      const bytes = Uint8Array.of(step.value);
      if (isGivenOn(buffer)) return;
      if (mapping !== undefined && view !== undefined && step.at >= view.offset) {
        await importer.value('buffers.write', { id: mapping, offset: step.at - view.offset, bytes });
      } else if (!buffer.freed) await exporter.value('buffers.write', { id: buffer.id, offset: step.at, bytes });
      else return;
      buffer.bytes[step.at] = step.value;
      return;
    }
    case 'close': {
      const [id] = at([...buffer.views], step.which) ?? [];
      if (id !== undefined) await closeOnce(buffer, id);
      return;
    }
    case 'free':
      expect((await exporter.call('buffers.free', { id: buffer.id })).ok).toBe(!buffer.freed);
      buffer.freed = true;
      return;
    case 'close descriptors': {
      const made = ledger.export(at(buffer.exports, step.export) ?? '');
      const exportId = made?.poolExportId ?? made?.id;
      if (exportId === undefined) return;
      const wasLive = ledger.export(exportId)?.state === 'live';
      const closing = Promise.resolve(fdHandlers(services)['fds.close']({ exportId }, caller));
      expect(
        await closing.then(
          () => true,
          () => false,
        ),
      ).toBe(wasLive);
      return;
    }
  }
}

async function openOnce(buffer: Shared, exportId: string | undefined, offset: number): Promise<void> {
  const made = exportId === undefined ? undefined : ledger.export(exportId);
  if (exportId === undefined || made === undefined) return;
  const views = [...buffer.views.values()];
  const openFromThis = views.filter((view) => view.exportId === exportId);
  const may =
    made.state === 'live' ||
    (buffer.kind === 'pool' ? openFromThis.length > 0 : openFromThis.some((view) => view.offset === offset));
  const opened = await open(exportId, offset);
  if (!may) {
    expect(opened).toBe('closed');
    return;
  }
  expect(opened).toMatchObject({ state: 'open', bytes: SIZE - offset });
  if (typeof opened === 'string') return;
  const same = [...buffer.views].find(([, view]) => view.offset === offset && view.exportId === exportId);
  const references = (same?.[1].references ?? 0) + 1;
  expect(opened.references).toBe(references);
  if (same) expect(opened.id).toBe(same[0]);
  buffer.views.set(opened.id, { offset, exportId: same?.[1].exportId ?? exportId, references });
}

async function closeOnce(buffer: Shared, id: string): Promise<void> {
  const references = (buffer.views.get(id)?.references ?? 0) - 1;
  const state = references === 0 ? 'closed' : 'open';
  expect(await importer.value('imports.close', { id })).toEqual({ references, state });
  const view = buffer.views.get(id);
  if (references === 0) buffer.views.delete(id);
  else if (view) view.references = references;
}

/** Memory of a pool that its owner has freed goes to the next allocation in that pool, whoever has it open. */
const isGivenOn = ({ kind, freed }: Shared): boolean => kind === 'pool' && freed;

async function compare(buffer: Shared): Promise<void> {
  if (isGivenOn(buffer)) return;
  if (!buffer.freed) expect(Buffer.compare(await exporter.read(buffer.id, 0, SIZE), buffer.bytes)).toBe(0);
  for (const [id, { offset }] of buffer.views) {
    const bytes = await importer.read(id, 0, SIZE - offset);
    expect(Buffer.compare(bytes, buffer.bytes.subarray(offset))).toBe(0);
  }
}

const free = async () => (await importer.value('devices.list', {}))[0]?.freeBytes;

describe('a description of virtual memory', () => {
  it.skipIf(onRealDriver)(
    'opens nothing else when its descriptors were closed and others have their numbers',
    async () => {
      const handlers = sharingHandlers(services);
      const make = async (label: string) => {
        const { id } = await exporter.value('buffers.create', { device: 0, bytes: SIZE, memory: 'virtual', label });
        const made = await exporter.value('buffers.export', { id });
        return { id, exportId: made.id, fds: made.fds };
      };
      const uuid = (await exporter.value('devices.list', {}))[0]?.uuid ?? '';
      const text = (exportId: string) =>
        printDescriptor(describeExport(ledger, ledger.export(exportId) as Export, uuid));
      const open = async (descriptor: string) => handlers['imports.open']({ descriptor, device: 0 }, caller);

      const before = await make('weights');
      const stale = text(before.exportId);
      await exporter.value('descriptors.close', { exportId: before.exportId });
      const after = await make('secrets');
      expect(after.fds).toEqual(before.fds);
      await expect(open(stale)).rejects.toMatchObject({
        error: { code: 'closed', message: expect.stringMatching(/^The file descriptors of weights .* of secrets now/) },
      });
      const opened = await open(text(after.exportId));
      await importer.value('imports.close', { id: opened.id });
      for (const { id } of [before, after]) await exporter.value('buffers.free', { id });
    },
  );
});

describe('what a descriptor says of the data', () => {
  const matrix = { dtype: 'f32', shape: [512, 1024], strides: [1, 512], byteOrder: 'big' } as const;

  it.each(['device', 'pool', 'virtual'] as const)('is in the record of the mapping (%s)', async (memory) => {
    const { id } = await exporter.value('buffers.create', { device: 0, bytes: SIZE, memory });
    const made = await exporter.value('buffers.export', { id });
    const uuid = (await exporter.value('devices.list', {}))[0]?.uuid ?? '';
    const described = describeExport(ledger, ledger.export(made.id) as Export, uuid);
    const descriptor = (change: object) => printDescriptor({ ...described, ...change });
    const said = { ...matrix, shape: [...matrix.shape], strides: [...matrix.strides] };
    const opened: string[] = [];
    const data = async (args: Omit<CheckedArgs<'imports.open'>, 'device'>) => {
      const mapping = await sharingHandlers(services)['imports.open']({ ...args, device: 0 }, caller);
      opened.push(mapping.id);
      return importer.record('mappings', mapping.id).data;
    };
    try {
      expect(await data({ exportId: made.id })).toBeUndefined();
      // One more reference of the same view, of which more is known now.
      expect(await data({ descriptor: descriptor(said) })).toEqual(matrix);
      expect(await data({ descriptor: descriptor(said), offset: 0, length: SIZE })).toEqual(matrix);
      // A part has another shape; the type of its elements is the same.
      const part = { descriptor: descriptor(said), offset: 4096 };
      expect(await data(part)).toEqual({ dtype: 'f32', byteOrder: 'big' });
      expect(await data({ ...part, length: 64, data: { dtype: 'i4', shape: [8, 16] } })).toEqual({
        dtype: 'i4',
        shape: [8, 16],
      });
    } finally {
      for (const mapping of opened) await importer.value('imports.close', { id: mapping });
      await exporter.value('buffers.free', { id });
    }
  });
});

describe('two processes that share pools and virtual memory', () => {
  it('agree with a model after any sequence of calls, and give everything back', async () => {
    const first = await exporter.value('buffers.create', { device: 0, bytes: SIZE, memory: 'pool' });
    await exporter.value('buffers.free', { id: first.id });
    // So that the importer has a context, and its free memory can be asked for.
    await importer.value('buffers.free', { id: (await importer.value('buffers.create', { device: 0, bytes: 1 })).id });
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 40, maxLength: 80 }), async (operations) => {
        const before = await free();
        const buffers: Shared[] = [];
        for (const step of operations) await run(step, buffers);
        for (const buffer of buffers) {
          await compare(buffer);
          for (const id of [...buffer.views.keys()]) while (buffer.views.has(id)) await closeOnce(buffer, id);
          if (!buffer.freed) await exporter.value('buffers.free', { id: buffer.id });
        }
        for (const table of ['pools', 'physicals'] as const) {
          expect(importer.table(table).filter(({ state }) => state === 'live')).toEqual([]);
        }
        const { descriptors } = await fdHandlers(services)['fds.list']({}, caller);
        expect(descriptors.filter(({ kind }) => kind !== 'pool')).toEqual([]);
        expect(descriptors.length).toBeLessThanOrEqual(1);
        if (!onRealDriver) expect(await free()).toBe(before);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  }, 120_000);
});
