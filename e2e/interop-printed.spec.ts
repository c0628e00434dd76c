/**
 * What libraries print of the memory they share, pasted into the app: it is found in the text, opened with what the text
 * says of it, and holds the same bytes. Every text goes to the log (TOKEN) with what the app makes of it (PARSED).
 */
import type { PastedItem } from '#contract/calls/handles';
import type { Api } from './harness/api';
import type { Peer } from './harness/peer';
import {
  keepToken,
  mayTake,
  type Program,
  printedSegments,
  programs,
  skipWithout,
  startProgram,
} from './harness/peer-programs';
import { expect, test } from './harness/test';

const SIZE = 2 ** 20;
const hex = (data: Uint8Array | null) => Buffer.from(data ?? []).toString('hex');

interface Printing {
  readonly program: Program;
  /** What can be opened, by the name of the text; and what the text says beside the handle. */
  readonly opens: Readonly<Record<string, Partial<PastedItem>>>;
}

/** Where the view of floats begins in the tensor, and its form as PyTorch strides it: e2e/peers/torch_peer.py. */
const VIEW = { at: 4096, shape: [16, 48], strides: [1, 16], bytes: 4 * 16 * 48 };

const printing: readonly Printing[] = [
  {
    program: programs.ctypes,
    opens: { bytes: {}, bytearray: {}, list: {}, hex: {}, 'hex in words': {}, base64: {}, 'f-string': { device: 0 } },
  },
  {
    program: programs.cupy,
    opens: { bytes: {}, hex: {}, list: {}, triton: {}, 'triton, registration': { device: 0, size: SIZE } },
  },
  {
    program: programs.numba,
    opens: {
      reduce: { source: 'Numba IpcHandle', offset: 4096 },
      tuple: {},
      bytes: {},
    },
  },
  {
    program: programs.pytorch,
    opens: {
      share: { kind: 'pytorch-storage', device: 0, size: SIZE },
      'share, hex': { kind: 'pytorch-storage', device: 0, size: SIZE },
      reduce: { kind: 'pytorch-storage', dtype: 'f32', shape: VIEW.shape, strides: VIEW.strides, size: VIEW.bytes },
      // Nothing is said beside the handle: it is the whole allocation's.
      handle: { kind: 'cuda-ipc-memory', source: 'Memory handle after PyTorch’s two bytes, as Python bytes' },
    },
  },
];

interface Pasted {
  readonly items: readonly PastedItem[];
  readonly problems: readonly string[];
}

/** Pastes every text that a program prints, and answers what was found, by the text's name. */
async function paste(gpu: Api, program: string, peer: Peer): Promise<Map<string, Pasted>> {
  const { tokens } = await peer.ask('tokens', {});
  const found = new Map<string, Pasted>();
  for (const [name, text] of Object.entries(tokens)) {
    const { items, problems } = await gpu.handles.parse.value({ text });
    const said = [
      ...items.map(({ kind, source, offset, size }) => `${kind} (${source}), offset ${offset}, size ${size}`),
      ...problems.map(({ message }) => `problem: ${message}`),
    ];
    keepToken(program, name, text, said.join('; '));
    found.set(name, { items, problems: problems.map(({ message }) => message) });
  }
  return found;
}

for (const { program, opens } of printing) {
  test.describe(`${program.name} prints @interop`, () => {
    skipWithout(program);
    test.setTimeout(120_000);

    test('what the app opens', async ({ gpu }) => {
      const peer = await startProgram(gpu, program);
      try {
        const { handle, offset: begin = 0 } = await peer.ask('alloc', { size: SIZE });
        const pattern = Buffer.from(Array.from({ length: 8192 }, (_, index) => (index * 7) % 251)).toString('hex');
        await peer.ask('write', { offset: 0, hex: pattern });
        const found = await paste(gpu, program.name, peer);
        for (const [name, said] of Object.entries(opens)) {
          const { items } = found.get(name) ?? { items: [] };
          expect(items, name).toHaveLength(1);
          const [item] = items as [PastedItem];
          expect(hex(item.handle), name).toBe(handle);
          expect.soft(item, name).toMatchObject(said);
          if (item.handle === null) continue;
          const { findings } = await gpu.handles.check.value({ handle: item.handle, device: 0 });
          expect(findings.filter(({ level }) => level === 'refuse')).toEqual([]);
          // Where the text says nothing of the place, a person has to.
          const offset = item.offset ?? begin;
          const opened = await gpu.imports.open.value({ handle: item.handle, device: 0, offset, length: 256 });
          const { bytes } = await gpu.memory.read.value({ id: opened.id, offset: 0, length: 256 });
          const theirs = await peer.ask('read', { offset: offset - begin, length: 256 });
          expect(hex(bytes), `${name}: bytes at ${offset}`).toBe(theirs.hex);
          await gpu.imports.close.value({ id: opened.id });
        }
      } finally {
        await peer.stop('SIGKILL');
      }
    });
  });
}

test.describe('PyTorch prints more @interop', () => {
  skipWithout(programs.pytorch);
  test.setTimeout(120_000);

  test('the event and the reference counter of a storage', async ({ gpu }) => {
    const peer = await startProgram(gpu, programs.pytorch);
    try {
      await peer.ask('alloc', { size: SIZE });
      const [storage] = (await paste(gpu, 'PyTorch, again', peer)).get('share')?.items ?? [];
      expect(storage).toMatchObject({ eventSyncRequired: true, pid: peer.pid });
      expect(storage?.refCounterFile).toMatch(new RegExp(`^/torch_${peer.pid}_`));
      if (storage?.eventHandle === undefined) throw new Error('there is no event in the tuple');
      const event = await gpu.events.open.value({ handle: storage.eventHandle, device: 0 });
      expect(await gpu.events.wait.value({ id: event.id, timeoutMs: 5000 })).toBe('ready');
      await gpu.events.destroy.value({ id: event.id });
    } finally {
      await peer.stop('SIGKILL');
    }
  });

  test('expandable segments: file descriptors instead of a handle', async ({ gpu }) => {
    const segments = 'expandable_segments:True';
    const env = { PYTORCH_CUDA_ALLOC_CONF: segments, PYTORCH_ALLOC_CONF: segments };
    const peer = await startProgram(gpu, programs.pytorch, env);
    try {
      const { prefix, offset: begin = 0 } = await peer.ask('alloc', { size: SIZE });
      expect(prefix).toBe('0265');
      await peer.ask('write', { offset: 0, hex: 'c0ffee' });
      const pattern = Buffer.from(Array.from({ length: 256 }, (_, index) => (index * 7) % 251)).toString('hex');
      await peer.ask('write', { offset: VIEW.at, hex: pattern });
      const found = await paste(gpu, 'PyTorch with expandable segments', peer);
      await mayTake(gpu, peer.pid);
      const opens: Printing['opens'] = {
        share: { device: 0, offset: begin, size: SIZE },
        'share, hex': { device: 0, offset: begin, size: SIZE },
        reduce: { device: 0, offset: begin + VIEW.at, size: VIEW.bytes, dtype: 'f32', shape: VIEW.shape },
        handle: {},
      };
      for (const [name, said] of Object.entries(opens)) {
        const { items, problems } = found.get(name) ?? { items: [], problems: [] };
        expect(problems, name).toEqual([]);
        expect(items, name).toMatchObject([{ kind: 'pytorch-expandable', pid: peer.pid, handle: null, ...said }]);
        const [item] = items as [PastedItem];
        await opensSegments(gpu, peer, item, begin);
      }
    } finally {
      await peer.stop('SIGKILL');
    }
  });
});

/** Opens what PyTorch printed of expandable segments, at its offset, and writes there; the data begin at `begin`. */
async function opensSegments(gpu: Api, peer: Peer, item: PastedItem, begin: number): Promise<void> {
  const { descriptor, fds = [], allocationSize = 0 } = item;
  if (descriptor === undefined) throw new Error('there is no descriptor to open it by');
  const { candidates } = await gpu.fds.ofProcess.value({ pid: peer.pid });
  expect(candidates.map(({ fd }) => fd)).toEqual(expect.arrayContaining(fds));
  const { findings } = await gpu.handles.check.value({ descriptor, device: 0 });
  expect(findings.filter(({ level }) => level === 'refuse')).toEqual([]);
  const opened = await gpu.imports.open.value({ descriptor, device: 0 });
  expect(opened.bytes).toBe(item.size ?? allocationSize);
  // Without an offset in the text it is the whole of the segments, and a person has to know where the data are.
  const offset = item.offset === undefined ? begin : 0;
  const theirs = { offset: item.offset === undefined ? 0 : item.offset - begin, length: 256 };
  const { bytes } = await gpu.memory.read.value({ id: opened.id, offset, length: 256 });
  expect(hex(bytes), item.source).toBe((await peer.ask('read', theirs)).hex);
  expect(bytes.some((byte) => byte !== 0)).toBe(true);
  await gpu.buffers.write.value({ id: opened.id, offset: offset + 3, bytes: Uint8Array.of(0x55) });
  expect((await peer.ask('read', { offset: theirs.offset + 3, length: 1 })).hex).toBe('55');
  await gpu.imports.close.value({ id: opened.id });
}

test.describe('what PyTorch prints of expandable segments @interop', () => {
  skipWithout(programs.ctypes);

  test('opens virtual memory of any program', async ({ gpu }) => {
    const peer = await startProgram(gpu, programs.ctypes);
    try {
      const size = 4 * SIZE;
      const { fd } = await peer.ask('allocVirtual', { size });
      await mayTake(gpu, peer.pid);
      const begin = 4096;
      for (const offset of [0, begin]) await peer.ask('write', { offset, hex: 'c0ffee' });
      const literal = printedSegments(peer.pid, size, fd);
      const event = `b'${'\\x00'.repeat(64)}'`;
      const text = `(0, ${literal}, ${SIZE}, ${begin}, b'/torch_1_2_0', 0, ${event}, False)`;
      for (const [pasted, from] of [
        [text, { device: 0, offset: begin, size: SIZE }],
        [literal, {}],
      ] as const) {
        const { items, problems } = await gpu.handles.parse.value({ text: pasted });
        expect(problems).toEqual([]);
        expect(items).toMatchObject([
          { kind: 'pytorch-expandable', pid: peer.pid, fds: [fd], segmentBytes: size, ...from },
        ]);
        const [item] = items as [PastedItem];
        // This peer's addresses begin where the segment does.
        await opensSegments(gpu, peer, item, 0);
      }
    } finally {
      await peer.stop('SIGKILL');
    }
  });
});

test.describe('cuda.core prints @interop', () => {
  skipWithout(programs.cudaCore);
  test.setTimeout(120_000);

  test('what the app opens, with the pool from its process', async ({ gpu }) => {
    const peer = await startProgram(gpu, programs.cudaCore);
    try {
      const { handle, fd } = await peer.ask('allocPool', { size: SIZE });
      await peer.ask('exportEvent', {});
      await peer.ask('write', { offset: 0, hex: 'c0ffee' });
      const found = await paste(gpu, 'cuda.core', peer);
      await mayTake(gpu, peer.pid);
      const pool = await gpu.pools.import.value({ from: { pid: peer.pid, fd }, device: 0 });
      const opens = {
        reduce: { source: 'cuda.core IPCBufferDescriptor', kind: 'cuda-pool-pointer', size: SIZE },
        payload: { kind: 'cuda-pool-pointer', pid: peer.pid },
        hex: { kind: 'cuda-pool-pointer', pid: peer.pid },
      };
      for (const [name, said] of Object.entries(opens)) {
        const [item] = found.get(name)?.items ?? [];
        expect(hex(item?.handle ?? null), name).toBe(handle);
        expect.soft(item, name).toMatchObject(said);
        const opened = await gpu.imports.open.value({ handle, poolId: pool.id, device: 0, length: SIZE });
        const { bytes } = await gpu.memory.read.value({ id: opened.id, offset: 0, length: 4 });
        expect(hex(bytes)).toBe('c0ffee00');
        await gpu.imports.close.value({ id: opened.id });
      }
      await gpu.pools.destroy.value({ id: pool.id });
      await peer.ask('free', {});
    } finally {
      await peer.stop('SIGKILL');
    }
  });
});
