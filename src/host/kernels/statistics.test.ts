/** Statistics against plain loops: every type, every bit pattern of the small ones, odd sizes and addresses. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { CpuStatistics } from './statistics-cpu';
import { checksumOf, histogramOf, statisticsOf, valuesOf } from './testing/oracle';
import { patient, setting } from './testing/setting';
import type { BufferStatistics } from './types';

const here = setting();
afterAll(() => here.end());

const floats: readonly DtypeId[] = ['f16', 'bf16', 'f32', 'f64', 'f8e4m3', 'f8e5m2', 'c64', 'c128'];
const wide: readonly DtypeId[] = ['u64', 'i64'];

/** Asks for the statistics of bytes, on the device and on the CPU, and compares everything with the oracle. */
async function check(bytes: Uint8Array, dtype: DtypeId, bins = 64, shift = 0) {
  const range = here.range(bytes, shift);
  const answer = await here.kernels.statistics(range, { dtype, bins }, patient);
  const expected = statisticsOf(valuesOf(bytes, dtype), dtype);
  compareExact(answer, expected, bytes, dtype, bins);
  compareMoments(answer, expected, dtype);
  const onCpu = await CpuStatistics.over(bytes.byteLength, { dtype, bins }, (at, length) =>
    bytes.subarray(at, at + length),
  );
  for (let at = 0; at < bytes.byteLength; at += PIECE) onCpu.add(bytes.subarray(at, at + PIECE));
  const other = onCpu.result();
  compareMoments(other, expected, dtype);
  // What does not depend on the order of a sum is the same to the last bit.
  const exact = ({ sum: _sum, mean: _mean, std: _std, ...rest }: BufferStatistics) => rest;
  expect(exact(other)).toEqual(exact(answer));
  return answer;
}

/** Small, so that short buffers have several, too; a multiple of 16. */
const PIECE = 4096;

type Expected = ReturnType<typeof statisticsOf>;

function compareExact(
  answer: BufferStatistics,
  expected: Expected,
  bytes: Uint8Array,
  dtype: DtypeId,
  bins: number,
): void {
  expect(answer).toMatchObject({
    count: expected.count,
    zeros: expected.zeros,
    nans: expected.nans,
    positiveInfinities: expected.positiveInfinities,
    negativeInfinities: expected.negativeInfinities,
    negatives: expected.negatives,
    denormals: expected.denormals,
    checksum: checksumOf(bytes),
  });
  // -0 and 0 are the same value.
  const plain = (value: number | bigint | undefined) => (value === 0 ? 0 : value);
  expect([answer.min, answer.max].map(plain)).toEqual([expected.min, expected.max].map(plain));
  const { edges, counts } = answer.histogram;
  if (bins > 0) {
    expect(counts).toEqual(histogramOf(expected.finite, edges));
    expect(counts.reduce((a, b) => a + b, 0)).toBe(expected.finite.length);
    for (let i = 1; i < edges.length; i++) expect((edges[i] ?? 0) >= (edges[i - 1] ?? 0)).toBe(true);
    expect(counts.length).toBeLessThanOrEqual(bins + 2);
  } else {
    expect(counts).toEqual([]);
  }
  const typeOf = wide.includes(dtype) ? 'bigint' : 'number';
  if (answer.min !== undefined) expect(typeof answer.min).toBe(typeOf);
}

function compareMoments(answer: BufferStatistics, expected: Expected, dtype: DtypeId): void {
  const isInteger = !floats.includes(dtype);
  if (isInteger) expect(answer.sum).toBe(expected.exactSum ?? 0n);
  else close(Number(answer.sum), expected.sum, expected.finite);
  if (expected.mean === undefined) expect(answer.mean).toBeUndefined();
  else if (answer.mean === undefined) expect(Number.isFinite(Number(answer.sum))).toBe(false);
  else close(answer.mean, expected.mean, expected.finite);
  if (expected.std === undefined) expect(answer.std).toBeUndefined();
  else if (answer.std === undefined) expect(expected.std > 1e150 || Number.isNaN(expected.std)).toBe(true);
  else {
    // What a deviation can lose beside the values themselves.
    const size = expected.finite.reduce<number>((most, x) => Math.max(most, Math.abs(Number(x))), 0);
    const lost = dtypes[dtype].bits === 16 ? 1e-7 * size : 1e-10 * size;
    expect(Math.abs(answer.std - expected.std)).toBeLessThanOrEqual(1e-9 * expected.std + lost);
  }
}

function close(actual: number, expected: number, of: readonly (number | bigint)[]): void {
  if (!Number.isFinite(expected) || !Number.isFinite(actual)) return;
  const size = of.reduce<number>((total, value) => total + Math.abs(Number(value)) / of.length, 0);
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-12 * Math.max(size * of.length, Math.abs(expected)));
}

/** A generator of numbers that can be repeated (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const randomBytes = (length: number, seed: number): Uint8Array => {
  const next = random(seed);
  return Uint8Array.from({ length }, () => Math.floor(next() * 256));
};
const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
const normals = (count: number, seed: number): number[] => {
  const next = random(seed);
  return Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()));
};

describe('statistics', () => {
  it.each(dtypeIds)('%s: any bytes', async (dtype) => {
    await check(randomBytes(50_003, 1), dtype);
  });

  it.each(dtypeIds)('%s: zeros, nothing, less than one element', async (dtype) => {
    await check(new Uint8Array(4096), dtype);
    await check(new Uint8Array(0), dtype);
    await check(new Uint8Array([1]), dtype);
  });

  it.each(['f16', 'bf16', 'u16', 'i16'] as const)('%s: every bit pattern', async (dtype) => {
    const all = bytesOf(Uint16Array.from({ length: 65_536 }, (_, i) => i));
    await check(all, dtype, 256);
    await check(all, dtype, 1, 2);
  });

  it.each(['f8e4m3', 'f8e5m2', 'u8', 'i8', 'bool', 'i4', 'u4'] as const)('%s: every bit pattern', async (dtype) => {
    const all = Uint8Array.from({ length: 256 }, (_, i) => i);
    for (const bins of [0, 1, 7, 64, 256]) await check(all, dtype, bins);
  });

  it.each([1, 2, 3, 4, 5, 8, 12, 15])('from %i bytes into an allocation', async (shift) => {
    const bytes = bytesOf(Float32Array.from(normals(4099, shift)));
    for (const dtype of ['f32', 'u8', 'bf16', 'f64', 'i32'] as const) await check(bytes, dtype, 64, shift);
  });

  it.each([0, 1, 2, 3, 64, 255, 256])('%i bins', async (bins) => {
    await check(bytesOf(Float32Array.from(normals(20_000, 7))), 'f32', bins);
    await check(bytesOf(Float64Array.from(normals(20_000, 8))), 'f64', bins);
    await check(bytesOf(Int32Array.from(normals(20_000, 9).map((x) => x * 1e6))), 'i32', bins);
    await check(bytesOf(Int16Array.from(normals(20_000, 9).map((x) => x * 10))), 'i16', bins);
  });

  it('values that a sample does not have', async () => {
    // More elements than the sample, and what is special between those that it takes.
    const values = Float32Array.from(normals(300_000, 3));
    values.set(
      [1e30, -1e20, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e-40, -1e-41, -0],
      100_001,
    );
    const answer = await check(bytesOf(values), 'f32');
    expect(answer.max).toBe(Number.POSITIVE_INFINITY);
    expect(answer.histogram.edges.at(-1)).toBe(Math.fround(1e30));
    expect(answer.denormals).toBe(2);
  });

  it('16-bit floats around zero, some further from it on one side than the sample on the other', async () => {
    const values = Float32Array.from(normals(300_000, 12));
    // A sample takes every fourth: these are not in it, and have bins all the same.
    values.set([-4.5, Number.NaN, 0], 100_001);
    values[200_000] = 5;
    const upper = Uint16Array.from(new Uint32Array(values.buffer), (bits) => bits >>> 16);
    const answer = await check(bytesOf(upper), 'bf16', 255);
    expect([answer.min, answer.max]).toEqual([-4.5, 5]);
    await check(bytesOf(upper), 'f16', 255);
    const positive = Uint16Array.from(upper, (bits) => bits & 0x7fff);
    await check(bytesOf(positive), 'bf16', 255);
  });

  it.each([
    ['f32', (x: number[]) => bytesOf(Float32Array.from(x))],
    ['f64', (x: number[]) => bytesOf(Float64Array.from(x))],
    ['bf16', (x: number[]) => bytesOf(Uint16Array.from(new Uint32Array(Float32Array.from(x).buffer), (b) => b >>> 16))],
  ] as const)('%s: outside of the sample, at the same rounded distance from the centre', async (dtype, encode) => {
    const next = random(13);
    const tiny = dtype === 'f64' ? 1e-30 : 1e-12;
    for (const sign of [1, -1]) {
      for (const [end, beyond] of [
        [10 * tiny, tiny],
        [0, -tiny],
        [-0, -tiny],
        [tiny, 0],
      ] as const) {
        const values = Array.from({ length: 140_000 }, () => sign * (0.01 + 0.9 * next()));
        // A sample takes every second: both ends of it, and not what lies beyond.
        values[0] = sign * end;
        values[4] = sign;
        values[100_001] = sign * beyond;
        await check(encode(values), dtype, 255);
      }
    }
  });

  it('a deviation that is small beside the mean', async () => {
    const values = Float64Array.from(normals(100_000, 5), (x) => 1e9 + x);
    const answer = await check(bytesOf(values), 'f64');
    const mean = values.reduce((a, b) => a + (b - 1e9), 0) / values.length;
    const std = Math.sqrt(values.reduce((a, b) => a + (b - 1e9 - mean) ** 2, 0) / values.length);
    expect(Math.abs((answer.std ?? 0) / std - 1)).toBeLessThan(1e-9);
    const integers = BigInt64Array.from(normals(10_000, 6), (x) => 2n ** 62n + BigInt(Math.round(x * 1000)));
    const wideAnswer = await here.kernels.statistics(here.range(bytesOf(integers)), { dtype: 'i64', bins: 8 }, patient);
    const offsets = [...integers].map((x) => Number(x - 2n ** 62n));
    const average = offsets.reduce((a, b) => a + b, 0) / offsets.length;
    const deviation = Math.sqrt(offsets.reduce((a, b) => a + (b - average) ** 2, 0) / offsets.length);
    expect(Math.abs((wideAnswer.std ?? 0) / deviation - 1)).toBeLessThan(1e-9);
  });

  it('the same value everywhere', async () => {
    const answer = await check(bytesOf(new Float32Array(10_000).fill(0.1)), 'f32');
    expect(answer).toMatchObject({ min: Math.fround(0.1), max: Math.fround(0.1), mean: Math.fround(0.1), std: 0 });
  });

  it('the ends of the types', async () => {
    await check(bytesOf(BigInt64Array.of(-(2n ** 63n), 2n ** 63n - 1n, 0n, -1n)), 'i64');
    await check(bytesOf(BigUint64Array.of(2n ** 64n - 1n, 0n, 2n ** 64n - 1n)), 'u64');
    await check(bytesOf(Float64Array.of(Number.MAX_VALUE, -Number.MAX_VALUE, 5e-324)), 'f64');
    await check(bytesOf(Float32Array.of(3.4028234663852886e38, -3.4028234663852886e38, 1e-45)), 'f32');
    await check(bytesOf(Float32Array.of(Number.NaN, Number.NaN)), 'f32');
    await check(bytesOf(Float32Array.of(Number.POSITIVE_INFINITY, Number.NaN)), 'f32');
  });

  it('several chunks', async () => {
    const bytes = randomBytes(20 * 1024 * 1024 + 7, 11);
    const range = here.range(bytes);
    const seen: number[] = [];
    const job = { ...patient, progress: (done: number) => seen.push(done) };
    const answer = await here.kernels.statistics(range, { dtype: 'u8', bins: 256 }, job);
    const counts = Array.from({ length: 256 }, () => 0);
    for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1;
    expect(answer.histogram.counts).toEqual(counts);
    expect(answer.checksum).toBe(checksumOf(bytes));
    expect(seen.at(-1)).toBe(bytes.byteLength);
    if (here.session.info.kind === 'simulator') expect(seen.length).toBeGreaterThan(1);
  });

  it('a checksum that tells swapped parts apart, and added zeros', async () => {
    const sum = async (bytes: Uint8Array) =>
      (await here.kernels.statistics(here.range(bytes), { dtype: 'u8', bins: 0 }, patient)).checksum;
    const bytes = randomBytes(64, 4);
    const one = await sum(bytes);
    const seen = new Set([one]);
    for (let a = 0; a < 64; a += 4) {
      for (let b = a + 4; b < 64; b += 4) {
        const swapped = bytes.slice();
        swapped.set(bytes.subarray(a, a + 4), b);
        swapped.set(bytes.subarray(b, b + 4), a);
        seen.add(await sum(swapped));
      }
    }
    expect(seen.size).toBe(1 + (16 * 15) / 2);
    expect(await sum(Uint8Array.of(...bytes, 0))).not.toBe(one);
  });

  it('is any bytes of any type at any place', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 400 }),
        fc.constantFrom(...dtypeIds),
        fc.integer({ min: 0, max: 256 }),
        fc.integer({ min: 0, max: 17 }),
        async (bytes, dtype, bins, shift) => void (await check(bytes, dtype, bins, shift)),
      ),
      { numRuns: 300 },
    );
  });

  it('ends when it is cancelled', async () => {
    const range = here.range(new Uint8Array(1024));
    const never = here.kernels.statistics(range, { dtype: 'f32', bins: 8 }, { ...patient, cancelled: () => true });
    await expect(never).rejects.toMatchObject({ error: { code: 'cancelled' } });
  });
});
