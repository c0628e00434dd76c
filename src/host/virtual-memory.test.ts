import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onRealDriver } from './testing/driver';
import { hostHere, type TestHost } from './testing/test-host';

// Free memory is compared, so nobody else may use this simulated machine.
process.env.GPU_IPC_SIM_MACHINE = `virtual-${process.pid}`;
process.env.GPU_IPC_SIM_DEVICES = '2';

const MiB = 1024 * 1024;
const GRANULE = 2 * MiB;

let host: TestHost;
beforeAll(async () => {
  host = hostHere();
  expect((await host.init()).kind).toBe('ready');
});
afterAll(() => host.shutdown());

const reserve = (pieces: number) =>
  host.value('virtual.reserve', { device: 0, bytes: pieces * GRANULE, label: 'range' });
const create = (more: { shareable?: 'none' | 'fd' | 'fabric'; device?: number } = {}) =>
  host.value('virtual.create', { device: 0, bytes: GRANULE, label: 'piece', ...more });
const map = (id: string, physicalId: string, piece = 0) =>
  host.value('virtual.map', { id, physicalId, offset: piece * GRANULE });
const access = (id: string) => host.value('virtual.access', { id, access: 'read-write' });
const free = async () => (await host.value('devices.list', {}))[0]?.freeBytes;

describe('a buffer of virtual memory', () => {
  it('is made, used and freed in one go', async () => {
    await host.value('virtual.granularity', { device: 0 });
    const first = await host.value('buffers.create', { device: 0, bytes: 1, memory: 'virtual' });
    await host.value('buffers.free', { id: first.id });
    const before = await free();
    const fill = { pattern: 'constant', value: 7 } as const;
    const made = await host.value('buffers.create', { device: 0, bytes: 3 * MiB, memory: 'virtual', label: 'v', fill });
    expect(made.bytes).toBe(2 * GRANULE);
    const record = host.record('allocations', made.id);
    expect(record).toMatchObject({
      memory: 'virtual',
      bytes: 2 * GRANULE,
      blockBytes: null,
      access: [{ device: 0, access: 'read-write' }],
    });
    const [chunk] = record.chunks ?? [];
    expect(record.chunks).toEqual([{ offset: 0, bytes: 2 * GRANULE, physicalId: expect.any(String) }]);
    expect(host.record('physicals', chunk?.physicalId ?? '')).toMatchObject({
      label: 'v',
      bytes: 2 * GRANULE,
      requestedBytes: 3 * MiB,
      shareable: 'fd',
      state: 'live',
    });
    expect(await host.read(made.id, 2 * GRANULE - 1, 1)).toEqual(Uint8Array.of(7));
    await host.value('buffers.free', { id: made.id });
    expect(host.record('physicals', chunk?.physicalId ?? '').state).toBe('released');
    expect(host.record('allocations', made.id)).toMatchObject({ state: 'freed', chunks: [], access: [] });
    if (!onRealDriver) expect(await free()).toBe(before);
  });

  it('of more than the device has leaves nothing', async () => {
    const before = host.table('allocations').length;
    const error = await host.error('buffers.create', { device: 0, bytes: 2 ** 50, memory: 'virtual' });
    expect(error).toMatchObject({ code: 'driver-error', call: 'cuMemCreate', cuda: { result: 2 } });
    expect(host.table('allocations')).toHaveLength(before);
    expect(host.table('physicals').filter(({ state, bytes }) => state === 'live' && bytes > MiB ** 2)).toEqual([]);
  });
});

describe('a range', () => {
  it('is read and written where memory is mapped with access, and nowhere else', async () => {
    const range = await reserve(3);
    const read = (offset: number, length: number) => host.call('memory.read', { id: range.id, offset, length });
    const refusal = async (offset: number, length: number) => {
      const result = await read(offset, length);
      return result.ok ? undefined : result.error.message;
    };
    expect(await refusal(0, 1)).toMatch(/^Bytes 0 to 1 of range are addresses without memory/);
    const [left, right] = [await create(), await create()];
    await map(range.id, left.id, 0);
    await map(range.id, right.id, 2);
    expect(await refusal(0, 1)).toMatch(/device 0 has no access to range there/);
    await access(range.id);
    expect(host.record('allocations', range.id)).toMatchObject({
      chunks: [
        { offset: 0, bytes: GRANULE, physicalId: left.id },
        { offset: 2 * GRANULE, bytes: GRANULE, physicalId: right.id },
      ],
      access: [{ device: 0, access: 'read-write' }],
    });
    expect(await refusal(0, GRANULE)).toBeUndefined();
    expect(await refusal(2 * GRANULE, GRANULE)).toBeUndefined();
    expect(await refusal(GRANULE - 1, 2)).toMatch(/^Bytes 2,097,152 to 2,097,153 of range are addresses/);
    expect(await refusal(GRANULE - 1, GRANULE + 2)).toMatch(/^Bytes 2,097,152 to 4,194,304 of range/);
    const write = { id: range.id, offset: 2 * GRANULE - 1, bytes: Uint8Array.of(1, 2) };
    expect(await host.error('buffers.write', write)).toMatchObject({ code: 'out-of-range' });
    const fill = { id: range.id, fill: { pattern: 'zero' } } as const;
    expect(await host.error('buffers.fill', fill)).toMatchObject({ code: 'out-of-range' });
    // What is mapped later has no access by itself: the range as a whole has none then.
    await map(range.id, left.id, 1);
    expect(host.record('allocations', range.id).access).toEqual([]);
    expect(await refusal(GRANULE, 1)).toMatch(/no access/);
    expect(await refusal(0, 1)).toBeUndefined();
    await access(range.id);
    await host.value('buffers.write', { id: range.id, offset: 5, bytes: Uint8Array.of(9) });
    expect(await host.read(range.id, GRANULE + 5, 1)).toEqual(Uint8Array.of(9));
    expect(await refusal(0, 3 * GRANULE)).toBeUndefined();

    expect(await host.error('virtual.unmap', { id: range.id, offset: 1 })).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringMatching(/Nothing is mapped at offset 1/),
    });
    await host.value('virtual.unmap', { id: range.id, offset: GRANULE });
    expect(await refusal(GRANULE, 1)).toMatch(/without memory/);
    await host.value('virtual.unmap', { id: range.id });
    expect(host.record('allocations', range.id).chunks).toEqual([]);
    expect(await host.error('virtual.unmap', { id: range.id })).toMatchObject({ code: 'invalid-argument' });
    expect(await host.error('virtual.access', { id: range.id, access: 'read' })).toMatchObject({
      code: 'invalid-argument',
    });
    await host.value('buffers.free', { id: range.id });
    for (const { id } of [left, right]) await host.value('virtual.release', { id });
  });

  it('is exported as long as it has no hole, and anew when other memory is mapped', async () => {
    const range = await reserve(3);
    expect(await host.error('buffers.export', { id: range.id })).toMatchObject({ code: 'invalid-argument' });
    const pieces = [await create(), await create(), await create({ shareable: 'none' })];
    const [a, b, hidden] = pieces.map(({ id }) => id) as [string, string, string];
    await map(range.id, b, 1);
    expect(await host.error('buffers.export', { id: range.id })).toMatchObject({
      code: 'out-of-range',
      message: expect.stringMatching(/hole at byte 0/),
    });
    await map(range.id, a, 0);
    const first = await host.value('buffers.export', { id: range.id });
    expect(first).toMatchObject({ mechanism: 'virtual', handle: null });
    expect(first.fds).toHaveLength(2);
    expect(await host.value('buffers.export', { id: range.id })).toEqual(first);

    await map(range.id, hidden, 2);
    const open = (await host.value('descriptors.list', {})).length;
    expect(await host.error('buffers.export', { id: range.id })).toMatchObject({
      call: 'cuMemExportToShareableHandle',
      cuda: { result: 1 },
      hint: expect.stringMatching(/not created to be exported/),
    });
    expect(await host.value('descriptors.list', {})).toHaveLength(open);
    await host.value('virtual.unmap', { id: range.id, offset: 2 * GRANULE });
    // Released, and still there, because it is mapped.
    for (const id of [a, b, hidden]) await host.value('virtual.release', { id });
    await host.value('descriptors.close', { exportId: first.id });
    const second = await host.value('buffers.export', { id: range.id });
    expect(second.id).not.toBe(first.id);
    expect(second.fds).toHaveLength(2);
    await host.value('virtual.unmap', { id: range.id, offset: GRANULE });
    const third = await host.value('buffers.export', { id: range.id });
    expect(third.fds).toHaveLength(1);
    expect(host.record('exports', second.id).state).toBe('closed');
    await host.value('buffers.free', { id: range.id });
    // What it was made of stays known: others may hold it.
    expect(host.record('exports', third.id)).toMatchObject({ state: 'freed', descriptors: [], physicalIds: [a] });
    expect(host.record('exports', second.id).physicalIds).toEqual([a, b]);
    expect(await host.value('descriptors.list', {})).toEqual([]);
  });

  it('takes no memory beyond its end, and what is no range takes none at all', async () => {
    const range = await reserve(1);
    const piece = await create();
    const beyond = { id: range.id, physicalId: piece.id, offset: GRANULE };
    expect(await host.error('virtual.map', beyond)).toMatchObject({ code: 'out-of-range' });
    const { id } = await host.value('buffers.create', { device: 0, bytes: 4096 });
    expect(await host.error('virtual.map', { id, physicalId: piece.id })).toMatchObject({ code: 'invalid-argument' });
    await map(range.id, piece.id);
    expect(await host.error('virtual.map', { id: range.id, physicalId: piece.id })).toMatchObject({
      call: 'cuMemMap',
      cuda: { result: 1 },
      hint: expect.stringMatching(/mapped there already/),
    });
    await host.value('virtual.release', { id: piece.id });
    expect(await host.error('virtual.release', { id: piece.id })).toMatchObject({ code: 'closed' });
    expect(await host.error('virtual.export', { id: piece.id })).toMatchObject({ code: 'closed' });
    for (const one of [range.id, id]) await host.value('buffers.free', { id: one });
  });

  it('may be used by another device that is given access', async () => {
    if ((await host.value('devices.list', {})).length < 2) return;
    const { id } = await host.value('buffers.create', { device: 0, bytes: 1, memory: 'virtual' });
    await host.value('virtual.access', { id, device: 1, access: 'read' });
    expect(host.record('allocations', id).access).toEqual([
      { device: 0, access: 'read-write' },
      { device: 1, access: 'read' },
    ]);
    await host.value('virtual.access', { id, device: 1, access: 'none' });
    expect(host.record('allocations', id).access).toEqual([{ device: 0, access: 'read-write' }]);
    expect(await host.error('virtual.access', { id, device: 9, access: 'read' })).toMatchObject({
      code: 'invalid-argument',
    });
    await host.value('buffers.free', { id });
  });

  it('is worked on further when another device loses its access', async () => {
    if ((await host.value('devices.list', {})).length < 2) return;
    const bytes = 256 * 1024 * 1024;
    const { id } = await host.value('buffers.create', { device: 0, bytes, memory: 'virtual' });
    await host.value('virtual.access', { id, device: 1, access: 'read' });
    const taken = host.value('contents.snapshot', { id, name: 'all' });
    await host.value('virtual.access', { id, device: 1, access: 'none' });
    expect(await host.error('virtual.access', { id, device: 9, access: 'none' })).toMatchObject({
      code: 'invalid-argument',
    });
    await host.value('contents.drop', { id: (await taken).id });
    const ended = host.error('contents.snapshot', { id, name: 'all' });
    await host.value('virtual.access', { id, access: 'none' });
    expect(await ended).toMatchObject({ code: 'closed', message: expect.stringMatching(/taken away/) });
    await host.value('buffers.free', { id });
  });
});

describe.skipIf(onRealDriver)('fabric handles', () => {
  it('are not permitted without an IMEX channel', async () => {
    expect(await host.error('virtual.create', { device: 0, bytes: 1, shareable: 'fabric' })).toMatchObject({
      call: 'cuMemCreate',
      cuda: { result: 800 },
      hint: expect.stringMatching(/IMEX channel/),
    });
  });

  it('share memory where there is one', async () => {
    process.env.GPU_IPC_SIM_FABRIC = '1';
    try {
      const piece = await create({ shareable: 'fabric' });
      const made = await host.value('virtual.export', { id: piece.id });
      expect(made).toMatchObject({ fd: null, handle: expect.any(Uint8Array) });
      const handle = made.handle ?? new Uint8Array(64);
      const range = await reserve(1);
      await map(range.id, piece.id);
      await access(range.id);
      await host.value('buffers.fill', { id: range.id, fill: { pattern: 'constant', value: 3 } });
      expect(await host.value('buffers.export', { id: range.id })).toMatchObject({ mechanism: 'fabric', fds: [] });
      const opened = await host.value('imports.openVirtual', {
        source: { kind: 'fabric', handle },
        chunks: [{ bytes: GRANULE }],
        exportId: made.id,
        device: 0,
        access: 'read',
        label: 'over the fabric',
      });
      expect(host.record('mappings', opened.id)).toMatchObject({ mechanism: 'fabric', bytes: GRANULE });
      expect(await host.read(opened.id, GRANULE - 1, 1)).toEqual(Uint8Array.of(3));
      await host.value('imports.close', { id: opened.id });
      await host.value('buffers.free', { id: range.id });
      await host.value('virtual.release', { id: piece.id });
      const late = {
        source: { kind: 'fabric', handle } as const,
        device: 0,
        bytes: GRANULE,
        label: '',
        exportId: null,
      };
      expect(await host.error('virtual.import', late)).toMatchObject({ code: 'driver-error' });
    } finally {
      delete process.env.GPU_IPC_SIM_FABRIC;
    }
  });
});
