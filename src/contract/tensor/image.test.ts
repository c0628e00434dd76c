import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeValue } from '#contract/decode-values';
import { dtypeIds, dtypes } from '#contract/dtypes';
import { type ColormapId, colormaps, colormapTable } from './colormaps';
import {
  checkImage,
  elementReader,
  fitRange,
  type ImageLayout,
  imagePixels,
  imageRanges,
  MARKS,
  pixelOfByte,
  pixelPlace,
  tightPitch,
} from './image';

/** CIE lightness L* of an sRGB colour. */
function lightness(colors: Uint8Array, index: number): number {
  const [r, g, b] = [0, 1, 2].map((channel) => {
    const level = (colors[index * 3 + channel] as number) / 255;
    return level <= 0.04045 ? level / 12.92 : ((level + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return y > 0.008856 ? 116 * Math.cbrt(y) - 16 : 903.3 * y;
}

describe('colour maps', () => {
  it.each(colormaps.map(({ id }) => id).filter((id) => id !== 'red-blue'))(
    '%s rises in lightness all the way',
    (id) => {
      const colors = colormapTable(id);
      // Rounded to 256 levels one step may be a little darker; eight never are.
      for (let i = 1; i < 256; i++) expect(lightness(colors, i)).toBeGreaterThan(lightness(colors, i - 1) - 0.25);
      for (let i = 8; i < 256; i++) expect(lightness(colors, i)).toBeGreaterThan(lightness(colors, i - 8));
      expect(lightness(colors, 255) - lightness(colors, 0)).toBeGreaterThan(70);
    },
  );

  it('red-blue is lightest in the middle and as dark at both ends', () => {
    const colors = colormapTable('red-blue');
    for (let i = 1; i <= 127; i++) expect(lightness(colors, i)).toBeGreaterThanOrEqual(lightness(colors, i - 1));
    for (let i = 129; i < 256; i++) expect(lightness(colors, i)).toBeLessThanOrEqual(lightness(colors, i - 1));
    expect(Math.abs(lightness(colors, 0) - lightness(colors, 255))).toBeLessThan(5);
    expect([...colors.subarray(0, 3)].indexOf(Math.max(...colors.subarray(0, 3)))).toBe(2);
    expect([...colors.subarray(765)].indexOf(Math.max(...colors.subarray(765)))).toBe(0);
  });

  it('have no colour that means something else', () => {
    for (const { id } of colormaps) {
      const colors = colormapTable(id);
      for (let i = 0; i < 256; i++) {
        for (const mark of [MARKS.nan, MARKS.positiveInfinity, MARKS.negativeInfinity]) {
          const far = Math.hypot(...mark.map((level, channel) => level - (colors[i * 3 + channel] as number)));
          expect(far, `${id} ${i} ${mark}`).toBeGreaterThan(30);
        }
      }
    }
  });
});

const grey: { low: number; high: number; colormap: ColormapId } = { low: 0, high: 255, colormap: 'grey' };
const layout = (change: Partial<ImageLayout>): ImageLayout => ({
  width: 2,
  height: 2,
  channels: 1,
  order: 'HWC',
  pitch: null,
  dtype: 'u8',
  offset: 0,
  ...change,
});
const whole = { x: 0, y: 0, width: 1000, height: 1000 };

describe('pixels', () => {
  it('of one channel, with pitch, offset and byte order', () => {
    const bytes = Uint8Array.of(9, 9, 10, 20, 9, 30, 40, 9);
    const one = layout({ offset: 2, pitch: 3 });
    expect([...imagePixels(elementReader(bytes, 'u8'), one, whole, grey).data]).toEqual(
      [10, 20, 30, 40].flatMap((level) => [level, level, level, 255]),
    );
    const two = imagePixels(
      elementReader(Uint8Array.of(0, 100), 'u16', 'big'),
      layout({ width: 1, height: 1, dtype: 'u16' }),
      whole,
      grey,
    );
    expect(two.data[0]).toBe(100);
  });

  it('of three and four channels, side by side and in planes', () => {
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i * 10);
    const pixels = (change: Partial<ImageLayout>, alpha = false) => [
      ...imagePixels(elementReader(bytes, 'u8'), layout(change), whole, { ...grey, alpha }).data,
    ];
    expect(pixels({ width: 1, channels: 3 })).toEqual([0, 10, 20, 255, 30, 40, 50, 255]);
    expect(pixels({ width: 2, height: 1, channels: 3, order: 'CHW' })).toEqual([0, 20, 40, 255, 10, 30, 50, 255]);
    expect(pixels({ width: 1, height: 1, channels: 4 }, true)).toEqual([0, 10, 20, 30]);
    expect(pixels({ width: 1, height: 1, channels: 4 })).toEqual([0, 10, 20, 255]);
  });

  it('that are no numbers have marks, unread ones too', () => {
    const bytes = new Uint8Array(20);
    const numbers = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 255];
    numbers.forEach((value, i) => {
      encodeValue(bytes, i * 4, 'f32', value);
    });
    const { data } = imagePixels(
      elementReader(bytes.subarray(0, 16), 'f32'),
      layout({ width: 5, height: 1, dtype: 'f32' }),
      whole,
      grey,
    );
    expect([...data.subarray(0, 3)]).toEqual(MARKS.nan);
    expect([...data.subarray(4, 7)]).toEqual(MARKS.positiveInfinity);
    expect([...data.subarray(8, 11)]).toEqual(MARKS.negativeInfinity);
    expect([...data.subarray(12, 15)]).toEqual([255, 255, 255]);
    expect([...data.subarray(16, 19)]).toEqual(MARKS.unread[0]);
    const known = imagePixels(
      elementReader(bytes, 'f32', 'little', 0, (byte) => byte !== 13),
      layout({ width: 4, height: 1, dtype: 'f32' }),
      whole,
      grey,
    );
    expect([...known.data.subarray(12, 15)]).toEqual(MARKS.unread[1]);
  });

  it('of a window are those of the whole picture, and its ranges are all it needs', () => {
    fc.assert(
      fc.property(
        fc.record({
          width: fc.integer({ min: 1, max: 9 }),
          height: fc.integer({ min: 1, max: 9 }),
          channels: fc.constantFrom(1 as const, 3 as const, 4 as const),
          order: fc.constantFrom('HWC' as const, 'CHW' as const),
          dtype: fc.constantFrom(...dtypeIds),
          offset: fc.nat({ max: 20 }),
        }),
        fc.record({
          x: fc.nat({ max: 8 }),
          y: fc.nat({ max: 8 }),
          width: fc.nat({ max: 9 }),
          height: fc.nat({ max: 9 }),
          step: fc.integer({ min: 1, max: 3 }),
        }),
        fc.nat({ max: 7 }),
        fc.infiniteStream(fc.nat({ max: 255 })),
        (shape, window, spare, stream) => {
          const picture: ImageLayout = { ...shape, pitch: null };
          const pitched = { ...picture, pitch: spare === 0 ? null : shape.width * 64 + spare * 16 };
          const size = checkImage(pitched, Number.MAX_SAFE_INTEGER);
          if (!size.ok) throw new Error(size.message);
          const end = picture.offset + size.value.bytes;
          expect(checkImage(pitched, end).ok).toBe(true);
          expect(checkImage(pitched, end - 1).ok).toBe(false);
          const bytes = Uint8Array.from({ length: end }, () => stream.next().value as number);
          const look = { ...grey, low: -1, high: 2 };
          const all = imagePixels(elementReader(bytes, picture.dtype), pitched, whole, look);
          const given = imageRanges(pitched, window, 0);
          const known = (byte: number): boolean =>
            given.some(({ offset, length }) => byte >= offset && byte < offset + length);
          const part = imagePixels(elementReader(bytes, picture.dtype, 'little', 0, known), pitched, window, look);
          for (let row = 0; row < part.height; row++) {
            for (let column = 0; column < part.width; column++) {
              const from = ((window.y + row * window.step) * all.width + window.x + column * window.step) * 4;
              const to = (row * part.width + column) * 4;
              expect([...part.data.subarray(to, to + 4)]).toEqual([...all.data.subarray(from, from + 4)]);
            }
          }
          expect(pixelPlace(pitched, shape.width - 1, shape.height - 1, shape.channels - 1).byte).toBeLessThan(end);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('outside of the memory are refused, with the rows that fit', () => {
    expect(checkImage(layout({ width: 10, height: 10 }), 55)).toEqual({
      ok: false,
      message: 'The picture ends at byte 100, the memory at 55; 5 rows fit.',
    });
    expect(checkImage(layout({ width: 10, pitch: 9 }), 1000)).toMatchObject({
      message: expect.stringMatching(/10 bytes/),
    });
    expect(checkImage(layout({ width: 0 }), 1000).ok).toBe(false);
  });
});

describe('the range that fits', () => {
  it('is from the least to the greatest number, or without outliers', () => {
    const values = [...Array.from({ length: 98 }, (_, i) => i + 1), -1e6, 1e6, Number.NaN, Number.POSITIVE_INFINITY];
    expect(fitRange(values, 'extremes')).toEqual({ low: -1e6, high: 1e6 });
    expect(fitRange([...values, ...values.slice(0, 98)], 'percentiles')).toEqual({ low: 1, high: 98 });
    expect(fitRange([5, 5], 'extremes')).toEqual({ low: 4.5, high: 5.5 });
    expect(fitRange([Number.NaN], 'percentiles')).toEqual({ low: 0, high: 1 });
  });
});

describe('the pixel of a byte', () => {
  it('is the one whose channel lies there, for every layout', () => {
    const layouts = fc.record({
      width: fc.integer({ min: 1, max: 9 }),
      height: fc.integer({ min: 1, max: 9 }),
      channels: fc.constantFrom(1 as const, 3 as const, 4 as const),
      order: fc.constantFrom('HWC' as const, 'CHW' as const),
      dtype: fc.constantFrom(...dtypeIds),
      offset: fc.nat(40),
      gap: fc.nat(5),
    });
    fc.assert(
      fc.property(layouts, fc.nat(), fc.nat(), fc.nat(), fc.nat(), ({ gap, ...shape }, a, b, c, d) => {
        const tight: ImageLayout = { ...shape, pitch: null };
        const layout = { ...tight, pitch: gap === 0 ? null : tightPitch(tight) + gap };
        const [x, y, channel] = [a % shape.width, b % shape.height, c % shape.channels];
        const { bytes, perUnit } = dtypes[shape.dtype];
        const { byte } = pixelPlace(layout, x, y, channel);
        const found = pixelOfByte(layout, byte + (d % bytes));
        if (perUnit === 1) expect(found).toEqual({ x, y });
        // Two elements share the byte: it is the first of them.
        else expect(found?.y === y && found.x <= x && x - found.x <= 1).toBe(true);
        expect(pixelOfByte(layout, shape.offset - 1)).toBeUndefined();
        if (gap > 0) expect(pixelOfByte(layout, shape.offset + tightPitch(tight))).toBeUndefined();
      }),
    );
  });
});
