import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkImage, type ImageLayout } from '#contract/tensor/image';
import { proposedImages } from './proposals';
import { centred, drawingOf, fitted, MOST_BYTES, zoomed } from './zoom';

const image = (width: number, height: number, more: Partial<ImageLayout> = {}): ImageLayout => ({
  width,
  height,
  channels: 1,
  order: 'HWC',
  pitch: null,
  dtype: 'u8',
  offset: 0,
  ...more,
});

describe('proposed pictures', () => {
  it('know common sizes and squares', () => {
    expect(proposedImages('u8', 1920 * 1080 * 3)[0]).toMatchObject({ width: 1920, height: 1080, channels: 3 });
    expect(proposedImages('f32', 3 * 224 * 224 * 4)[0]).toMatchObject({ width: 224, height: 224, channels: 3 });
    expect(proposedImages('u8', 4096)[0]).toMatchObject({ width: 32, height: 32, channels: 4 });
  });

  it('of 100 GiB are no hair, and the beginning is one of them', () => {
    const [whole, beginning] = proposedImages('bf16', 100 * 2 ** 30 + 3);
    expect(whole).toMatchObject({ width: 262_144, height: 204_800 });
    expect(beginning).toMatchObject({ width: 4096, height: 4096 });
  });

  it('always fit', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 16, max: 2 ** 37 }),
        fc.constantFrom('u8' as const, 'f32' as const, 'u4' as const),
        (bytes, dtype) => {
          const found = proposedImages(dtype, bytes);
          expect(found.length).toBeGreaterThan(0);
          for (const one of found)
            expect(checkImage(one, bytes), JSON.stringify([bytes, one])).toMatchObject({ ok: true });
        },
      ),
    );
  });
});

describe('what is in sight of a picture', () => {
  const area = { width: 400, height: 200 };

  it('fits the whole picture in and keeps it in the middle', () => {
    expect(fitted(image(800, 200), area)).toEqual({ scale: 0.5, x: 0, y: -100 });
    expect(fitted(image(2, 2), area).scale).toBe(16);
    expect(centred({ scale: 1, x: 900, y: -4 }, image(1000, 1000), area)).toEqual({ scale: 1, x: 600, y: 0 });
  });

  it('zooms around the pointer', () => {
    const place = zoomed({ scale: 1, x: 100, y: 100 }, 2, { x: 200, y: 100 }, image(1000, 1000), area);
    expect(place).toEqual({ scale: 2, x: 200, y: 150 });
  });

  it('reads what is in sight only', () => {
    const drawing = drawingOf(image(1000, 1000), { scale: 2, x: 10, y: 20 }, area);
    expect(drawing.window).toEqual({ x: 10, y: 20, width: 200, height: 100, step: 1 });
    expect(drawing.ranges[0]?.offset).toBe(20_010);
  });

  it('reads every n-th pixel of what is larger than the screen, and 64 MiB at most', () => {
    const large = drawingOf(image(16_384, 16_384), fitted(image(16_384, 16_384), area), area);
    expect(large.window.step).toBe(81);
    expect(large.bytes).toBeLessThan(MOST_BYTES);
    const huge = image(2 ** 20, 2 ** 16, { dtype: 'f32', channels: 4 });
    const drawing = drawingOf(huge, { scale: 1 / 2048, x: 0, y: 0 }, area);
    expect(drawing.bytes).toBeLessThanOrEqual(MOST_BYTES);
    expect(drawing.window.step).toBeGreaterThan(2048);
  });

  it('never asks for a byte outside of the picture', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3000 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.double({ min: 1 / 64, max: 8, noNaN: true }),
        fc.integer({ min: 0, max: 3000 }),
        fc.integer({ min: 0, max: 3000 }),
        (width, height, scale, x, y) => {
          const layout = image(width, height, { channels: 3, order: 'CHW', dtype: 'u16', offset: 6 });
          const { ranges } = drawingOf(layout, centred({ scale, x, y }, layout, area), area);
          const end = 6 + width * height * 6;
          for (const range of ranges) {
            expect(range.offset).toBeGreaterThanOrEqual(6);
            expect(range.offset + range.length).toBeLessThanOrEqual(end);
          }
        },
      ),
    );
  });
});
