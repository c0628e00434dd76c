/** Compare, search and summary against plain loops. */
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { ByteOrder } from '#contract/decode-values';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { bigEndianPattern, matcherOf } from './search-cpu';
import { valuesOf } from './testing/oracle';
import { patient, setting } from './testing/setting';
import type { CompareOptions, SearchQuery } from './types';

const here = setting();
afterAll(() => here.end());

const bytesOf = (array: ArrayBufferView): Uint8Array =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/** Bits of a position of a type: of the parts of complex numbers. */
const bitsOf = (dtype: DtypeId): number => {
  const { part, bits } = dtypes[dtype];
  return part ? dtypes[part].bits : bits;
};

/** Offsets of elements as byte ranges, neighbours put together. */
function spans(positions: readonly number[], bits: number) {
  const ranges: { offset: number; length: number }[] = [];
  for (const position of positions) {
    const from = Math.floor((position * bits) / 8);
    const to = Math.ceil(((position + 1) * bits) / 8);
    const last = ranges.at(-1);
    if (last && from <= last.offset + last.length) last.length = to - last.offset;
    else ranges.push({ offset: from, length: to - from });
  }
  return ranges;
}

describe('compare', () => {
  async function check(a: Uint8Array, b: Uint8Array, options: CompareOptions, shift = 0) {
    const answer = await here.kernels.compare(here.range(a, shift), here.range(b), options, patient);
    const { dtype, absolute = 0, relative = 0, nanEqual = true, limit } = options;
    const bytes = Math.min(a.byteLength, b.byteLength);
    const [x, y] = [a, b].map((of) => valuesOf(of.subarray(0, bytes), dtype ?? 'u8')) as [number[], number[]];
    const positions = x.flatMap((left, i) => {
      const right = y[i] ?? Number.NaN;
      const bothNaN = Number.isNaN(left) && Number.isNaN(right);
      if (left === right || (bothNaN && nanEqual)) return [];
      if (Number.isNaN(left) || Number.isNaN(right)) return [i];
      if (typeof left === 'bigint' && absolute === 0 && relative === 0) return [i];
      const [p, q] = [Number(left), Number(right)];
      if (!Number.isFinite(p) || !Number.isFinite(q)) return [i];
      const distance = typeof left === 'bigint' ? Number(left - BigInt(right)) : p - q;
      return Math.abs(distance) > absolute + relative * Math.abs(q) ? [i] : [];
    });
    const ranges = spans(positions, dtype ? bitsOf(dtype) : 8);
    expect(answer).toEqual({
      count: x.length,
      differing: positions.length,
      first: ranges[0]?.offset,
      ranges: ranges.slice(0, limit),
      more: ranges.length > limit,
    });
  }

  it('finds every byte that differs, across groups and chunks', async () => {
    const a = Uint8Array.from({ length: 9 * 1024 * 1024 + 5 }, (_, i) => (i * 31) % 251);
    const b = a.slice();
    for (const at of [0, 1, 65_535, 65_536, 200_000, 8 * 1024 * 1024 - 1, 8 * 1024 * 1024, a.length - 1]) b[at] = 252;
    b.fill(253, 3 * 65_536, 5 * 65_536 + 3);
    await check(a, b, { limit: 100 });
    await check(a, b, { limit: 3 });
    await check(a, a, { limit: 3 });
  });

  it('takes tolerance, and NaN as asked', async () => {
    const a = bytesOf(Float32Array.of(1, 2, Number.NaN, 4, Number.POSITIVE_INFINITY, 0, 7, 8, 9));
    const b = bytesOf(
      Float32Array.of(1.05, 2.5, Number.NaN, 4, Number.POSITIVE_INFINITY, -0, Number.NaN, Number.NEGATIVE_INFINITY, 9),
    );
    await check(a, b, { dtype: 'f32', limit: 10 });
    await check(a, b, { dtype: 'f32', absolute: 0.1, limit: 10 });
    await check(a, b, { dtype: 'f32', relative: 0.3, limit: 10 });
    await check(a, b, { dtype: 'f32', nanEqual: false, limit: 10 });
    await check(a, b, { limit: 10 });
  });

  it('is any two ranges of any type', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 300 }),
        fc.array(fc.tuple(fc.nat(299), fc.nat(255)), { maxLength: 12 }),
        fc.option(fc.constantFrom(...dtypeIds), { nil: undefined }),
        fc.constantFrom(0, 0.5, 3),
        fc.constantFrom(0, 0.01),
        fc.boolean(),
        fc.nat(17),
        async (a, changes, dtype, absolute, relative, nanEqual, shift) => {
          const b = a.slice();
          for (const [at, value] of changes) if (at < b.length) b[at] = value;
          await check(
            a,
            b,
            { dtype, absolute: dtype ? absolute : 0, relative: dtype ? relative : 0, nanEqual, limit: 5 },
            shift,
          );
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('search', () => {
  const offsets = (bytes: Uint8Array, query: SearchQuery, from: number, to: number): number[] => {
    if ('pattern' in query) {
      const hits: number[] = [];
      for (let at = from; at + query.pattern.length <= to; at++) {
        if (query.pattern.every((byte, i) => byte === null || bytes[at + i] === byte)) hits.push(at);
      }
      return hits;
    }
    const bits = bitsOf(query.dtype);
    const hits = valuesOf(bytes.slice(from, to), query.dtype).flatMap((value, i) => {
      const number = Number(value);
      let found: boolean;
      if ('is' in query)
        found = query.is === 'nan' ? Number.isNaN(number) : Math.abs(number) === Number.POSITIVE_INFINITY;
      else if ('min' in query) found = value >= query.min && value <= query.max;
      // biome-ignore lint/suspicious/noDoubleEquals: a bigint and a number may be the same value
      else found = value == query.value;
      return found ? [from + Math.floor((i * bits) / 8)] : [];
    });
    return [...new Set(hits)];
  };

  async function check(
    bytes: Uint8Array,
    query: SearchQuery,
    { from = 0, to = bytes.length, limit = 100, shift = 0 } = {},
  ) {
    const range = here.range(bytes, shift);
    const all = offsets(bytes, query, from, to);
    const first = await here.kernels.search(range, { query, from, to, limit }, patient);
    expect(first).toEqual({ hits: all.slice(0, limit), done: all.length <= limit });
    const last = await here.kernels.search(range, { query, from, to, limit, backwards: true }, patient);
    expect(last).toEqual({ hits: all.slice(Math.max(0, all.length - limit)), done: all.length <= limit });
    expect(onCpu(bytes, query, 'little', from, to)).toEqual(all);
    return all;
  }

  /** All places, as the CPU finds them. */
  function onCpu(bytes: Uint8Array, query: SearchQuery, order: ByteOrder, from = 0, to = bytes.length): number[] {
    const matcher = matcherOf(query, order);
    if (matcher === undefined) return [];
    const view = new DataView(bytes.buffer, bytes.byteOffset + from, Math.max(0, to - from));
    const places = Math.max(0, Math.floor((view.byteLength - matcher.bytes) / matcher.step) + 1);
    return Array.from({ length: places }, (_, i) => i * matcher.step)
      .filter((at) => matcher.at(view, at))
      .map((at) => from + at);
  }

  /** Bytes with each element of a type turned round, as the other byte order has them. */
  function turned(bytes: Uint8Array, dtype: DtypeId): Uint8Array {
    const size = Math.max(1, bitsOf(dtype) / 8);
    const copy = bytes.slice();
    for (let at = 0; at + size <= copy.length; at += size) copy.subarray(at, at + size).reverse();
    return copy;
  }

  const large = Uint8Array.from({ length: 3 * 1024 * 1024 + 9 }, (_, i) => (i * 7919) % 253);

  it('bytes at every offset, wildcards too, across groups', async () => {
    const bytes = large.slice();
    for (const at of [0, 17, 65_533, 131_071, 2_000_001, bytes.length - 5])
      bytes.set([0x48, 0x65, 0x6c, 0x6c, 0x6f], at);
    expect(await check(bytes, { pattern: [0x48, 0x65, 0x6c, 0x6c, 0x6f] })).toHaveLength(6);
    await check(bytes, { pattern: [0x48, null, 0x6c] });
    await check(bytes, { pattern: [null, 0x65, 0x6c, 0x6c] }, { limit: 2 });
    await check(bytes, { pattern: [0x48, 0x65, 0x6c, 0x6c, 0x6f] }, { from: 18, to: bytes.length - 1, limit: 1 });
    await check(bytes, { pattern: [7] }, { limit: 9 });
    await check(bytes, { pattern: [null] }, { limit: 9 });
    await check(bytes, { pattern: Array.from({ length: 64 }, (_, i) => bytes[1000 + i] ?? 0) });
  });

  it('values, ranges, NaN and infinity', async () => {
    const values = Float32Array.from({ length: 200_000 }, (_, i) => Math.fround(Math.sin(i) * 100));
    values.set([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0, 0, 1e-45], 150_000);
    const bytes = bytesOf(values);
    await check(bytes, { dtype: 'f32', is: 'nan' });
    await check(bytes, { dtype: 'f32', is: 'inf' });
    expect(await check(bytes, { dtype: 'f32', value: 0 })).toEqual([0, 600_012, 600_016]);
    await check(bytes, { dtype: 'f32', value: values[777] ?? 0 });
    await check(bytes, { dtype: 'f32', min: 99.99, max: Number.POSITIVE_INFINITY });
    await check(
      bytes,
      { dtype: 'f32', min: Number.NEGATIVE_INFINITY, max: -99.99 },
      { from: 5, to: 700_001, limit: 3 },
    );
    await check(bytes, { dtype: 'f32', min: 5, max: 4 });
  });

  it('a number that the type rounds', async () => {
    const range = here.range(bytesOf(Float32Array.of(1, 0.1, 2)));
    const search = (value: number, dtype: DtypeId = 'f32') =>
      here.kernels.search(range, { query: { dtype, value }, limit: 9 }, patient);
    expect((await search(0.1)).hits).toEqual([4]);
    expect((await search(1e300)).hits).toEqual([]);
    expect((await search(256, 'u8')).hits).toEqual([]);
    expect((await search(0.5, 'u8')).hits).toEqual([]);
  });

  it('whole numbers of 64 bits', async () => {
    const bytes = bytesOf(BigUint64Array.of(1n, 2n ** 53n + 1n, 2n ** 53n, 2n ** 64n - 1n));
    await check(bytes, { dtype: 'u64', value: 2n ** 53n + 1n });
    await check(bytes, { dtype: 'u64', min: 2n ** 53n, max: 2n ** 64n });
    await check(bytes, { dtype: 'i64', value: -1 });
  });

  it('big-endian values: bytes for the kernels where that says the same, the CPU for the rest', async () => {
    const special = (dtype: DtypeId, ...values: number[]): SearchQuery[] => values.map((value) => ({ dtype, value }));
    const asBytes: SearchQuery[] = [
      ...special('f32', 0, -1.5, Number.POSITIVE_INFINITY, 2.5),
      ...special('f64', 0, 0.1),
      ...special('f16', 0, 2),
      ...special('u16', 0, 256),
      ...special('i32', -2),
      { dtype: 'f32', is: 'inf' },
      { dtype: 'c64', is: 'inf' },
      { dtype: 'u64', value: 2n ** 53n + 1n },
      { dtype: 'u8', min: 3, max: 9 },
      { dtype: 'u16', min: 7, max: 7 },
    ];
    const others: SearchQuery[] = [
      { dtype: 'f32', is: 'nan' },
      { dtype: 'f32', min: -2, max: 3 },
      { dtype: 'u16', min: 1, max: 300 },
      { dtype: 'u64', min: 2n ** 53n, max: 2n ** 60n },
      { dtype: 'i64', min: -5n, max: 2n ** 40n },
      { dtype: 'f64', min: Number.NEGATIVE_INFINITY, max: -1e-300 },
    ];
    const numbers = [
      0,
      -0,
      1,
      -1.5,
      2,
      2.5,
      0.1,
      1e-45,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      Number.NEGATIVE_INFINITY,
    ];
    const little = Uint8Array.from([
      ...bytesOf(Float32Array.from(numbers)),
      0,
      0,
      0,
      0,
      ...bytesOf(Float64Array.from(numbers)),
      ...bytesOf(BigInt64Array.of(2n ** 53n + 1n, -3n, 7n, 2n ** 59n)),
      ...bytesOf(Int32Array.of(-2, 7, 256, 0)),
      ...bytesOf(Uint16Array.of(256, 1, 7, 0x4000, 0, 0x8000, 5)),
    ]);
    for (const query of [...asBytes, ...others]) {
      const { dtype } = query as Exclude<SearchQuery, { pattern: unknown }>;
      const bytes = turned(little, dtype);
      const all = offsets(little, query, 0, little.length);
      expect(onCpu(bytes, query, 'big')).toEqual(all);
      const forKernel = bigEndianPattern(query);
      expect(forKernel !== undefined).toBe(asBytes.includes(query));
      if (forKernel === undefined) continue;
      for (const [limit, backwards] of [
        [100, false],
        [1, true],
        [1, false],
      ] as const) {
        const answer = await here.kernels.search(here.range(bytes, 3), { query: forKernel, limit, backwards }, patient);
        const hits = backwards ? all.slice(Math.max(0, all.length - limit)) : all.slice(0, limit);
        expect(answer).toEqual({ hits, done: all.length <= limit });
      }
    }
  });

  it('is any pattern or value in any bytes', async () => {
    const query = fc.oneof(
      fc.array(fc.option(fc.nat(3)), { minLength: 1, maxLength: 6 }).map((pattern): SearchQuery => ({ pattern })),
      fc.record({ dtype: fc.constantFrom(...dtypeIds), is: fc.constantFrom('nan' as const, 'inf' as const) }),
      fc.record({ dtype: fc.constantFrom(...dtypeIds), value: fc.integer({ min: -4, max: 4 }) }),
      fc
        .tuple(fc.constantFrom(...dtypeIds), fc.double({ noNaN: true }), fc.double({ noNaN: true }))
        .map(([dtype, min, max]): SearchQuery => ({ dtype, min, max })),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(fc.uint8Array({ maxLength: 200 }), fc.uint8Array({ max: 3, maxLength: 200 })),
        query,
        fc.nat(20),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(17),
        async (bytes, what, from, limit, shift) =>
          void (await check(bytes, what, { from: Math.min(from, bytes.length), limit, shift })),
      ),
      { numRuns: 400 },
    );
  });
});

describe('summary', () => {
  async function check(bytes: Uint8Array, dtype: DtypeId, slices: number, shift = 0) {
    const answer = await here.kernels.summary(here.range(bytes, shift), { dtype, slices }, patient);
    const values = valuesOf(bytes, dtype);
    const bits = bitsOf(dtype);
    expect(answer.length).toBeLessThanOrEqual(slices);
    let at = 0;
    for (const slice of answer) {
      expect(slice.offset).toBe(Math.floor((at * bits) / 8));
      const here = values.slice(at, at + slice.count);
      const numbers = here.filter((x) => !Number.isNaN(x));
      const plain = (value: number | bigint | undefined) => (value === 0 ? 0 : value);
      const least = numbers.reduce<number | bigint | undefined>(
        (a, b) => (a === undefined || b < a ? b : a),
        undefined,
      );
      const most = numbers.reduce<number | bigint | undefined>((a, b) => (a === undefined || b > a ? b : a), undefined);
      expect({ ...slice, min: plain(slice.min), max: plain(slice.max) }).toEqual({
        offset: slice.offset,
        bytes: Math.ceil((slice.count * bits) / 8),
        count: here.length,
        min: plain(least),
        max: plain(most),
        zeros: here.filter((x) => Number(x) === 0).length,
        nans: here.length - numbers.length,
        infinities: here.filter((x) => Math.abs(Number(x)) === Number.POSITIVE_INFINITY).length,
      });
      at += slice.count;
    }
    expect(at).toBe(values.length);
    return answer;
  }

  it('of a large range', async () => {
    const bytes = Uint8Array.from({ length: 5 * 1024 * 1024 + 3 }, (_, i) => (i * 7919) % 253);
    expect(await check(bytes, 'f32', 256)).toHaveLength(256);
    expect(await check(bytes, 'u8', 4096)).toHaveLength(4093);
    await check(bytes, 'f16', 1);
    await check(bytes, 'i4', 7, 3);
  });

  it('is any bytes of any type', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 300 }),
        fc.constantFrom(...dtypeIds),
        fc.integer({ min: 1, max: 70 }),
        fc.nat(17),
        async (bytes, dtype, slices, shift) => void (await check(bytes, dtype, slices, shift)),
      ),
      { numRuns: 300 },
    );
  });
});
