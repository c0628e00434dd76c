import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '#contract/calls/contents';
import { decodeValue } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { ok } from '#contract/result';
import { findNext, kindWanted, type Wanted } from './finder';

/** Searches plain bytes as the contract says: whole hits in [from, to), values at multiples of their size from `from`. */
function searcher(memory: Uint8Array) {
  return async (args: { query: Query; from?: number; to?: number; limit?: number; backwards?: boolean }) => {
    const { query, from = 0, to = memory.length, limit = 1000, backwards = false } = args;
    const hits: number[] = [];
    if ('bytes' in query) {
      const pattern = query.bytes.split(' ').map((pair) => Number.parseInt(pair, 16));
      for (let at = from; at + pattern.length <= to; at++) {
        if (pattern.every((byte, i) => memory[at + i] === byte)) hits.push(at);
      }
    } else {
      const { bytes } = dtypes[query.dtype];
      for (let at = from; at + bytes <= to; at += bytes) {
        const value = Number(decodeValue(memory, at, query.dtype));
        const is =
          'is' in query
            ? query.is === 'nan'
              ? Number.isNaN(value)
              : Math.abs(value) === Number.POSITIVE_INFINITY
            : 'value' in query
              ? value === Number(query.value)
              : value >= Number(query.min === '-inf' ? Number.NEGATIVE_INFINITY : query.min) &&
                value <= Number(query.max);
        if (is) hits.push(at);
      }
    }
    const some = backwards ? hits.slice(-limit) : hits.slice(0, limit);
    return ok({ hits: some, done: hits.length <= limit, tookMs: 1 });
  };
}

const find = (memory: Uint8Array, wanted: Wanted | undefined, from: number, direction: 1 | -1) =>
  findNext(searcher(memory), { id: 'p0.a1', size: memory.length, job: 'j' }, wanted as Wanted, from, direction);

describe('the next place', () => {
  it('goes to every place once, forwards and backwards, and round the end', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 4, maxLength: 40, max: 2 }),
        fc.nat(),
        fc.constantFrom(1 as const, -1 as const),
        async (memory, start, direction) => {
          const pattern: Wanted = { queries: [{ bytes: '01 02' }], bytes: 2, aligned: false };
          const all: number[] = [];
          for (let at = 0; at + 2 <= memory.length; at++) if (memory[at] === 1 && memory[at + 1] === 2) all.push(at);
          let here = start % memory.length;
          const first = here;
          for (let i = 0; i < all.length; i++) {
            const result = await find(memory, pattern, here, direction);
            if (!result.ok || result.value === undefined) throw new Error('nothing found');
            const next =
              direction > 0 ? (all.find((at) => at > here) ?? all[0]) : (all.findLast((at) => at < here) ?? all.at(-1));
            expect(result.value.offset).toBe(next);
            expect(result.value.wrapped).toBe(direction > 0 ? (next as number) <= here : (next as number) >= here);
            here = result.value.offset;
          }
          if (all.length === 0) expect(await find(memory, pattern, first, direction)).toEqual(ok(undefined));
        },
      ),
    );
  });

  it('values lie at multiples of their size, whatever byte the cursor is on', async () => {
    const memory = new Uint8Array(new Float32Array([1, Number.NaN, 2, Number.NaN]).buffer);
    const nan = kindWanted('nan', 'f32');
    expect(await find(memory, nan, 0, 1)).toEqual(ok({ offset: 4, wrapped: false }));
    expect(await find(memory, nan, 4, 1)).toEqual(ok({ offset: 12, wrapped: false }));
    expect(await find(memory, nan, 5, 1)).toEqual(ok({ offset: 12, wrapped: false }));
    expect(await find(memory, nan, 12, 1)).toEqual(ok({ offset: 4, wrapped: true }));
    expect(await find(memory, nan, 12, -1)).toEqual(ok({ offset: 4, wrapped: false }));
    expect(await find(memory, nan, 6, -1)).toEqual(ok({ offset: 4, wrapped: false }));
    expect(await find(memory, nan, 4, -1)).toEqual(ok({ offset: 12, wrapped: true }));
  });

  it('what is counted can be gone to: denormals of both signs, negatives', async () => {
    const memory = new Uint8Array(new Float32Array([1, 1e-40, -1e-40, 0, -2, 2 ** -126]).buffer);
    const denormal = kindWanted('denormal', 'f32');
    expect(await find(memory, denormal, 0, 1)).toEqual(ok({ offset: 4, wrapped: false }));
    expect(await find(memory, denormal, 4, 1)).toEqual(ok({ offset: 8, wrapped: false }));
    expect(await find(memory, denormal, 8, 1)).toEqual(ok({ offset: 4, wrapped: true }));
    const negative = kindWanted('negative', 'f32');
    expect(await find(memory, negative, 0, 1)).toEqual(ok({ offset: 8, wrapped: false }));
    expect(await find(memory, negative, 8, 1)).toEqual(ok({ offset: 16, wrapped: false }));
  });

  it('types without a kind say so', () => {
    expect(kindWanted('nan', 'i32')).toBeUndefined();
    expect(kindWanted('negative', 'u8')).toBeUndefined();
    expect(kindWanted('denormal', 'bool')).toBeUndefined();
    expect(kindWanted('nan', 'c64')?.bytes).toBe(4);
  });
});
