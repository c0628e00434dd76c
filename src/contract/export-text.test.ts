import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValues, encodeValue, isNotFinite } from './decode-values';
import { type DtypeId, dtypeIds, dtypes } from './dtypes';
import { type ExportId, type ExportOptions, exportFormats, exportText, MAX_EXPORT_BYTES } from './export-text';

function written(bytes: Uint8Array, format: ExportId, change: Partial<ExportOptions> = {}): string {
  const result = exportText(bytes, format, { dtype: 'u8', order: 'little', offset: 0, ...change });
  if (!result.ok) throw new Error(result.message);
  return result.text;
}

function bytesOf(dtype: DtypeId, ...values: number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * dtypes[dtype].bytes);
  values.forEach((value, i) => {
    encodeValue(bytes, i * dtypes[dtype].bytes, dtype, value);
  });
  return bytes;
}

describe('bytes as text', () => {
  const bytes = Uint8Array.from({ length: 18 }, (_, i) => i + 0x3a);

  it('as people know it', () => {
    expect(written(Uint8Array.of(0, 0xab), 'hex')).toBe('00 ab');
    expect(written(bytes, 'hex-dump', { offset: 0x1000 })).toBe(
      [
        '00001000  3a 3b 3c 3d 3e 3f 40 41  42 43 44 45 46 47 48 49  |:;<=>?@ABCDEFGHI|',
        '00001010  4a 4b                                             |JK|',
      ].join('\n'),
    );
    expect(written(Uint8Array.of(0, 0x41), 'python-bytes')).toBe("b'\\x00\\x41'");
    expect(written(new Uint8Array(17), 'python-bytes').split('\n')).toHaveLength(4);
    expect(written(bytesOf('f32', 1, -0, 0.1, Number.NaN), 'c-array', { dtype: 'f32' })).toBe(
      'float data[4] = {\n    1.0f, -0.0f, 0.1f, NAN\n};',
    );
    expect(written(bytesOf('i64', -(2 ** 63), 5), 'c-array', { dtype: 'i64' })).toContain(
      '(-9223372036854775807LL - 1), 5LL',
    );
    expect(written(Uint8Array.of(0x80, 0x3f), 'c-array', { dtype: 'bf16' })).toContain(
      'uint16_t data[1] = { // the bits of bf16\n    0x3f80\n',
    );
    expect(written(bytesOf('f32', 1.5, Number.NEGATIVE_INFINITY), 'numpy', { dtype: 'f32' })).toBe(
      'np.array([\n    1.5, -np.inf\n], dtype=np.float32)',
    );
    expect(written(bytesOf('f32', 1.5, -2), 'numpy', { dtype: 'c64' })).toContain('complex(1.5, -2.0)');
    expect(written(Uint8Array.of(0x21), 'numpy', { dtype: 'u4' })).toBe('np.array([\n    1, 2\n], dtype=np.uint8)');
    expect(written(bytesOf('u16', 1, 2, 3), 'csv', { dtype: 'u16', offset: 16 })).toBe(
      'index,offset,value\n0,0x10,1\n1,0x12,2\n2,0x14,3',
    );
    expect(written(bytesOf('u16', 1, 2, 3), 'csv', { dtype: 'u16', perRow: 2 })).toBe('1,2\n3');
    expect(written(Uint8Array.of(1, 0, 2), 'json', { dtype: 'bool' })).toBe('[\n  true, false, 2\n]');
  });

  it('says what is left out or not as the memory has it', () => {
    const result = (dtype: DtypeId, format: ExportId, ...raw: number[]) =>
      exportText(Uint8Array.from(raw), format, { dtype, order: 'little', offset: 0 });
    expect(result('u16', 'json', 1, 0, 9)).toMatchObject({
      note: 'The last byte is no whole u16 and left out.',
    });
    expect(result('f16', 'json', 0, 0x7c)).toMatchObject({
      text: '[\n  "Infinity"\n]',
      note: expect.stringMatching(/no infinity/),
    });
    expect(result('f8e4m3', 'numpy', 1)).toMatchObject({ note: expect.stringMatching(/ml_dtypes/) });
    expect(result('bool', 'numpy', 7)).toMatchObject({ note: expect.stringMatching(/neither 0 nor 1/) });
    expect(result('u64', 'json', 1)).toEqual({ ok: false, message: 'One u64 has 8 bytes; 1 are selected.' });
    expect(result('u8', 'hex')).toEqual({ ok: false, message: 'Nothing is selected.' });
    expect(
      exportText(new Uint8Array(MAX_EXPORT_BYTES + 1), 'hex', { dtype: 'u8', order: 'little', offset: 0 }),
    ).toMatchObject({
      ok: false,
      message: expect.stringMatching(/at most 256 KiB/),
    });
  });

  it('is the same bytes when it is read again', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 100 }), fc.nat({ max: 1e6 }), (raw, offset) => {
        const back = (digits: string): number[] =>
          (digits.match(/[0-9a-f]{2}/g) ?? []).map((pair) => Number.parseInt(pair, 16));
        expect(back(written(raw, 'hex'))).toEqual([...raw]);
        const dump = written(raw, 'hex-dump', { offset }).split('\n');
        expect(dump.flatMap((line) => back(line.slice(10, 58)))).toEqual([...raw]);
        expect(Number.parseInt(dump.at(-1) ?? '', 16)).toBe(offset + (dump.length - 1) * 16);
        expect(back(written(raw, 'python-bytes').replaceAll(/[^0-9a-f]x|[^0-9a-f\\]/g, ''))).toHaveLength(raw.length);
        expect([...Buffer.from(written(raw, 'base64'), 'base64')]).toEqual([...raw]);
      }),
    );
  });

  it('is the same elements when JSON and CSV are read again', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...dtypeIds.filter((dtype) => dtypes[dtype].part === null && dtypes[dtype].bits < 64)),
        fc.uint8Array({ minLength: 8, maxLength: 64 }),
        fc.constantFrom('little' as const, 'big' as const),
        (dtype, raw, order) => {
          const values = decodeValues(raw, dtype, order) as number[];
          if (values.some(isNotFinite)) return;
          const size = dtypes[dtype].bytes;
          const same = (texts: (number | boolean)[]): void => {
            const again = new Uint8Array(raw.length - (raw.length % size));
            texts.forEach((value, i) => {
              const { perUnit } = dtypes[dtype];
              const place = Math.floor(i / perUnit) * size;
              if (dtype === 'bool') again[place] = Number(value);
              else encodeValue(again, place, dtype, Number(value), order, i % perUnit);
            });
            expect([...again]).toEqual([...raw.subarray(0, again.length)]);
          };
          same(JSON.parse(written(raw, 'json', { dtype, order })));
          const rows = written(raw, 'csv', { dtype, order }).split('\n').slice(1);
          same(rows.map((row) => JSON.parse(row.split(',')[2] as string)));
        },
      ),
      { numRuns: 500 },
    );
  });

  it('comes in all formats for all types', () => {
    const raw = Uint8Array.from({ length: 64 }, (_, i) => (i * 37) % 256);
    for (const { id } of exportFormats)
      for (const dtype of dtypeIds) expect(written(raw, id, { dtype }).length).toBeGreaterThan(60);
  });
});

const run = (command: string, ...args: string[]) => spawnSync(command, args, { encoding: 'utf8' });
const hasNumpy = run('python3', '-c', 'import numpy').status === 0;
const hasPython = run('python3', '--version').status === 0;
const hasCompiler = run('cc', '--version').status === 0;
const raw = Uint8Array.from({ length: 4096 }, (_, i) => (Math.imul(i + 1, 0x9e3779b1) >>> 11) & 0xff);

describe('other programs', () => {
  it.skipIf(!hasPython)('Python reads the bytes', () => {
    const program = `import sys\nsys.stdout.write((${written(raw, 'python-bytes')}).hex())`;
    expect(run('python3', '-c', program).stdout).toBe(Buffer.from(raw).toString('hex'));
  });

  it.skipIf(!hasNumpy)('NumPy makes the same bytes of the arrays', () => {
    const folder = mkdtempSync(join(tmpdir(), 'numpy-array-'));
    try {
      const lines: string[] = [];
      const expected: string[] = [];
      for (const dtype of dtypeIds.filter((id) => dtypes[id].numpy !== null)) {
        for (const order of ['little', 'big'] as const) {
          const sample = finite(dtype, order);
          const sign = order === 'little' ? '<' : '>';
          lines.push(`a = ${written(sample, 'numpy', { dtype, order })}`);
          lines.push(`print(a.astype(a.dtype.newbyteorder('${sign}')).tobytes().hex())`);
          expected.push(Buffer.from(sample).toString('hex'));
        }
      }
      // The same numbers in a wider type, NaN and infinities too.
      lines.push(
        `print(${written(Uint8Array.of(0x80, 0x3f, 0x80, 0xff), 'numpy', { dtype: 'bf16' }).split('  #')[0]}.tolist())`,
      );
      expected.push('[1.0, -inf]');
      writeFileSync(join(folder, 'a.py'), `import numpy as np\n${lines.join('\n')}\n`);
      const { stdout, stderr } = run('python3', join(folder, 'a.py'));
      expect(stderr).toBe('');
      expect(stdout.trimEnd().split('\n')).toEqual(expected);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it.skipIf(!hasCompiler)('a C compiler makes the same bytes of the arrays', () => {
    const folder = mkdtempSync(join(tmpdir(), 'c-array-'));
    try {
      const arrays = dtypeIds.map((dtype) => ({ dtype, sample: finite(dtype, 'little') }));
      const declared = arrays.map(({ dtype, sample }) =>
        written(sample, 'c-array', { dtype }).replace(' data[', ` ${dtype}[`),
      );
      const printed = arrays.map(({ dtype }) => `fwrite(${dtype}, 1, sizeof ${dtype}, stdout);`);
      const source = `#include <math.h>\n#include <stdbool.h>\n#include <stdint.h>\n#include <stdio.h>\nstatic ${declared.join('\nstatic ').replaceAll('bool[', 'truths[')}\nint main(void) { ${printed.join(' ').replaceAll('(bool', '(truths').replaceAll('sizeof bool', 'sizeof truths')} return 0; }\n`;
      writeFileSync(join(folder, 'a.c'), source);
      const compiled = run('cc', '-Wall', '-Werror', '-o', join(folder, 'a'), join(folder, 'a.c'));
      expect(compiled.stderr).toBe('');
      const { stdout } = spawnSync(join(folder, 'a'));
      expect(stdout.equals(Buffer.concat(arrays.map(({ sample }) => sample)))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** Elements of the sample that are numbers, and truth values that are 0 or 1. */
function finite(dtype: DtypeId, order: 'little' | 'big'): Uint8Array {
  const { bytes } = dtypes[dtype];
  const kept: number[] = [];
  for (let at = 0; at + bytes <= raw.length; at += bytes) {
    const element = dtype === 'bool' ? Uint8Array.of((raw[at] as number) & 1) : raw.subarray(at, at + bytes);
    if (!decodeValues(element, dtype, order).some(isNotFinite)) kept.push(...element);
  }
  return Uint8Array.from(kept);
}
