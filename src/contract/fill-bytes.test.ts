import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeValues, encodeValue } from './decode-values';
import { dtypeIds, dtypes, elementsInBytes } from './dtypes';
import { expandText, fillAtTick, fillBytes, planFill, RANDOM_PERIOD } from './fill-bytes';
import type { Fill } from './values';

const context = { pid: 41210, tick: 7, time: Date.UTC(2025, 0, 2, 14, 7, 38, 114) };
const dtype = fc.constantFrom(...dtypeIds);
const fills: fc.Arbitrary<Fill> = fc.oneof(
  fc.constant<Fill>({ pattern: 'zero' }),
  fc.record({ pattern: fc.constant('constant' as const), value: fc.double({ noNaN: true }) }),
  fc.record({
    pattern: fc.constant('ramp' as const),
    start: fc.integer(),
    step: fc.integer({ min: -1000, max: 1000 }),
  }),
  fc.record({ pattern: fc.constant('random' as const), seed: fc.nat() }),
  fc.record({ pattern: fc.constant('text' as const), text: fc.string() }),
);

describe('patterns', () => {
  it('fills with elements, one by one the same as encodeValue', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -1e6, max: 1e6 }),
        fc.integer({ min: -300, max: 300 }),
        dtype,
        fc.nat({ max: 300 }),
        (start, step, type, size) => {
          const expected = new Uint8Array(size);
          const { bytes: width, perUnit } = dtypes[type];
          const place = (index: number): number => Math.floor(index / perUnit) * width;
          const count = elementsInBytes(size, type);
          for (let index = 0; index < count; index++)
            encodeValue(expected, place(index), type, start + index * step, 'little', index % perUnit);
          expect(fillBytes(planFill({ pattern: 'ramp', start, step }, type, context), size)).toEqual(expected);
          const constant = new Uint8Array(size);
          for (let index = 0; index < count; index++)
            encodeValue(constant, place(index), type, start / 7, 'little', index % perUnit);
          expect(fillBytes(planFill({ pattern: 'constant', value: start / 7 }, type, context), size)).toEqual(constant);
        },
      ),
      { numRuns: 500 },
    );
  });

  it('uses the memset of the driver for zero and for constants of up to 4 bytes', () => {
    expect(planFill({ pattern: 'zero' }, 'f64', context)).toEqual({ by: 'memset', width: 1, value: 0 });
    expect(planFill({ pattern: 'constant', value: -1 }, 'i8', context)).toEqual({ by: 'memset', width: 1, value: 255 });
    expect(planFill({ pattern: 'constant', value: 1 }, 'bf16', context)).toEqual({
      by: 'memset',
      width: 2,
      value: 0x3f80,
    });
    expect(planFill({ pattern: 'constant', value: 1 }, 'f32', context)).toEqual({
      by: 'memset',
      width: 4,
      value: 0x3f800000,
    });
    expect(planFill({ pattern: 'constant', value: 1 }, 'f64', context)).toMatchObject({ by: 'chunks', period: 8 });
  });

  it('expands the placeholders of a text', () => {
    expect(expandText('{pid} frame {n} {time} {n}', context)).toBe('41210 frame 7 14:07:38.114 7');
    const filled = fillBytes(planFill({ pattern: 'text', text: 'grün {n}' }, 'u8', context), 12);
    expect(Buffer.from(filled).toString()).toBe('grün 7\0\0\0\0\0');
  });

  it('keeps random floats in [0, 1) and spreads random bytes', () => {
    for (const type of ['f8e4m3', 'f8e5m2', 'f16', 'bf16', 'f32', 'f64'] as const) {
      const values = decodeValues(
        fillBytes(planFill({ pattern: 'random', seed: 3 }, type, context), 8000),
        type,
      ) as number[];
      expect(Math.min(...values)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...values)).toBeLessThan(1);
      expect(values.reduce((sum, value) => sum + value) / values.length).toBeCloseTo(0.5, type === 'f8e5m2' ? 0 : 1);
    }
    for (const type of ['c64', 'c128'] as const) {
      const parts = decodeValues(
        fillBytes(planFill({ pattern: 'random', seed: 3 }, type, context), 16000),
        type,
      ).flatMap(({ real, imaginary }) => [real, imaginary]);
      expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
      expect(Math.max(...parts)).toBeLessThan(1);
      expect(new Set(parts).size).toBe(parts.length);
    }
    const truths = fillBytes(planFill({ pattern: 'random', seed: 3 }, 'bool', context), 8000);
    expect(new Set(truths)).toEqual(new Set([0, 1]));
    const bytes = fillBytes(planFill({ pattern: 'random', seed: 3 }, 'u8', context), 65536);
    expect(new Set(bytes).size).toBe(256);
    expect(bytes).not.toEqual(fillBytes(planFill({ pattern: 'random', seed: 4 }, 'u8', context), 65536));
  });
});

describe('chunks', () => {
  it('are the same however a buffer is cut', () => {
    fc.assert(
      fc.property(fills, dtype, fc.nat({ max: 400 }), fc.nat({ max: 50 }), (fill, type, size, cut) => {
        const plan = planFill(fill, type, context);
        if (plan.by !== 'chunks') return;
        const whole = fillBytes(plan, size);
        const at = Math.min(cut * 16, size - (size % 16));
        const parts = new Uint8Array(size).fill(0xee);
        plan.write(parts.subarray(0, at), 0);
        plan.write(parts.subarray(at), at);
        expect(parts).toEqual(whole);
      }),
      { numRuns: 1000 },
    );
  });

  it('repeat with the period they claim', () => {
    fc.assert(
      fc.property(fills, dtype, fc.nat({ max: 100 }), (fill, type, elements) => {
        const plan = planFill(fill, type, context);
        if (plan.by !== 'chunks' || plan.period === undefined) return;
        expect(plan.period % dtypes[type].bytes).toBe(0);
        const offset = elements * 16;
        const [here, later] = [new Uint8Array(64), new Uint8Array(64)];
        plan.write(here, offset);
        plan.write(later, offset + plan.period);
        expect(later).toEqual(here);
      }),
      { numRuns: 500 },
    );
    expect(planFill({ pattern: 'random' }, 'u8', context)).toMatchObject({ period: RANDOM_PERIOD });
  });
});

describe('animation', () => {
  it('moves every pattern on, and stays itself at tick 0', () => {
    const at = (fill: Fill, tick: number) =>
      fillBytes(planFill(fillAtTick(fill, tick), 'u8', { ...context, tick }), 16);
    const moving: Fill[] = [
      { pattern: 'constant', value: 3 },
      { pattern: 'ramp' },
      { pattern: 'ramp', start: 5, step: 2 },
      { pattern: 'random', seed: 1 },
      { pattern: 'text', text: 'n {n}' },
    ];
    for (const fill of moving) {
      expect(at(fill, 0)).toEqual(fillBytes(planFill(fill, 'u8', { ...context, tick: 0 }), 16));
      expect(at(fill, 1)).not.toEqual(at(fill, 0));
    }
    expect(at({ pattern: 'zero' }, 2)).not.toEqual(at({ pattern: 'zero' }, 3));
  });
});
