import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dtypeIds, dtypes } from './dtypes';
import { npyHeader, readNpy } from './npy';

const ascii = (bytes: Uint8Array): string => String.fromCharCode(...bytes);
const shapes = fc.array(fc.nat({ max: 70_000 }), { maxLength: 3 });

describe('a header', () => {
  it('is the one that NumPy writes', () => {
    const made = npyHeader('f32', [3, 4]);
    if (!made.ok) throw new Error(made.message);
    expect(made.header.length).toBe(128);
    expect(ascii(made.header.subarray(0, 10))).toBe('\x93NUMPY\x01\x00v\x00');
    expect(ascii(made.header.subarray(10)).trimEnd()).toBe(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }",
    );
    expect(made.header.at(-1)).toBe(10);
    expect(made.dataBytes).toBe(48);
  });

  it('is read back, for every type of NumPy, shape and order', () => {
    fc.assert(
      fc.property(fc.constantFrom(...dtypeIds), shapes, fc.boolean(), fc.boolean(), (dtype, shape, big, fortran) => {
        const order = big ? 'big' : 'little';
        const made = npyHeader(dtype, shape, order, fortran);
        if (!made.ok) throw new Error(made.message);
        expect(made.header.length % 64).toBe(0);
        const read = readNpy(made.header);
        if (!read.ok) throw new Error(read.message);
        expect(read.dataOffset).toBe(made.header.length);
        expect(read.dataBytes).toBe(made.dataBytes);
        const { numpy, bytes } = dtypes[dtype];
        expect(made.note === undefined).toBe(numpy !== null);
        if (numpy === null) expect(dtypes[read.dtype]).toMatchObject({ kind: 'unsigned', bytes });
        else expect(read).toMatchObject({ dtype, shape, fortran, order: bytes === 1 ? 'little' : order });
      }),
    );
  });

  it.each<[string, RegExp]>([
    ['\x93NUMPX', /no \.npy/],
    ['\x93NUM', /too short/],
    ['\x93NUMPY\x09\x00\x01\x00\x00\x00', /Version 9\.0/],
    ['\x93NUMPY\x01\x00\xff\x00{}', /too short for its header/],
    [header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }"), /have fields/],
    [header("{'descr': '<U4', 'fortran_order': False, 'shape': (1,), }"), /<U4/],
    [header("{'descr': '<f4', 'shape': (1,), }"), /damaged/],
    [header("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }"), /damaged/],
    [header("{'descr': '<f8', 'fortran_order': False, 'shape': (9007199254740991,), }"), /larger/],
  ])('that is none is refused: %j', (text, message) => {
    const read = readNpy(Uint8Array.from(text, (char) => char.charCodeAt(0)));
    expect(read.ok ? '' : read.message).toMatch(message);
  });

  it('may be of version 2 and 3, with double quotes and other orders of entries', () => {
    const text = '{"shape": (2, 3), "fortran_order": True, "descr": ">i8"}\n';
    const bytes = Uint8Array.from(`\x93NUMPY\x02\x00${String.fromCharCode(text.length)}\x00\x00\x00${text}`, (char) =>
      char.charCodeAt(0),
    );
    expect(readNpy(bytes)).toEqual({
      ok: true,
      dtype: 'i64',
      order: 'big',
      shape: [2, 3],
      fortran: true,
      dataOffset: bytes.length,
      dataBytes: 48,
    });
  });

  it('never throws, whatever the bytes are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (bytes, magic) => {
        if (magic) bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1].slice(0, bytes.length));
        readNpy(bytes);
      }),
    );
  });
});

function header(dictionary: string): string {
  return `\x93NUMPY\x01\x00${String.fromCharCode(dictionary.length)}\x00${dictionary}`;
}

const hasNumpy = spawnSync('python3', ['-c', 'import numpy']).status === 0;

describe('NumPy itself', () => {
  it.skipIf(!hasNumpy)('loads what is written, and what it writes is read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'npy-'));
    try {
      const types = dtypeIds.filter((dtype) => dtypes[dtype].numpy !== null);
      for (const dtype of types) {
        for (const order of ['little', 'big'] as const) {
          const made = npyHeader(dtype, [2, 3], order, order === 'big');
          if (!made.ok) throw new Error(made.message);
          writeFileSync(
            join(folder, `${dtype}-${order}.npy`),
            Buffer.concat([made.header, Buffer.alloc(made.dataBytes, 1)]),
          );
        }
      }
      const script = `
import sys, io, json, numpy as np
out = {}
for name in json.loads(sys.argv[2]):
    for order in ('little', 'big'):
        a = np.load(f'{sys.argv[1]}/{name[0]}-{order}.npy')
        assert a.dtype.newbyteorder('=') == np.dtype(name[1]), (name, a.dtype)
        b = io.BytesIO(); np.save(b, a)
        out[f'{name[0]}-{order}'] = [list(a.shape), bool(a.flags.f_contiguous), b.getvalue()[:128].hex()]
print(json.dumps(out))`;
      const names = JSON.stringify(types.map((dtype) => [dtype, dtypes[dtype].numpy]));
      const run = spawnSync('python3', ['-c', script, folder, names], { encoding: 'utf8' });
      expect(run.stderr).toBe('');
      const answers = JSON.parse(run.stdout) as Record<string, [number[], boolean, string]>;
      expect(Object.keys(answers)).toHaveLength(types.length * 2);
      for (const [name, [shape, fortran, saved]] of Object.entries(answers)) {
        expect(shape).toEqual([2, 3]);
        expect(fortran).toBe(name.endsWith('big'));
        const read = readNpy(Uint8Array.from(Buffer.from(saved, 'hex')));
        expect(read).toMatchObject({ ok: true, dtype: name.split('-')[0], shape: [2, 3], fortran, dataOffset: 128 });
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
