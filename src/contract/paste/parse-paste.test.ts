import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { printDescriptor, type ShareDescriptor } from '#contract/descriptor';
import { parsePaste } from './parse-paste';
import type { PastedItem } from './types';

const { tokens } = JSON.parse(readFileSync(new URL('../testing/handle-tokens.json', import.meta.url), 'utf8')) as {
  tokens: { source: string; text: string; expect: Record<string, unknown> }[];
};
const token = (index: number): string => (tokens[index] as { text: string }).text;
const memory = token(0);
const event = token(4);
const [, torchHandle] = /'(0263[0-9a-f]{128})'/.exec(token(3)) as unknown as [string, string];
const torchEvent = /'(4d02[0-9a-f]{124})'/.exec(token(3))?.[1] as string;
const hex = (bytes: Uint8Array | null | undefined): string => Buffer.from(bytes ?? []).toString('hex');

/** Python's repr of bytes. */
function repr(bytes: string): string {
  let text = '';
  for (const byte of Buffer.from(bytes, 'hex')) {
    const ch = String.fromCharCode(byte);
    if (ch === "'" || ch === '\\') text += `\\${ch}`;
    else if (byte === 9) text += '\\t';
    else if (byte === 10) text += '\\n';
    else if (byte === 13) text += '\\r';
    else text += byte < 0x20 || byte > 0x7e ? `\\x${byte.toString(16).padStart(2, '0')}` : ch;
  }
  return `b'${text}'`;
}
/** Protobuf's text: octal escapes. */
const octal = (bytes: string): string =>
  [...Buffer.from(bytes, 'hex')].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');

function one(text: string): PastedItem {
  const { items, problems } = parsePaste(text);
  expect(problems).toEqual([]);
  expect(items).toHaveLength(1);
  return items[0] as PastedItem;
}

describe('tokens of real libraries', () => {
  it.each(tokens.map(({ source, text, expect: expected }) => [source, text, expected] as const))(
    '%s',
    (_source, text, expected) => {
      const item = one(text);
      // Described in words there.
      const { handle, eventHandle, ...literally } = expected;
      expect(item).toMatchObject(literally);
      if (handle !== undefined) expect(hex(item.handle)).toBe(torchHandle.slice(4));
      if (eventHandle !== undefined) expect(hex(item.eventHandle)).toBe(torchEvent);
      expect(text.slice(item.start, item.end)).toBe(text);
    },
  );
});

describe('PyTorch', () => {
  const storage = `(0, ${repr(torchHandle)}, 1200000, 4096, ${repr('2f746f7263685f315f325f30')}, 3, ${repr(event)}, False)`;

  it('reads the tuple as Python prints it', () => {
    const item = one(`storage: ${storage}\n`);
    expect(item).toMatchObject({
      kind: 'pytorch-storage',
      source: 'PyTorch _share_cuda_() tuple',
      form: 'python-bytes',
      device: 0,
      size: 1200000,
      offset: 4096,
      refCounterFile: '/torch_1_2_0',
      refCounterOffset: 3,
      eventSyncRequired: false,
    });
    expect(hex(item.handle)).toBe(torchHandle.slice(4));
    expect(hex(item.eventHandle)).toBe(event);
    expect(item.start).toBe(9);
  });

  it('reads what reduce_tensor() gives, and where the tensor lies', () => {
    const text = `(<function rebuild_cuda_tensor at 0x7f3c6c1d5e50>, (<class 'torch.Tensor'>, torch.Size([2, 3]), (3, 1), 10, <class 'torch.storage.TypedStorage'>, torch.float32, 1, ${repr(torchHandle)}, 1200000, 512, False, b'/torch_1_2_0', 0, ${repr(event)}, True))`;
    expect(one(text)).toMatchObject({
      kind: 'pytorch-storage',
      source: 'PyTorch rebuild_cuda_tensor arguments',
      device: 1,
      dtype: 'f32',
      shape: [2, 3],
      strides: [3, 1],
      offset: 512 + 40,
      size: 24,
      refCounterFile: '/torch_1_2_0',
      eventSyncRequired: true,
    });
  });

  it('reads the same by name', () => {
    const text = `dict(storage_device=0, storage_handle=${repr(torchHandle)}, storage_size_bytes=4096, storage_offset_bytes=512, requires_grad=False, ref_counter_handle=b'/torch_1_2_0', ref_counter_offset=7, event_handle=${repr(event)}, event_sync_required=True)`;
    const item = one(text);
    expect(item).toMatchObject({
      kind: 'pytorch-storage',
      device: 0,
      size: 4096,
      offset: 512,
      refCounterFile: '/torch_1_2_0',
      refCounterOffset: 7,
      eventSyncRequired: true,
    });
    expect(hex(item.eventHandle)).toBe(event);
  });

  it.each([
    ['base64', (bytes: Buffer) => `b'${bytes.toString('base64')}'`, 'base64'],
    ['base64 in lines', (bytes: Buffer) => `b'${bytes.toString('base64').replace(/.{76}/g, '$&\\n')}\\n'`, 'base64'],
    ['base64 for addresses', (bytes: Buffer) => `b'${bytes.toString('base64url')}'`, 'base64'],
    ['hex', (bytes: Buffer) => `b'${bytes.toString('hex')}'`, 'hex'],
  ])('reads %s in Python bytes, alone and among others', (_name, print, form) => {
    const text = print(Buffer.from(memory, 'hex'));
    for (const [whole, more] of [
      [text, {}],
      [`handle ${text} sent`, {}],
      [`{'raw_handle': ${text}, 'byte_size': 4096}`, { size: 4096, source: 'Triton shared-memory registration' }],
    ] as const) {
      const item = one(whole);
      expect(hex(item.handle)).toBe(memory);
      const source = `Memory handle as ${form} in Python bytes`;
      expect(item).toMatchObject({ kind: 'cuda-ipc-memory', form, source, ...more });
    }
    const torch = one(print(Buffer.from(torchHandle, 'hex')));
    expect(hex(torch.handle)).toBe(torchHandle.slice(4));
    expect(torch.source).toContain('PyTorch');
  });

  it.each(['offset=', 'offset:', 'offset=\n\nAnother one:'])(
    'takes no handle for the value of “%s” before it',
    (name) => {
      const { items } = parsePaste(`handle=${event}, size=4096, ${name}\n\n${memory}\n`);
      expect(items.map(({ handle }) => hex(handle))).toEqual([event, memory]);
    },
  );

  it('says what is wrong with base64 in Python bytes', () => {
    const text = `sent b'${Buffer.from(memory, 'hex').subarray(0, 63).toString('base64')}ABCD'`.replace('ABCD', 'AB==');
    expect(parsePaste(text)).toMatchObject({ items: [], problems: [{ start: 5, end: text.length }] });
  });

  it('says what expandable segments are', () => {
    const text = token(3).replace("'0263", "'0265");
    const { items, problems } = parsePaste(text);
    expect(items.filter(({ kind }) => kind !== 'cuda-ipc-event')).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/expandable segments/);
    expect(problems[0]?.start).toBe(text.indexOf("'0265"));
  });

  it('points at the character of the handle that is wrong', () => {
    const at = token(3).indexOf('d8');
    const text = `${token(3).slice(0, at)}z${token(3).slice(at + 1)}`;
    expect(parsePaste(text).problems[0]).toEqual({
      message: '“z” is not a hexadecimal digit.',
      start: at,
      end: at + 1,
    });
  });
});

describe('other libraries', () => {
  it("reads Triton's request", () => {
    const text = `POST v2/cudasharedmemory/region/in/register\n{"raw_handle": {"b64": "${token(1)}"}, "device_id": 1, "byte_size": 4096}`;
    expect(one(text)).toMatchObject({
      kind: 'cuda-ipc-memory',
      source: 'Triton shared-memory registration',
      form: 'base64',
      device: 1,
      size: 4096,
      pid: 589,
    });
  });

  it("reads the text of Triton's protobuf message", () => {
    const text = `name: "in"\nraw_handle: "${octal(memory)}"\ndevice_id: 2\nbyte_size: 8192\n`;
    const item = one(text);
    expect(item).toMatchObject({
      source: 'Triton shared-memory registration',
      form: 'c-string',
      device: 2,
      size: 8192,
    });
    expect(hex(item.handle)).toBe(memory);
  });

  it("reads Numba's pickle, with signed numbers or bytes", () => {
    const signed = [...new Int8Array(Buffer.from(memory, 'hex'))].join(', ');
    for (const handle of [`(${signed})`, repr(memory)]) {
      const text = `(<function _rebuild_reduction at 0x7f>, (<class 'numba.cuda.cudadrv.driver.IpcHandle'>, ${handle}, 4096, {'pci_domain_id': 0, 'pci_bus_id': 25, 'pci_device_id': 0}, 128))`;
      const item = one(text);
      expect(item).toMatchObject({ kind: 'cuda-ipc-memory', source: 'Numba IpcHandle', size: 4096, offset: 128 });
      expect(hex(item.handle)).toBe(memory);
    }
  });

  it("reads vars() of Numba's handle", () => {
    const text = `{'base': None, 'handle': ${repr(memory)}, 'size': 4096, 'source_info': {'pci_bus_id': 25}, '_impl': None, 'offset': 64}`;
    expect(one(text)).toMatchObject({ source: 'Numba IpcHandle', size: 4096, offset: 64 });
  });

  it("reads cuda.core's pickle", () => {
    const text = `(<bound method IPCBufferDescriptor._init of <class 'cuda.core._memory._ipc.IPCBufferDescriptor'>>, (${repr(memory)}, 2097152))`;
    // The bytes of a memory handle stay one: only the name says pool.
    expect(one(text)).toMatchObject({ source: 'cuda.core IPCBufferDescriptor', size: 2097152, offset: 0 });
    const pool = `4d02000000000000010000000000000011223344556600000000000000000000${'0000200000000000'}${'00'.repeat(24)}`;
    expect(one(text.replace(repr(memory), repr(pool)))).toMatchObject({
      kind: 'cuda-pool-pointer',
      pid: 589,
      allocationSize: 2097152,
    });
  });

  it.each([
    ['<numba.cuda.cudadrv.driver.IpcHandle object at 0x7f0123456789>', /__reduce__/],
    ['<cuda.core._memory._ipc.IPCBufferDescriptor object at 0x7f0123456789>', /__reduce__/],
    ['<cuda.core._memory._ipc.IPCAllocationHandle object at 0x7f0123456789>', /file descriptor/],
  ])('says what to print instead of %s', (text, advice) => {
    const { items, problems } = parsePaste(`>>> h\n${text}`);
    expect(items).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(advice);
  });

  it('takes size, device and the like from a line of a log', () => {
    const text = `2026-11-30 12:00:01 INFO exported handle=${memory} size=4096, offset=1024 device=3 pid=77`;
    expect(one(text)).toMatchObject({ size: 4096, offset: 1024, device: 3, pid: 77, allocationSize: 4096 });
  });
});

describe('descriptors', () => {
  const descriptor: ShareDescriptor = {
    format: 'gpu-ipc-descriptor',
    version: 1,
    mechanism: 'legacy',
    handle: memory,
    exporter: { pid: 12, name: 'it\'s "a" trainer' },
    device: { uuid: 'GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c', ordinal: 1 },
    offset: 1024,
    size: 256,
    dtype: 'f32',
    shape: [8, 8],
    event,
  };
  const printed = printDescriptor(descriptor);

  it('reads one in a letter', () => {
    const item = one(`Hello,\n\nhere it is:\n${printed}\nBye`);
    expect(item).toMatchObject({
      kind: 'descriptor',
      source: 'Share descriptor (legacy)',
      form: 'json',
      pid: 12,
      device: 1,
      offset: 1024,
      size: 256,
      dtype: 'f32',
      shape: [8, 8],
      descriptor: printed,
    });
    expect(hex(item.handle)).toBe(memory);
    expect(hex(item.eventHandle)).toBe(event);
    expect(item.start).toBe(20);
  });

  it('reads one in a line, and as Python prints it', () => {
    expect(one(JSON.stringify(descriptor)).descriptor).toBe(printed);
    const python = JSON.stringify(descriptor)
      .replace('"it\'s \\"a\\" trainer"', 'NAME')
      .replace(/"([\w.:-]+)"/g, "'$1'")
      .replace('NAME', "'it\\'s \"a\" trainer'");
    expect(python).toContain("'format':'gpu-ipc-descriptor'");
    expect(one(python).descriptor).toBe(printed);
  });

  it('reads a list of them', () => {
    const second = { ...descriptor, mechanism: 'virtual', handle: undefined, descriptors: [{ fd: 4, bytes: null }] };
    const { items, problems } = parsePaste(JSON.stringify([descriptor, second, descriptor], null, 2));
    expect(problems).toEqual([]);
    expect(items.map(({ source }) => source)).toEqual([
      'Share descriptor (legacy)',
      'Share descriptor (virtual)',
      'Share descriptor (legacy)',
    ]);
    expect(items[1]?.handle).toBeNull();
  });

  it('points at the field that is wrong', () => {
    const text = printed.replace('"offset": 1024', '"offset": -4');
    expect(parsePaste(text)).toEqual({
      items: [],
      problems: [
        {
          message: '“offset” must be >=0, not -4.',
          start: text.indexOf('"offset"'),
          end: text.indexOf('"offset"') + 8,
        },
      ],
    });
  });

  it('refuses a newer version, a name that stands twice, and half a descriptor', () => {
    const refusal = (text: string) => {
      const { items, problems } = parsePaste(text);
      expect(items).toEqual([]);
      return problems[0]?.message;
    };
    expect(refusal(printed.replace('"version": 1', '"version": 2'))).toMatch(/made by a newer one/);
    expect(refusal(printed.replace('"offset": 1024', '"offset": 1024, "offset": 2048'))).toMatch(/neither JSON nor/);
  });
});

describe('several in one text', () => {
  it('lists them in order, with their places', () => {
    const parts = [memory, token(1), token(2), event, token(3), repr(torchHandle), `0x${memory}`];
    const text = parts.map((part, index) => `Handle no. ${index + 1}:\n${part}\n\n`).join('');
    const { items, problems } = parsePaste(text);
    expect(problems).toEqual([]);
    expect(items.map(({ start, end }) => text.slice(start, end))).toEqual(parts);
  });

  it('finds them inside of quoted text', () => {
    expect(hex(one(`{"level":"info","msg":"exported ${memory} for b"}`).handle)).toBe(memory);
  });

  it('takes no hash, no address and no number for a handle', () => {
    const text = `commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 at 0x7f12345678 of GPU-4cf8db2d-06c0-7d70-1a51-e59b25b2c16c, 1, 2, 3 [4, 5] and ${memory}`;
    expect(one(text).start).toBe(text.indexOf(memory));
  });

  it('tells which one is broken beside good ones', () => {
    const broken = `${memory.slice(0, 60)}x${memory.slice(61)}`;
    const text = `a: ${memory}\nb: ${broken}\nc: ${event}`;
    const { items, problems } = parsePaste(text);
    expect(items.map(({ kind }) => kind)).toEqual(['cuda-ipc-memory', 'cuda-ipc-event']);
    expect(problems).toEqual([
      { message: '“x” is not a hexadecimal digit.', start: text.indexOf('x'), end: text.indexOf('x') + 1 },
    ]);
  });
});

describe('refusals', () => {
  it.each<[string, string, RegExp, number]>([
    ['nothing', ' \n', /no text/, 0],
    ['words', '  ask the producer', /no handle in this text/, 2],
    ['63 bytes in groups', memory.match(/../g)?.slice(1).join(' ') ?? '', /here are 63/, 0],
    ['an array that is too long', `char h[65] = {${Array(65).fill(7).join(', ')}};`, /here are 65|holds 65/, 0],
    ['endless repeats', `$1 = {reserved = '\\000' <repeats 4000000000 times>}`, /thousands/, 17],
    ['endless numbers', `{0x0 <repeats 4000000000 times>}`, /here are 4096/, 0],
    [
      'a dump whose bytes and characters differ',
      '00000000: d0d8 9f2a 0000 0000 4d02 0000 0000 0000  ...*....M.......\n00000010: 0110 0000 0000 0000 0002 0000 0000 0000  ........x.......',
      /row/,
      68,
    ],
  ])('%s', (_name, text, message, start) => {
    const { items, problems } = parsePaste(text);
    expect(items).toEqual([]);
    expect(problems[0]?.message).toMatch(message);
    if (start > 0) expect(problems[0]?.start).toBe(start);
  });

  it('a text above 1 MiB, at once', () => {
    const { items, problems } = parsePaste('ab '.repeat(400_000));
    expect(items).toEqual([]);
    expect(problems).toEqual([{ message: expect.stringMatching(/too long/), start: 1048576, end: 1_200_000 }]);
  });
});
