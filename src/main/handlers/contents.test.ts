/** Contents of two real processes through main's handlers; runs on a real GPU with GPU_IPC_DRIVER=real. */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CallArgs, CallValue } from '#contract/calls';
import type { Progress } from '#contract/host-protocol';
import { type IpcError, toIpcError } from '#contract/result';
import { type ChildHost, hostElsewhere, prepareChildHosts } from '#host/testing/child-host';
import { ContentWork } from '../contents/work';
import { Ledger } from '../ledger/ledger';
import type { MainHandlers } from '../router';
import { windowRecord } from '../testing/window-record';
import { contentHandlers } from './contents';
import type { Services } from './services';

prepareChildHosts();

const MiB = 1024 * 1024;
const CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS = 1;

let inspector: ChildHost;
let producer: ChildHost;
let folder: string;
let told: Progress[];
let work: ContentWork;
let handlers: ReturnType<typeof contentHandlers>;
/** What the person chooses next, and what was proposed. */
let chosen: string | undefined;
let proposed: string;

const caller = windowRecord('inspector', 'p1');

beforeAll(async () => {
  [inspector, producer] = [await hostElsewhere('p1'), await hostElsewhere('p2')];
  folder = mkdtempSync(join(tmpdir(), 'gpu-ipc-main-contents-'));
});
afterAll(async () => {
  await inspector.shutdown();
  await producer.shutdown();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  told = [];
  chosen = undefined;
  const ledger = new Ledger({ deliver: () => {} });
  for (const host of [inspector, producer]) {
    const role = host === inspector ? 'inspector' : 'producer';
    ledger.addPeer({ id: host.peerId, role, name: role, pid: host.pid, device: 0, state: 'alive', startedAt: 0 });
  }
  const hosts = new Map(
    [inspector, producer].map((host) => [
      host.peerId,
      { request: (name: never, args: never) => host.call(name, args) },
    ]),
  );
  work = new ContentWork({ push: (_id, progress) => told.push(progress), windows: () => [caller] });
  const dialogs: Services['dialogs'] = {
    save: async (_id, name) => {
      proposed = name;
      return chosen;
    },
    open: async () => chosen,
  };
  const supervisor = { host: (peerId: string) => hosts.get(peerId) } as unknown as Services['supervisor'];
  handlers = contentHandlers({ ledger, supervisor, work, dialogs });
});

type Name = keyof typeof handlers;
const call = async <N extends Name>(name: N, args: CallArgs<N>): Promise<CallValue<N>> =>
  (handlers[name] as MainHandlers[N])(args as never, caller) as Promise<CallValue<N>>;
const problem = async <N extends Name>(name: N, args: CallArgs<N>): Promise<IpcError> => {
  try {
    await call(name, args);
  } catch (thrown) {
    return toIpcError(thrown);
  }
  throw new Error(`${name} went well`);
};

const buffer = async (host: ChildHost, bytes: number, more: object = {}) =>
  (await host.value('buffers.create', { device: 0, bytes, ...more })).id;
/** Memory of the producer, opened in the inspector. */
async function shared(bytes: number, fill: object): Promise<{ own: string; mapping: string }> {
  const own = await buffer(producer, bytes, { fill });
  const { handle } = await producer.value('buffers.export', { id: own });
  const opened = await inspector.value('imports.open', {
    handle: handle as Uint8Array,
    device: 0,
    flags: CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS,
    label: 'shared',
  });
  return { own, mapping: opened.id };
}

describe('comparing over processes', () => {
  it('finds an export and its mapping equal, and a change after a snapshot', async () => {
    const bytes = 9 * MiB + 5;
    const { own, mapping } = await shared(bytes, { pattern: 'random', seed: 2 });
    expect(await call('contents.compare', { a: own, b: mapping })).toMatchObject({
      equal: true,
      differing: 0,
      first: null,
      bytes,
      unmatchedBytes: 0,
    });
    const before = await inspector.value('contents.snapshot', { id: mapping, name: 'before' });
    const byte = (await producer.read(own, bytes - 1, 1))[0] ?? 0;
    await producer.value('buffers.write', { id: own, offset: bytes - 1, bytes: Uint8Array.of(byte ^ 0xff) });
    for (const a of [own, mapping]) {
      expect(await call('contents.compare', { a, b: before.id })).toMatchObject({
        equal: false,
        differing: 1,
        first: bytes - 1,
        ranges: [{ offset: bytes - 1, length: 1 }],
      });
    }
    await inspector.value('contents.drop', { id: before.id });
  });

  it('compares ranges by tolerance, and says what only one side has', async () => {
    const a = await buffer(producer, 4096, { dtype: 'f32', fill: { pattern: 'ramp', start: 0, step: 1 } });
    const b = await buffer(inspector, 2048, { dtype: 'f32', fill: { pattern: 'ramp', start: 0.5, step: 1 } });
    expect(await call('contents.compare', { a, b, dtype: 'f32' })).toMatchObject({
      equal: false,
      differing: 512,
      bytes: 2048,
      unmatchedBytes: 2048,
    });
    const near = { a, b, aOffset: 4, bOffset: 4, length: 2044, dtype: 'f32', tolerance: 0.5 } as const;
    expect(await call('contents.compare', near)).toMatchObject({ equal: true, unmatchedBytes: 0 });
    expect(await problem('contents.compare', { ...near, length: 2048 })).toMatchObject({ code: 'out-of-range' });
  });

  it('has the process itself compare what is all its own, wherever that is', async () => {
    const [a, b] = [await buffer(producer, 64 * MiB), await buffer(producer, 64 * MiB)];
    expect(await call('contents.compare', { a, b, job: 'within' })).toMatchObject({ equal: true, bytes: 64 * MiB });
    // Only the producer was asked for it, and it told main about no job that a window has named.
    expect(told.filter(({ job }) => job !== 'within')).toEqual([]);
  });

  it('tells how far it is, and is cancelled', async () => {
    const [a, b] = [await buffer(producer, 512 * MiB), await buffer(inspector, 512 * MiB)];
    const asked = problem('contents.compare', { a, b, job: 'long' });
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(told[0]).toMatchObject({ job: 'long', total: 512 * MiB });
    await call('contents.cancel', { job: 'long' });
    expect(await asked).toMatchObject({ code: 'cancelled' });
    expect(await call('contents.cancel', { job: 'long' })).toBeUndefined();
    await producer.value('buffers.free', { id: a });
    await inspector.value('buffers.free', { id: b });
  });

  it('never keeps main for long, also when everything differs', async () => {
    const a = await buffer(producer, 64 * MiB, { dtype: 'f32', fill: { pattern: 'constant', value: 1 } });
    const b = await buffer(inspector, 64 * MiB, { dtype: 'f32', fill: { pattern: 'constant', value: 2 } });
    let last = performance.now();
    const gaps: number[] = [];
    const timer = setInterval(() => {
      const now = performance.now();
      gaps.push(now - last - 1);
      last = now;
    }, 1);
    const began = performance.now();
    const found = await call('contents.compare', { a, b, dtype: 'f32', tolerance: 0.5, limit: 1 });
    const took = performance.now() - began;
    clearInterval(timer);
    expect(found).toMatchObject({ differing: 16 * MiB, ranges: [{ offset: 0, length: 64 * MiB }], more: false });
    gaps.sort((x, y) => x - y);
    // Not the longest, and by the whole: this machine has other things to do too. In one go there would be one gap.
    expect(gaps[Math.floor(gaps.length * 0.9)]).toBeLessThan(took / 5);
  });

  it('ends as closed when one side is freed, and knows no id of nobody', async () => {
    const [a, b] = [await buffer(producer, 256 * MiB), await buffer(inspector, 256 * MiB)];
    const asked = problem('contents.compare', { a, b });
    await producer.value('buffers.free', { id: a });
    expect(await asked).toMatchObject({ code: 'closed' });
    expect(await problem('contents.compare', { a: 'p9.a1', b })).toMatchObject({ code: 'not-found' });
    expect(await problem('contents.compare', { a: 'p2.a999', b })).toMatchObject({ code: 'not-found' });
  });
});

describe('files', () => {
  it('hold the bytes that were saved, and give them back', async () => {
    const bytes = 9 * MiB + 3;
    const id = await buffer(inspector, bytes, { label: 'a/b: weights', fill: { pattern: 'random', seed: 1 } });
    chosen = join(folder, 'raw.bin');
    expect(await call('contents.save', { id, as: 'raw' })).toEqual({ path: chosen, bytes });
    expect(proposed).toBe('a-b- weights.bin');
    expect(Buffer.compare(readFileSync(chosen), await inspector.read(id, 0, bytes))).toBe(0);
    const empty = await buffer(inspector, bytes + 10);
    expect(await call('contents.load', { id: empty, offset: 7 })).toEqual({ path: chosen, bytes });
    const loaded = await inspector.read(empty, 0, bytes + 10);
    expect(Buffer.compare(loaded.subarray(7, bytes + 7), readFileSync(chosen))).toBe(0);
    expect([...loaded.subarray(0, 7), ...loaded.subarray(bytes + 7)]).toEqual(Array(10).fill(0));
  });

  it('of NumPy say type and shape, and are loaded without their header', async () => {
    const id = await buffer(inspector, 48, { dtype: 'f32', fill: { pattern: 'ramp', start: 1, step: 1 } });
    chosen = join(folder, 'array.npy');
    const saved = await call('contents.save', { id, as: 'npy', shape: [3, 4] });
    const file = readFileSync(chosen);
    expect(saved).toEqual({ path: chosen, bytes: file.byteLength });
    expect(file.toString('latin1')).toContain("'descr': '<f4', 'fortran_order': False, 'shape': (3, 4)");
    expect([
      ...new Float32Array(file.buffer.slice(file.byteOffset + file.byteLength - 48, file.byteOffset + file.byteLength)),
    ]).toEqual(Array.from({ length: 12 }, (_, index) => index + 1));
    const other = await buffer(inspector, 48, { dtype: 'i32' });
    expect(await call('contents.load', { id: other })).toEqual({
      path: chosen,
      bytes: 48,
      note: expect.stringContaining('float32 (f32), the buffer is i32'),
    });
    expect(await inspector.read(other, 0, 48)).toEqual(await inspector.read(id, 0, 48));
    chosen = join(folder, 'halves.npy');
    const halves = await buffer(inspector, 8, { dtype: 'bf16' });
    expect((await call('contents.save', { id: halves, as: 'npy' })).note).toMatch(/bf16/);
  });

  it('of CSV have a line for each element, or for each row', async () => {
    const id = await buffer(inspector, 16, { dtype: 'f32', fill: { pattern: 'ramp', start: 1, step: 0.5 } });
    chosen = join(folder, 'values.csv');
    await call('contents.save', { id, as: 'csv' });
    expect(readFileSync(chosen, 'utf8')).toBe('index,offset,value\n0,0x0,1\n1,0x4,1.5\n2,0x8,2\n3,0xc,2.5\n');
    await call('contents.save', { id, as: 'csv', shape: [2, 2] });
    expect(readFileSync(chosen, 'utf8')).toBe('1,1.5\n2,2.5\n');
    await call('contents.save', { id, as: 'csv', offset: 8, length: 8 });
    expect(readFileSync(chosen, 'utf8')).toBe('index,offset,value\n0,0x8,2\n1,0xc,2.5\n');
  });

  it('of CSV are the same over the border of two pieces', async () => {
    const id = await buffer(inspector, 100_000, { dtype: 'u16', fill: { pattern: 'ramp' } });
    chosen = join(folder, 'long.csv');
    await call('contents.save', { id, as: 'csv' });
    const lines = readFileSync(chosen, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(50_001);
    expect(lines.slice(1).every((line, index) => line === `${index},0x${(2 * index).toString(16)},${index}`)).toBe(
      true,
    );
  });

  it('are not asked for when it cannot be done', async () => {
    chosen = join(folder, 'never');
    const id = await buffer(inspector, 10, { dtype: 'f32' });
    expect(await problem('contents.save', { id, as: 'npy' })).toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('no whole number of f32'),
    });
    expect(await problem('contents.save', { id, as: 'npy', dtype: 'u8', shape: [3, 3], length: 10 })).toMatchObject({
      code: 'invalid-argument',
    });
    expect(await problem('contents.save', { id, as: 'raw', offset: 4, length: 7 })).toMatchObject({
      code: 'out-of-range',
    });
    const many = await buffer(inspector, 6 * MiB);
    expect(await problem('contents.save', { id: many, as: 'csv' })).toMatchObject({
      message: expect.stringContaining('too many for CSV'),
    });
    expect(readdirSync(folder)).not.toContain('never');
  });

  it('are left alone when nothing is chosen, and when the work is cancelled or fails', async () => {
    const id = await buffer(inspector, 512 * MiB);
    expect(await call('contents.save', { id, as: 'raw' })).toEqual({ path: null, bytes: 0 });
    expect(await call('contents.load', { id })).toEqual({ path: null, bytes: 0 });
    chosen = join(folder, 'kept.bin');
    writeFileSync(chosen, 'what was there');
    const asked = problem('contents.save', { id, as: 'raw', job: 'save' });
    while (told.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await call('contents.cancel', { job: 'save' });
    expect(await asked).toMatchObject({ code: 'cancelled' });
    expect(readFileSync(chosen, 'utf8')).toBe('what was there');
    const ended = problem('contents.save', { id, as: 'raw' });
    await new Promise((resolve) => setTimeout(resolve, 30));
    await work.end();
    expect(await ended).toMatchObject({ code: 'cancelled' });
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await problem('contents.save', { id, as: 'raw' })).toMatchObject({ code: 'cancelled' });
    await inspector.value('buffers.free', { id });
  });

  it('that do not fit, are cut or cannot be read are refused before anything is written', async () => {
    const id = await buffer(inspector, 16, { label: 'small', fill: { pattern: 'constant', value: 5 } });
    chosen = join(folder, 'large.bin');
    writeFileSync(chosen, new Uint8Array(13));
    expect(await problem('contents.load', { id, offset: 4 })).toMatchObject({
      code: 'out-of-range',
      message: expect.stringContaining('room for 12'),
    });
    chosen = join(folder, 'cut.npy');
    writeFileSync(chosen, readFileSync(join(folder, 'array.npy')).subarray(0, 140));
    expect(await problem('contents.load', { id })).toMatchObject({ message: expect.stringContaining('ends before') });
    chosen = join(folder, 'none.npy');
    writeFileSync(chosen, 'no array at all');
    expect(await problem('contents.load', { id })).toMatchObject({ message: expect.stringContaining('.npy') });
    chosen = join(folder, 'missing');
    expect(await problem('contents.load', { id })).toMatchObject({
      message: expect.stringContaining('does not exist'),
    });
    chosen = folder;
    expect((await problem('contents.load', { id })).code).toBe('invalid-argument');
    chosen = join(folder, 'no', 'such', 'folder');
    expect(await problem('contents.save', { id, as: 'raw' })).toMatchObject({ code: 'unsupported' });
    expect([...(await inspector.read(id, 0, 16))]).toEqual(Array(16).fill(5));
  });

  it('are not loaded into memory of others, nor into a snapshot', async () => {
    const { mapping } = await shared(4096, { pattern: 'zero' });
    chosen = join(folder, 'raw.bin');
    expect(await problem('contents.load', { id: mapping })).toMatchObject({
      code: 'not-allowed',
      hint: expect.stringContaining('exported'),
    });
    const made = await inspector.value('contents.snapshot', { id: mapping, name: 'copy' });
    expect(await problem('contents.load', { id: made.id })).toMatchObject({ code: 'not-allowed' });
    // A snapshot is saved as memory is.
    chosen = join(folder, 'snapshot.bin');
    expect((await call('contents.save', { id: made.id, as: 'raw' })).bytes).toBe(4096);
  });
});
