import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readDescriptor, type ShareDescriptor } from '#contract/descriptor';
import { dtypeIds } from '#contract/dtypes';
import { maskHandle, type SnippetRequest, snippet, snippetLibraries } from './index';

const handle = 'ab'.repeat(64);
const event = 'cd'.repeat(64);
const common = {
  format: 'gpu-ipc-descriptor',
  version: 1,
  exporter: { pid: 4242, name: 'producer' },
  device: { uuid: 'GPU-01234567-89ab-cdef-0123-456789abcdef' },
  offset: 64,
  size: 4096,
} as const;
const examples = {
  legacy: { ...common, mechanism: 'legacy', handle, event },
  pool: { ...common, mechanism: 'pool', handle, descriptors: [{ fd: 9, bytes: null }], event },
  virtual: {
    ...common,
    mechanism: 'virtual',
    descriptors: [
      { fd: 7, bytes: 2097152 },
      { fd: 8, bytes: 4194304 },
    ],
    event,
  },
  fabric: { ...common, mechanism: 'fabric', handle, allocationSize: 2097152, event },
  event: { ...common, mechanism: 'event', handle, offset: 0, size: 0 },
} as const satisfies Record<string, ShareDescriptor>;
const mechanisms = Object.keys(examples) as (keyof typeof examples)[];
const sides = ['importer', 'exporter'] as const;

interface Combination extends SnippetRequest {
  readonly why: string | undefined;
}

const combinations = (descriptors: readonly ShareDescriptor[] = Object.values(examples)): Combination[] =>
  descriptors.flatMap((descriptor) =>
    sides.flatMap((side) =>
      snippetLibraries(descriptor.mechanism, side).map(({ language, library, why }) => ({
        descriptor,
        side,
        language,
        library,
        why,
      })),
    ),
  );

const written = (
  descriptors?: readonly ShareDescriptor[],
): { request: Combination; code: string; notes: readonly string[] }[] =>
  combinations(descriptors)
    .filter(({ why }) => why === undefined)
    .map((request) => {
      const made = snippet(request);
      if (!made.ok) throw new Error(`${request.library}: ${made.why}`);
      return { request, code: made.code, notes: made.notes };
    });

const code = (request: Pick<SnippetRequest, 'descriptor' | 'side' | 'language' | 'library'>): string => {
  const made = snippet(request);
  return made.ok ? made.code : `no: ${made.why}`;
};

describe('which library does what', () => {
  it('is offered with a name, and refused with the same sentence as when it is asked', () => {
    for (const { why, ...request } of combinations()) {
      const made = snippet(request);
      expect(made.ok).toBe(why === undefined);
      if (!made.ok) expect(made.why).toBe(why);
    }
  });

  it('is this table', () => {
    const able = mechanisms.flatMap((mechanism) =>
      sides.map((side) => {
        const can = snippetLibraries(mechanism, side).filter(({ why }) => why === undefined);
        return `${mechanism} ${side}: ${can.map(({ library }) => library).join(' ')}`;
      }),
    );
    expect(able).toEqual([
      'legacy importer: ctypes cuda-python cupy numba pytorch driver runtime ilgpu managedcuda',
      'legacy exporter: ctypes cuda-python cupy numba pytorch driver runtime ilgpu managedcuda',
      'pool importer: ctypes cuda-python cuda-core pytorch driver runtime managedcuda',
      'pool exporter: ctypes cuda-python cuda-core driver runtime',
      'virtual importer: ctypes cuda-python pytorch driver',
      'virtual exporter: ctypes cuda-python driver',
      'fabric importer: ctypes cuda-python pytorch driver',
      'fabric exporter: ctypes cuda-python driver',
      'event importer: ctypes cuda-python cuda-core cupy pytorch driver runtime managedcuda',
      'event exporter: ctypes cuda-python cuda-core cupy pytorch driver runtime managedcuda',
    ]);
  });

  it('answers a library of another language', () => {
    const made = snippet({ descriptor: examples.legacy, side: 'importer', language: 'cpp', library: 'cupy' });
    expect(made).toEqual({ ok: false, why: 'There is no library cupy for cpp.' });
  });
});

describe('the code', () => {
  it('names the device by UUID, never by ordinal', () => {
    for (const { request, code } of written()) {
      expect(code, request.library).toContain('01234567-89ab-cdef-0123-456789abcdef');
    }
  });

  it('holds each handle once, alone in its line, and only what it opens', () => {
    for (const { request, code } of written()) {
      const lines = code.split('\n').filter((line) => /[0-9a-f]{128}/.test(line));
      const secrets = request.side === 'exporter' ? [] : [request.descriptor.handle, request.descriptor.event];
      const waits = request.library !== 'ilgpu';
      const expected = secrets.filter((each) => each !== undefined && (waits || each === handle));
      expect(lines.map((line) => line.trim().replace(/;$/, ''))).toEqual(expected.map((each) => `"${each}"`));
    }
  });

  it('can be shown without its handles, and is otherwise the same', () => {
    for (const { request, code } of written()) {
      const masked = snippet({ ...request, masked: true });
      const shown = masked.ok ? masked.code : '';
      expect(shown).toBe(maskHandle(code));
      expect(shown).not.toMatch(/[0-9a-f]{64}/);
      expect(shown.split('\n')).toHaveLength(code.split('\n').length);
    }
  });

  it('waits for the event before it reads', () => {
    for (const { request, code } of written([examples.legacy, examples.pool, examples.virtual, examples.fabric])) {
      if (request.side === 'exporter' || request.library === 'ilgpu') continue;
      expect(code, request.library).toMatch(/NOT_READY|is_done|\.query\(\)|cudaErrorNotReady|ErrorNotReady/);
    }
    const without = { ...examples.legacy, event: undefined };
    for (const { code } of written([without])) expect(code).not.toMatch(/IpcOpenEventHandle|from_ipc_handle/);
  });

  it('reads at the offset', () => {
    for (const { request, code } of written([examples.legacy])) {
      if (request.side === 'importer') expect(code, request.library).toMatch(/OFFSET(, SIZE)? = 64|Offset = 64/);
    }
  });

  it('has no lines with spaces at the end, no tabs, and one line end at its end', () => {
    for (const { request, code } of written()) {
      expect(code, request.library).not.toMatch(/[ \t]\n|\t|\r|\n\n$/);
      expect(code.endsWith('\n')).toBe(true);
    }
  });

  it('maps virtual memory piece by piece, in the order of addresses', () => {
    const python = code({ descriptor: examples.virtual, side: 'importer', language: 'python', library: 'ctypes' });
    expect(python).toContain('PIECES = [(7, 2097152), (8, 4194304)]');
    expect(python).toContain('TOTAL = 6291456');
  });

  it('makes arrays of every element type that there is', () => {
    for (const dtype of dtypeIds) {
      const typed: ShareDescriptor = { ...examples.legacy, dtype, shape: [4, 8], strides: [1, 4] };
      for (const { request, code } of written([typed]))
        expect(code, request.library).not.toMatch(/undefined|NaN|null,/);
    }
    const half: ShareDescriptor = { ...examples.legacy, dtype: 'bf16', shape: [4, 8] };
    const pytorch = code({ descriptor: half, side: 'importer', language: 'python', library: 'pytorch' });
    expect(pytorch).toContain('Shared(data, (4, 8), "<i2"), device=place).view(torch.bfloat16)');
    const cupy = snippet({ descriptor: half, side: 'importer', language: 'python', library: 'cupy' });
    expect(cupy.ok && cupy.notes).toContain('NumPy has no bfloat16: the array holds the same bytes as uint16.');
  });

  it('gives strides in the units of each library', () => {
    const typed: ShareDescriptor = { ...examples.legacy, dtype: 'f32', shape: [4, 8], strides: [1, 4] };
    const of = (library: 'cupy' | 'numba' | 'pytorch', side: 'importer' | 'exporter') =>
      code({ descriptor: typed, side, language: 'python', library });
    expect(of('cupy', 'importer')).toContain('strides=(4, 16)');
    expect(of('numba', 'importer')).toContain('strides=(4, 16)');
    expect(of('pytorch', 'importer')).toContain('"<f4", (4, 16)');
    expect(of('pytorch', 'exporter')).toContain('raw[:128].view(torch.float32).as_strided((4, 8), (1, 4))');
  });
});

describe('a descriptor that does not fit', () => {
  const asked = (descriptor: ShareDescriptor) =>
    snippet({ descriptor, side: 'importer', language: 'python', library: 'ctypes' });

  it('is refused with a reason', () => {
    expect(asked({ ...examples.legacy, size: 0 })).toEqual({
      ok: false,
      why: 'The descriptor says 0 bytes: there is nothing to open.',
    });
    expect(asked({ ...examples.legacy, handle: 'ab' })).toMatchObject({ ok: false });
    expect(asked({ ...examples.virtual, size: 8_000_000 })).toEqual({
      ok: false,
      why: 'The data end at byte 8000064, and the memory has 6291456.',
    });
    const unknown = {
      ...examples.virtual,
      descriptors: [
        { fd: 1, bytes: null },
        { fd: 2, bytes: 2097152 },
      ],
    };
    expect(asked(unknown)).toMatchObject({ ok: false, why: expect.stringContaining('descriptors.bytes') });
    expect(asked({ ...examples.fabric, allocationSize: undefined })).toMatchObject({
      ok: false,
      why: expect.stringContaining('allocationSize'),
    });
  });

  it('takes the size of one piece from the whole', () => {
    const one = { ...examples.virtual, descriptors: [{ fd: 7, bytes: null }], allocationSize: 2097152 };
    expect(asked(one)).toMatchObject({ ok: true, code: expect.stringContaining('PIECES = [(7, 2097152)]') });
  });

  it('has its bytes read when the shape is too large or the byte order is not the GPU’s', () => {
    const large = asked({ ...examples.legacy, dtype: 'f64', shape: [1000] });
    expect(large.ok && large.notes).toContain(
      'The shape needs 8000 bytes, and the data have 4096: they are read as bytes here.',
    );
    const big = asked({ ...examples.legacy, dtype: 'f64', shape: [10], byteOrder: 'big' });
    expect(big.ok && big.notes.join(' ')).toContain('big-endian');
  });
});

describe('texts of other people', () => {
  const named = (text: string): ShareDescriptor => ({
    ...examples.legacy,
    label: text,
    exporter: { pid: 1, name: text },
  });
  /** What is not a comment; and nothing may hide in one that is. */
  const outside = ({ request, code }: ReturnType<typeof written>[number]): string => {
    expect(code).not.toMatch(/[\u0085\u2028\u2029\u202a-\u202e\u2066-\u2069]/);
    // A comment that ends with a backslash goes on in the next line of C++.
    expect(code).not.toMatch(/\\\n/);
    const comment = request.language === 'python' ? /^#/ : /^\/\//;
    return code
      .split('\n')
      .filter((line) => !comment.test(line))
      .join('\n');
  };
  const plain = written([named('x')]).map(outside);

  it.each(['"""\\', '*/ int main', 'a\u2028import os', '\u202edlrow', "'; drop", '“”', '#include <x>', '\\', '??/'])(
    'never leave their comment: %j',
    (text) => {
      expect(written([named(text)]).map(outside)).toEqual(plain);
    },
  );

  it('never leave their comment, whatever they are', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80, unit: 'binary' }), (text) => {
        // What a descriptor may not hold is refused before any code is made.
        fc.pre(readDescriptor(named(text)).ok);
        expect(written([named(text)]).map(outside)).toEqual(plain);
      }),
      { numRuns: 100 },
    );
  });
});
