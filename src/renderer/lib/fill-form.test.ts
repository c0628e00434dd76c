import fc from 'fast-check';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { dtypeIds } from '#contract/dtypes';
import { fillSchema } from '#contract/values';
import { elementRange, FIRST_FILL, type FillForm, moves, PATTERNS, readFill, readNumber } from './fill-form';

const form = (change: Partial<FillForm>): FillForm => ({ ...FIRST_FILL, ...change });

describe('a fill', () => {
  it('gives each pattern what its fields say', () => {
    expect(readFill(form({ pattern: 'zero' }), 'u8')).toEqual({ ok: true, fill: { pattern: 'zero' } });
    expect(readFill(form({ pattern: 'constant', value: '0xAB' }), 'u8')).toEqual({
      ok: true,
      fill: { pattern: 'constant', value: 0xab },
    });
    expect(readFill(form({ pattern: 'ramp', start: '1', step: '-2' }), 'i32')).toEqual({
      ok: true,
      fill: { pattern: 'ramp', start: 1, step: -2 },
    });
    expect(readFill(form({ pattern: 'random' }), 'f32', () => 42)).toEqual({
      ok: true,
      fill: { pattern: 'random', seed: 42 },
    });
    expect(readFill(form({ pattern: 'random', seed: '7' }), 'f32')).toEqual({
      ok: true,
      fill: { pattern: 'random', seed: 7 },
    });
    expect(readFill(form({ pattern: 'text', text: 'a {n}' }), 'u8')).toEqual({
      ok: true,
      fill: { pattern: 'text', text: 'a {n}' },
    });
  });

  it('takes special values for floats only', () => {
    expect(readFill(form({ pattern: 'constant', value: '-inf' }), 'f16')).toMatchObject({ fill: { value: -Infinity } });
    expect(readFill(form({ pattern: 'constant', value: 'inf' }), 'u8')).toMatchObject({ ok: false });
    expect(readFill(form({ pattern: 'constant', value: 'inf' }), 'f8e4m3')).toMatchObject({ ok: false });
    expect(readFill(form({ pattern: 'constant', value: 'inf' }), 'f8e5m2')).toMatchObject({ ok: true });
  });

  it.each([
    [form({ pattern: 'constant', value: '' }), 'u8', /^value: Give a value/],
    [form({ pattern: 'constant', value: 'x' }), 'u8', /^value: .* not a number/],
    [form({ pattern: 'constant', value: '256' }), 'u8', /u8 holds 0 to 255/],
    [form({ pattern: 'constant', value: '-1' }), 'u8', /u8 holds 0 to 255/],
    [form({ pattern: 'constant', value: '-129' }), 'i8', /i8 holds -128 to 127/],
    [form({ pattern: 'constant', value: '1.5' }), 'u8', /whole numbers/],
    [form({ pattern: 'ramp', step: '' }), 'f32', /^step: Give a step/],
    [form({ pattern: 'random', seed: '-1' }), 'f32', /^seed: /],
    [form({ pattern: 'text', text: '' }), 'u8', /^text: Type the text/],
  ] as const)('refuses %j for %s', (bad, dtype, why) => {
    const made = readFill(bad, dtype);
    expect(made.ok ? '' : `${made.field}: ${made.why}`).toMatch(why);
  });

  it('never makes a fill that the contract refuses', () => {
    const text = fc.oneof(fc.string({ maxLength: 12 }), fc.double().map(String), fc.integer().map(String));
    fc.assert(
      fc.property(
        fc.record({
          pattern: fc.constantFrom(...PATTERNS.map(({ value }) => value)),
          value: text,
          start: text,
          step: text,
          seed: text,
          text,
        }),
        fc.constantFrom(...dtypeIds),
        (any, dtype) => {
          const made = readFill(any, dtype);
          if (made.ok) expect(v.safeParse(fillSchema, made.fill).success).toBe(true);
        },
      ),
    );
  });
});

describe('a number', () => {
  it('is read as people write it', () => {
    expect(['1e3', '.5', '-0x10', '1,024', '1_024', '5.', 'NaN', '1 2', '0x', '1e999'].map(readNumber)).toEqual([
      1000,
      0.5,
      -16,
      1024,
      1024,
      5,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe('elementRange', () => {
  it('knows the integers and leaves floats open', () => {
    expect(elementRange('u16')).toEqual({ low: 0, high: 65535 });
    expect(elementRange('i16')).toEqual({ low: -32768, high: 32767 });
    expect(elementRange('i4')).toEqual({ low: -8, high: 7 });
    expect(elementRange('bool')).toEqual({ low: 0, high: 1 });
    expect(elementRange('bf16')).toBeUndefined();
    expect(elementRange('c64')).toBeUndefined();
  });
});

describe('moves', () => {
  it('is true for fills that differ from one write to the next', () => {
    expect(moves({ pattern: 'text', text: 'tick {n}' })).toBe(true);
    expect(moves({ pattern: 'text', text: 'at {time}' })).toBe(true);
    expect(moves({ pattern: 'ramp' })).toBe(true);
    expect(moves({ pattern: 'zero' })).toBe(true);
    expect(moves({ pattern: 'text', text: 'from {pid}' })).toBe(false);
  });
});
