import { describe, expect, it } from 'vitest';
import type { PastedItem } from '#contract/calls/handles';
import { parseDescriptor, printDescriptor } from '#contract/descriptor';
import { parsePaste } from '#contract/paste/parse-paste';
import { segmentsDescriptor } from '#contract/paste/segments';
import type { Export } from '#contract/records';
import { emptyLedger } from '../../../lib/ledger';
import { shared } from '../../../lib/testing/records';
import { blocks, mayBeTried } from './findings';
import { emptyForeign, kindOfFile, readForeign, wholeNumber } from './foreign';
import { exporterKnown, type Here, itemFacts, wayOfItem } from './item-facts';
import { liveExports, wayOf } from './live-exports';
import { dataOf } from './make';
import { placeOf } from './place';

const UUID = 'GPU-01234567-89ab-cdef-0123-456789abcdef';
const HEX =
  'd0d89f2a000000004d02000000000000001000000000000000020000000000000600000000ff000038000000000000004900d0c1ac00005c0000000000000000';
const EVENT = `4d020000000000000100000000000000fc0f0000${'0'.repeat(88)}`;
const only = (text: string): PastedItem => {
  const [item] = parsePaste(text).items;
  if (item === undefined) throw new Error('nothing was found');
  return item;
};

describe('a place in a pasted text', () => {
  it('counts lines and columns from 1, and points at it', () => {
    const place = placeOf('one\ntwo three\nfour', 8);
    expect(place).toEqual({ line: 2, column: 5, excerpt: 'two three', caret: 4 });
    expect(place.excerpt.slice(place.caret)).toBe('three');
  });
  it('cuts a long line at both sides and still points at it', () => {
    const text = `${'a'.repeat(500)}X${'b'.repeat(500)}`;
    const { excerpt, caret, column } = placeOf(text, 500);
    expect(excerpt.length).toBeLessThan(70);
    expect(excerpt[caret]).toBe('X');
    expect(column).toBe(501);
  });
  it('may be the end of the text', () => {
    expect(placeOf('ab', 2)).toMatchObject({ line: 1, column: 3, caret: 2 });
    expect(placeOf('', 0)).toMatchObject({ line: 1, column: 1, excerpt: '' });
  });
});

describe('what is known of a pasted item', () => {
  const { peers } = shared();
  const here: Here = { peers, selfId: 'p1', device: 0, layoutChecked: true };
  const texts = (item: PastedItem, at: Here = here) =>
    itemFacts(item, at).map(({ text, detail }) => `${text}: ${detail}`);

  it('says what it is, whose, and where', () => {
    expect(texts(only(HEX))).toEqual([
      'Memory handle as hex: 64 bytes',
      'pid 589: a process outside of this app',
      'GPU 0: the handle does not say which',
      '4.00 KiB: the allocation that it is in',
    ]);
    expect(wayOfItem(only(EVENT))).toBe('event');
    expect(wayOfItem(only(HEX))).toBe('legacy');
  });
  it('does not trust bytes whose layout was not checked', () => {
    const known = itemFacts(only(HEX), { ...here, layoutChecked: false });
    expect(known[1]).toMatchObject({ text: 'Exporter unknown' });
    expect(known.map(({ detail }) => detail)).not.toContain('the allocation that it is in');
  });
  it('notes the event and the reference counter of PyTorch', () => {
    const item = only(
      `(1, b'${HEX.replace(/../g, '\\x$&')}', 1200000, 512, b'/torch_1_2_3', 16, b'${EVENT.replace(/../g, '\\x$&')}', True)`,
    );
    expect(wayOfItem(item)).toBe('legacy');
    const all = texts(item).join('\n');
    expect(all).toContain('1,200,000 bytes at offset 512');
    expect(all).toContain('With an event: it says when the bytes are complete');
    expect(all).toContain('Counted in /torch_1_2_3 at 16: PyTorch counts readers there');
    expect(all).toContain('the text says device 1');
  });
  it('has PyTorch’s expandable segments opened as virtual memory, and does not claim to know their device', () => {
    // pid 4376, one segment of 2 MiB, descriptor 48.
    const header = `\\x02e\\x18\\x11${'\\x00'.repeat(6)}\\x00\\x00\\x20${'\\x00'.repeat(5)}\\x01${'\\x00'.repeat(7)}0\\x00\\x00\\x00`;
    const item = only(`b'${header}'`);
    const descriptor = segmentsDescriptor(item, UUID) ?? '';
    expect(wayOfItem(item)).toBe('virtual');
    const all = texts({ ...item, descriptor });
    expect(all).toContain('pid 4376: a process outside of this app');
    expect(all).toContain('GPU 0: the handle does not say which');
    expect(all).toContain('fd 48: copied out of process 4376, or sent by it');
    expect(all.join()).not.toContain(UUID);
  });
  it('reads a descriptor', () => {
    const descriptor = printDescriptor({
      format: 'gpu-ipc-descriptor',
      version: 1,
      mechanism: 'virtual',
      descriptors: [{ fd: 9, bytes: 2 ** 21 }],
      exporter: { pid: 41210 },
      device: { uuid: UUID },
      offset: 0,
      size: 2 ** 21,
      dtype: 'f32',
      shape: [2, 3],
    });
    const item = only(descriptor);
    expect(wayOfItem(item)).toBe('virtual');
    const all = texts(item, { ...here, layoutChecked: false }).join('\n');
    expect(all).toContain('pid 41210: Producer 1, alive, not this process');
    expect(all).toContain('Values of f32: shape 2 × 3');
    expect(all).toContain('fd 9: copied out of process 41210, or sent by it');
    expect(all).toContain(UUID);
  });
  it('says what its exporter is here', () => {
    expect(exporterKnown(41187, peers, 'p1')).toMatchObject({ sure: 'no' });
    expect(exporterKnown(41210, peers, 'p1')).toMatchObject({
      sure: 'yes',
      detail: 'Producer 1, alive, not this process',
    });
    expect(exporterKnown(7, peers, 'p1')).toMatchObject({ sure: 'unknown', detail: 'a process outside of this app' });
    expect(exporterKnown(undefined, peers, 'p1')).toMatchObject({ sure: 'unknown' });
  });
});

describe('what a text says of the data', () => {
  const tensor = (shape: string, strides: string) =>
    only(
      `(<class 'torch.Tensor'>, torch.Size([${shape}]), (${strides}), 16, <class 'torch.storage.TypedStorage'>, torch.bfloat16, 0, b'${HEX.replace(/../g, '\\x$&')}', 4096, 512, False, b'/torch_1_2_3', 0, b'${EVENT.replace(/../g, '\\x$&')}', False)`,
    );
  const said = (item: PastedItem, how: { offset?: number; length?: number } = {}) =>
    dataOf({ from: 'text', item, as: 'memory', pointer: false }, { offset: how.offset, length: how.length });

  it('goes with it: type, shape and strides', () => {
    const item = tensor('2, 8', '1, 2');
    const { offset, size } = item;
    expect([offset, size]).toEqual([512 + 32, 32]);
    const data = { dtype: 'bf16', shape: [2, 8], strides: [1, 2] };
    expect(said(item, { offset: 544, length: 32 })).toEqual(data);
    expect(said(item, { offset: 544 })).toEqual(data);
  });
  it('is the type alone for another part of the memory', () => {
    for (const how of [{ offset: 544, length: 16 }, { offset: 512, length: 32 }, {}])
      expect(said(tensor('2, 8', '1, 2'), how)).toEqual({ dtype: 'bf16' });
  });
  it('is nothing where the text says no type, and the type alone where the strides are not those of the shape', () => {
    expect(said(only(HEX))).toBeUndefined();
    const { offset, ...item } = tensor('2, 8', '1, 2');
    expect(said({ ...item, offset: 0, strides: [1] })).toEqual({ dtype: 'bf16' });
  });
  it('has the byte order of a descriptor', () => {
    const descriptor = printDescriptor({
      format: 'gpu-ipc-descriptor',
      version: 1,
      mechanism: 'legacy',
      handle: HEX,
      exporter: { pid: 589 },
      device: { uuid: UUID },
      offset: 0,
      size: 24,
      dtype: 'f32',
      shape: [2, 3],
      byteOrder: 'big',
    });
    expect(said(only(descriptor), { length: 24 })).toEqual({ dtype: 'f32', shape: [2, 3], byteOrder: 'big' });
  });
});

describe('findings before an import', () => {
  const refuse = (code: string) => ({ level: 'refuse' as const, code, message: code });
  const warn = { level: 'warn' as const, code: 'exporter-gone', message: '' };
  it('block where one refuses, unless it is wanted anyway', () => {
    expect(blocks([warn], false)).toBe(false);
    expect(blocks([refuse('own-process')], false)).toBe(true);
    expect(blocks([refuse('own-process'), warn], true)).toBe(false);
  });
  it('are never tried where trying ends the process', () => {
    const both = [refuse('own-process'), refuse('out-of-block')];
    expect(mayBeTried(both)).toBe(false);
    expect(blocks(both, true)).toBe(true);
    expect(blocks([refuse('out-of-table')], true)).toBe(true);
  });
});

describe('a descriptor of another process', () => {
  it('is read from what was typed', () => {
    const reading = readForeign({ ...emptyForeign, pid: ' 812 ', fd: '9', size: '4 MiB' }, UUID);
    expect(reading).toMatchObject({ ok: true, pid: 812, fd: 9 });
    const described = reading.ok ? parseDescriptor(reading.descriptor ?? '') : undefined;
    expect(described).toMatchObject({
      ok: true,
      descriptor: { mechanism: 'virtual', size: 4 * 2 ** 20, descriptors: [{ fd: 9, bytes: 4 * 2 ** 20 }] },
    });
  });
  it('is a pool alone, or memory of a pool', () => {
    const form = { ...emptyForeign, pid: '812', fd: '9', kind: 'pool' } as const;
    expect(readForeign(form, UUID)).toEqual({ ok: true, pid: 812, fd: 9, descriptor: undefined });
    const described = readForeign({ ...form, pointer: HEX }, UUID);
    expect(described.ok && parseDescriptor(described.descriptor ?? '')).toMatchObject({
      ok: true,
      descriptor: { mechanism: 'pool', handle: HEX },
    });
  });
  it('says which field is wrong', () => {
    expect(readForeign({ ...emptyForeign, pid: '0', fd: 'x', size: '' }, UUID)).toEqual({
      ok: false,
      problems: { pid: expect.any(String), fd: expect.any(String), size: expect.any(String) },
    });
    expect(readForeign({ ...emptyForeign, pid: '1', fd: '2', kind: 'pool', pointer: '12' }, UUID)).toMatchObject({
      ok: false,
      problems: { pointer: expect.any(String) },
    });
    expect(wholeNumber('99999999999', 0)).toBeUndefined();
  });
  it('is told by its file where that says so', () => {
    expect(kindOfFile('/memfd:gpu-ipc-sim.pool (deleted)')).toBe('pool');
    expect(kindOfFile('/memfd:gpu-ipc-sim.physical (deleted)')).toBe('virtual');
    expect(kindOfFile('/dev/nvidiactl')).toBeUndefined();
  });
});

describe('live exports', () => {
  const { peers } = shared();
  const made = (change: Partial<Export>): Export => ({
    id: 'p2.x1',
    peerId: 'p2',
    kind: 'memory',
    mechanism: 'legacy',
    objectId: 'p2.a1',
    state: 'live',
    createdAt: 1,
    ...change,
  });
  const ids = (rows: readonly Export[]) =>
    liveExports({ ...emptyLedger, peers, exports: new Map(rows.map((row) => [row.id, row])) }, 'p1').map(
      ({ exported }) => exported.id,
    );
  it('are those of others, and own ones that can be opened here; memory first', () => {
    expect(
      ids([
        made({ id: 'p2.x3', kind: 'pool', mechanism: 'pool' }),
        made({ id: 'p2.x2', kind: 'event' }),
        made({ id: 'p2.x1' }),
        made({ id: 'p2.x4', state: 'freed' }),
        made({ id: 'p1.x1', peerId: 'p1' }),
        made({ id: 'p1.x2', peerId: 'p1', mechanism: 'virtual', createdAt: 2 }),
      ]),
    ).toEqual(['p2.x1', 'p1.x2', 'p2.x2', 'p2.x3']);
  });
  it('are named by how they travel', () => {
    expect(wayOf({ kind: 'event', mechanism: 'legacy' })).toBe('event');
    expect(wayOf({ kind: 'pool', mechanism: 'pool' })).toBe('the pool itself');
    expect(wayOf({ kind: 'memory', mechanism: 'virtual' })).toBe('virtual memory');
  });
});
