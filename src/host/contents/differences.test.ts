import { describe, expect, it } from 'vitest';
import { encodeValue } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { type DifferenceOptions, Differences } from './differences';

const random = (length: number, seed: number): Uint8Array => {
  let state = seed;
  return Uint8Array.from({ length }, () => {
    state = (state * 1664525 + 1013904223) >>> 0;
    return state >>> 24;
  });
};

const of = (dtype: DtypeId, values: readonly number[]): Uint8Array => {
  const { bytes } = dtypes[dtype];
  const all = new Uint8Array(values.length * bytes);
  for (const [index, value] of values.entries()) encodeValue(all, index * bytes, dtype, value);
  return all;
};

const compared = (a: Uint8Array, b: Uint8Array, options: Partial<DifferenceOptions> = {}) => {
  const differences = new Differences({ limit: 100, ...options });
  differences.add(a, b);
  const { differing, first, ranges, more } = differences;
  return { differing, first, ranges, more };
};

describe('bytes', () => {
  it('finds nothing in equal bytes', () => {
    expect(compared(random(1000, 1), random(1000, 1))).toEqual({ differing: 0, first: null, ranges: [], more: false });
  });

  it('joins what is adjacent, over the border of two pieces too', () => {
    const a = random(1000, 1);
    const b = a.slice();
    for (const at of [3, 498, 499, 500, 501, 999]) b[at] = (b[at] as number) ^ 0xff;
    const differences = new Differences({ limit: 10 });
    differences.add(a.subarray(0, 500), b.subarray(0, 500));
    differences.add(a.subarray(500), b.subarray(500));
    expect(differences.ranges).toEqual([
      { offset: 3, length: 1 },
      { offset: 498, length: 4 },
      { offset: 999, length: 1 },
    ]);
    expect([differences.differing, differences.first, differences.bytes]).toEqual([6, 3, 1000]);
  });

  it('counts beyond the limit, and says that there is more only then', () => {
    const a = new Uint8Array(100);
    const b = Uint8Array.from(a, (_, at) => (at % 10 < 2 ? 1 : 0));
    expect(compared(a, b, { limit: 10 })).toMatchObject({ differing: 20, more: false });
    const three = compared(a, b, { limit: 3 });
    expect(three).toMatchObject({ differing: 20, more: true });
    expect(three.ranges).toEqual([0, 10, 20].map((offset) => ({ offset, length: 2 })));
  });

  it('agrees with a plain count, whatever the pieces', async () => {
    const [a, b] = [random(300_001, 5), random(300_001, 5)];
    for (let at = 0; at < b.length; at += 977) b[at] = 7;
    const plain = a.reduce((sum, byte, at) => sum + (byte === b[at] ? 0 : 1), 0);
    const differences = new Differences({ limit: 5 });
    await differences.addInTurns(a, b, async () => {});
    expect(differences.differing).toBe(plain);
    expect(differences.bytes).toBe(300_001);
  });
});

describe('elements', () => {
  it('lets values differ by absolute plus relative times b', () => {
    const a = of('f32', [1, 100, 100, 0]);
    const b = of('f32', [1.5, 101, 102, -0]);
    expect(compared(a, b, { dtype: 'f32' })).toMatchObject({ differing: 3, first: 0 });
    expect(compared(a, b, { dtype: 'f32', absolute: 0.5, relative: 0.01 })).toMatchObject({
      differing: 1,
      ranges: [{ offset: 8, length: 4 }],
    });
  });

  it('has NaN equal NaN, and an infinity only itself', () => {
    const a = of('f64', [Number.NaN, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, Number.NaN]);
    const b = of('f64', [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1]);
    b[0] = 1; // Another NaN.
    expect(compared(a, b, { dtype: 'f64', relative: 1 })).toMatchObject({ differing: 2, first: 16 });
  });

  it('is exact for 64-bit integers', () => {
    const [a, b] = [new Uint8Array(8), new Uint8Array(8)];
    encodeValue(a, 0, 'u64', 2n ** 60n);
    encodeValue(b, 0, 'u64', 2n ** 60n + 1n);
    expect(compared(a, b, { dtype: 'u64' }).differing).toBe(1);
    expect(compared(a, b, { dtype: 'u64', absolute: 1 }).differing).toBe(0);
  });

  it('counts both halves of a packed byte, the parts of a complex number, and truth values as such', () => {
    expect(compared(Uint8Array.of(0x21, 0x21), Uint8Array.of(0x32, 0x31), { dtype: 'u4' })).toMatchObject({
      differing: 3,
      ranges: [{ offset: 0, length: 2 }],
    });
    const complex = compared(of('f32', [1, 2]), of('f32', [1, 3]), { dtype: 'c64' });
    expect(complex).toMatchObject({ differing: 1, ranges: [{ offset: 4, length: 4 }] });
    expect(compared(Uint8Array.of(1, 0), Uint8Array.of(2, 3), { dtype: 'bool' }).differing).toBe(1);
  });

  it('compares bytes of any alignment', () => {
    const [a, b] = [of('f64', [1, 2, 3]), of('f64', [1, 2, 4])];
    const shifted = (bytes: Uint8Array) => {
      const larger = Buffer.alloc(bytes.byteLength + 3);
      larger.set(bytes, 3);
      return larger.subarray(3);
    };
    expect(compared(shifted(a), b, { dtype: 'f64' })).toMatchObject({ differing: 1, first: 16 });
  });

  it.each(['f16', 'bf16', 'f8e4m3', 'f8e5m2'] as const)('compares values of %s', (dtype) => {
    const [a, b] = [of(dtype, [1, 2, Number.NaN, 0]), of(dtype, [1, 3, Number.NaN, -0])];
    expect(compared(a, b, { dtype })).toMatchObject({ differing: 1, first: dtypes[dtype].bytes });
    expect(compared(a, b, { dtype, absolute: 1 }).differing).toBe(0);
  });

  it('compares what is left after the last whole element byte by byte, as one element', () => {
    const [a, b] = [Uint8Array.of(1, 0, 0, 0, 5, 6), Uint8Array.of(1, 0, 0, 0, 5, 7)];
    expect(compared(a, b, { dtype: 'f32', absolute: 1e9 })).toMatchObject({
      differing: 1,
      ranges: [{ offset: 4, length: 2 }],
    });
  });
});
