import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { elementCount } from '#contract/tensor/shape';
import {
  firstChoice,
  parseOffset,
  proposedShapes,
  proposedStrides,
  sliceShown,
  withAxis,
  withSliceText,
  withTexts,
} from './choice';
import { lineSamples } from './line-samples';
import { extent, linePath, scaleOf, shortNumber } from './plot';

describe('choice of a tensor', () => {
  const choice = withTexts(firstChoice('f32', 4096), { shape: '4x16x16' }, 4096);

  it('begins with the whole memory in a row', () => {
    expect(firstChoice('bf16', 101)).toMatchObject({ texts: { shape: '[50]' }, layout: { shape: [50], strides: [1] } });
    expect(firstChoice('u4', 3).layout.shape).toEqual([6]);
  });

  it('begins with the shape that was said of it', () => {
    const { texts, layout, error } = firstChoice('f32', 64, { dtype: 'f32', shape: [4, 4] });
    expect(texts).toEqual({ dtype: 'f32', shape: '[4, 4]', strides: '', offset: '0' });
    expect([layout.strides, error]).toEqual([[4, 1], undefined]);
    expect(firstChoice('f32', 64, { dtype: 'f32', shape: [] }).layout.shape).toEqual([]);
    // As C has it by itself: nothing to write down.
    expect(firstChoice('f32', 64, { dtype: 'f32', shape: [4, 4], strides: [4, 1] }).texts.strides).toBe('');
    const turned = firstChoice('f32', 64, { dtype: 'f32', shape: [2, 8], strides: [1, 2] });
    expect([turned.texts.strides, turned.layout.strides]).toEqual(['[1, 2]', [1, 2]]);
  });

  it('begins with one row where the shape is of another type or leads out of the memory', () => {
    const row = firstChoice('f32', 64);
    expect(firstChoice('f32', 64, { dtype: 'f16', shape: [2, 16] })).toEqual(row);
    expect(firstChoice('f32', 64, { dtype: 'f32', shape: [5, 4] })).toEqual(row);
    expect(firstChoice('f32', 64, { dtype: 'f32', shape: [4, 4], strides: [16, 1] })).toEqual(row);
    expect(firstChoice('f32', 64, { dtype: 'f32', shape: [2 ** 40, 2 ** 40] })).toEqual(row);
    expect(firstChoice('f32', 64, { dtype: 'f32' })).toEqual(row);
  });

  it('takes shapes, strides and offsets as they are typed', () => {
    expect(choice.error).toBeUndefined();
    expect(choice.layout).toEqual({ dtype: 'f32', shape: [4, 16, 16], strides: [256, 16, 1], offset: 0 });
    expect(sliceShown(choice)).toBe('[0, :, :]');
    const moved = withTexts(choice, { shape: '[2, 8]', strides: '(1, 2)', offset: '0x40' }, 4096);
    expect(moved.layout).toEqual({ dtype: 'f32', shape: [2, 8], strides: [1, 2], offset: 64 });
  });

  it('keeps what is shown while what is typed does not fit, and says why', () => {
    const bad = withTexts(choice, { shape: '[5, 16, 16]' }, 4096);
    expect(bad.error).toEqual({
      field: 'shape',
      message: 'Index [4, 15, 15] lies at bytes 5,116 to 5,119; the memory has 4,096 bytes.',
    });
    expect(bad.layout).toBe(choice.layout);
    expect(bad.slice).toBe(choice.slice);
    expect(withTexts(choice, { strides: '1, 2' }, 4096).error?.field).toBe('strides');
    expect(withTexts(choice, { offset: 'x' }, 4096).error?.field).toBe('offset');
    expect(withTexts(bad, { shape: '[4, 16, 16]' }, 4096).error).toBeUndefined();
  });

  it('reads slices both ways and exchanges axes', () => {
    const other = withSliceText(choice, '[:, 3, :]');
    expect(other.slice).toMatchObject({ rows: 0, columns: 2, at: [0, 3, 0] });
    expect(sliceShown(withAxis(other, 'rows', 2))).toBe('[:, 3, :].T');
    expect(sliceShown(withAxis(other, 'rows', 1))).toBe('[0, :, :]');
    const wrong = withSliceText(choice, '[9, :, :]');
    expect(wrong.slice).toBe(choice.slice);
    expect(wrong.sliceTyped?.message).toContain('4 elements');
    expect(sliceShown(wrong)).toBe('[9, :, :]');
  });

  it('proposes shapes with exactly as many elements', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 ** 40 }), (elements) => {
        for (const shape of proposedShapes(elements)) {
          expect(elementCount(shape)).toBe(elements);
          expect(shape.every((length) => Number.isSafeInteger(length))).toBe(true);
        }
      }),
    );
    expect(proposedShapes(3 * 64 * 64)).toContainEqual([3, 64, 64]);
    expect(proposedShapes(4096)).toContainEqual([64, 64]);
  });

  it('proposes orders in memory: each a layout without gaps', () => {
    expect(proposedStrides([2, 3]).map(({ strides }) => strides)).toEqual([
      [3, 1],
      [1, 2],
    ]);
    const last = (shape: number[]) =>
      proposedStrides(shape).find(({ label }) => label.startsWith('Channels last'))?.strides;
    // As torch.empty(2, 3, 4, 5).to(memory_format=torch.channels_last).stride() says it.
    expect(last([2, 3, 4, 5])).toEqual([60, 1, 15, 3]);
    expect(last([3, 4, 5])).toEqual([1, 15, 3]);
    expect(proposedStrides([4, 5, 6]).at(-1)?.strides).toEqual([30, 1, 5]);
    expect(proposedStrides([7])).toHaveLength(1);
    for (const shape of [
      [2, 3, 4],
      [2, 3, 4, 5],
      [2, 2, 3, 3, 2],
    ]) {
      const elements = elementCount(shape);
      for (const { strides } of proposedStrides(shape)) {
        const places = new Set(
          Array.from({ length: elements }, (_, i) => {
            let left = i;
            return shape.reduceRight((place, length, dimension) => {
              const index = left % length;
              left = Math.floor(left / length);
              return place + index * (strides[dimension] ?? 0);
            }, 0);
          }),
        );
        expect([places.size, Math.max(...places)]).toEqual([elements, elements - 1]);
      }
    }
  });

  it('reads offsets', () => {
    expect(parseOffset('0x1000')).toEqual({ ok: true, value: 4096 });
    expect(parseOffset(' 4 KiB ')).toEqual({ ok: true, value: 4096 });
    expect(parseOffset('12')).toEqual({ ok: true, value: 12 });
    expect(parseOffset('0x1000+4*128')).toEqual({ ok: true, value: 0x1200 });
    expect(parseOffset('3 GiB - 1')).toEqual({ ok: true, value: 3 * 2 ** 30 - 1 });
    expect(parseOffset('16/0')).toEqual({ ok: false, message: 'Nothing can be divided by 0.' });
    for (const text of ['-1', '+16', '[3]', 'end', 'here+1', '', 'x', '1.5'])
      expect(parseOffset(text).ok, text).toBe(false);
  });
});

describe('points of a plot', () => {
  it('are all elements while they are few, and every n-th beyond', () => {
    const near = firstChoice('f32', 4 * 1000);
    const few = lineSamples(near.layout, near.slice, 'row', near.cell);
    expect(few).toMatchObject({ step: 1, count: 1000, length: 1000, ranges: [{ offset: 0, length: 4000 }] });
    const long = firstChoice('f32', 4 * 1_000_000);
    const many = lineSamples(long.layout, long.slice, 'row', long.cell);
    expect(many.step).toBe(16);
    expect(many.count).toBe(62_500);
    expect(many.place(2).byte).toBe(128);
  });

  it('are fewer where each takes a read of its own', () => {
    const apart = withTexts(firstChoice('u8', 2 ** 30), { shape: '[10000, 8]', strides: '[65536, 1]' }, 2 ** 30);
    const down = lineSamples(apart.layout, apart.slice, 'column', { row: 0, column: 3 });
    expect(down.length).toBe(10_000);
    expect(down.ranges.length).toBeLessThanOrEqual(2048);
    expect(down.place(1).byte).toBe(down.step * 65_536 + 3);
  });
});

describe('drawing of a plot', () => {
  it('has round ticks inside its range', () => {
    expect(scaleOf(0, 1).ticks).toEqual([0, 0.5, 1]);
    expect(scaleOf(-3, 17).ticks).toEqual([0, 5, 10, 15]);
    expect(scaleOf(5, 5)).toMatchObject({ low: 2.5, high: 7.5 });
    fc.assert(
      fc.property(
        fc.double({ min: -1e12, max: 1e12, noNaN: true }),
        fc.double({ min: 1e-3, max: 1e12, noNaN: true }),
        (low, span) => {
          const { ticks } = scaleOf(low, low + span);
          expect(ticks.length).toBeLessThan(20);
          for (const tick of ticks) expect(tick).toBeGreaterThanOrEqual(low - span * 1e-6 - Math.abs(low) * 1e-9);
        },
      ),
    );
  });

  it('holds every pair of doubles', () => {
    for (const one of [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE]) {
      expect(scaleOf(one, one).ticks.every(Number.isFinite), String(one)).toBe(true);
    }
    const any = fc.double({ noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(any, any, (a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const { ticks } = scaleOf(low, high);
        expect(ticks.length).toBeLessThanOrEqual(20);
        expect(ticks.every(Number.isFinite)).toBe(true);
        expect(linePath([low, high], 10, 10, scaleOf(low, high))).not.toMatch(/NaN|Infinity/);
      }),
      { numRuns: 2000 },
    );
  });

  it('leaves gaps where there is no number', () => {
    const scale = scaleOf(0, 10);
    expect(linePath([0, 10, Number.NaN, 5], 30, 10, scale)).toBe('M0 10L10 0M30 5h0');
    expect(linePath([], 30, 10, scale)).toBe('');
    expect(linePath([Number.NaN, Number.POSITIVE_INFINITY], 30, 10, scale)).toBe('');
  });

  it('shows the least and the greatest of each column of pixels', () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i === 500 ? 100 : 0));
    const path = linePath(values, 10, 100, scaleOf(0, 100));
    expect(path).toContain('L5 0');
    expect(path.match(/[ML]/g)).toHaveLength(11);
  });

  it('finds the extent of what is finite and writes numbers short', () => {
    expect(extent([Number.NaN, 3, Number.NEGATIVE_INFINITY, -2])).toEqual({ low: -2, high: 3 });
    expect(extent([Number.NaN])).toBeUndefined();
    expect([0.25, 1.5e12, 1e-7, 123456.789].map(shortNumber)).toEqual(['0.25', '1.5e+12', '1e-7', '123457']);
  });
});
