/** Memory as a picture: elements of any type as grey, as a colour of a map, or as red, green and blue. */
import { type ByteOrder, decodeValue, type ElementValue } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { type ByteRange, coalesceRanges } from '#contract/ranges';
import { type ColormapId, colormapTable } from './colormaps';
import type { Reading } from './shape';

export interface ImageLayout {
  readonly width: number;
  readonly height: number;
  /** 1: one number for each pixel; 3: red, green, blue; 4: with alpha. */
  readonly channels: 1 | 3 | 4;
  /** `HWC`: the channels of a pixel side by side; `CHW`: one plane behind the other. */
  readonly order: 'HWC' | 'CHW';
  /** Bytes from one row to the next; null when rows follow without a gap. */
  readonly pitch: number | null;
  readonly dtype: DtypeId;
  /** Of the first pixel, in bytes. */
  readonly offset: number;
}

/** Part of a picture: every `step`-th pixel of `width` × `height` ones from (x, y) on. */
export interface ImageWindow {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly step?: number;
}

export interface ImageLook {
  /** The numbers of black and white, or of the ends of the map. What lies outside is shown as the end. */
  readonly low: number;
  readonly high: number;
  /** Of one channel; with three or four each is its own colour. */
  readonly colormap: ColormapId;
  readonly byteOrder?: ByteOrder;
  /** Shows alpha as it is; otherwise it is left out and all pixels are opaque. */
  readonly alpha?: boolean;
}

/** What no number has: red, green, blue. Unread pixels are a chequerboard of two greys. */
export const MARKS = {
  nan: [255, 0, 255],
  positiveInfinity: [255, 140, 0],
  negativeInfinity: [0, 200, 255],
  unread: [
    [96, 96, 96],
    [128, 128, 128],
  ],
} as const;

/** Bytes of one row without its gap. */
export function tightPitch({ width, channels, order, dtype }: ImageLayout): number {
  const { bytes, perUnit } = dtypes[dtype];
  return Math.ceil((width * (order === 'HWC' ? channels : 1)) / perUnit) * bytes;
}

const pitchOf = (layout: ImageLayout): number => layout.pitch ?? tightPitch(layout);
/** Bytes from one plane to the next. */
const planeOf = (layout: ImageLayout): number => pitchOf(layout) * layout.height;

/** Bytes of the picture, when it lies inside a memory of `size` bytes; if not, which row does not. */
export function checkImage(layout: ImageLayout, size: number): Reading<{ readonly bytes: number }> {
  const { width, height, pitch, order, channels, offset } = layout;
  const no = (message: string): { ok: false; message: string } => ({ ok: false, message });
  if (![width, height].every((length) => Number.isSafeInteger(length) && length >= 1 && length <= 2 ** 24)) {
    return no('Width and height are 1 to 16,777,216 pixels.');
  }
  if (!Number.isSafeInteger(offset) || offset < 0) return no('The offset must be 0 or more.');
  const tight = tightPitch(layout);
  if (pitch !== null && (!Number.isSafeInteger(pitch) || pitch < tight)) {
    return no(`A row has ${tight} bytes: the pitch cannot be less.`);
  }
  const planes = order === 'CHW' ? channels : 1;
  const bytes = planeOf(layout) * (planes - 1) + pitchOf(layout) * (height - 1) + tight;
  if (!Number.isSafeInteger(offset + bytes)) return no('The picture is larger than 2^53 bytes.');
  if (offset + bytes > size) {
    const rows = Math.max(0, Math.floor((size - offset - tight) / pitchOf(layout)) + 1);
    const fits = planes === 1 ? `; ${rows} rows fit` : '';
    return no(`The picture ends at byte ${offset + bytes}, the memory at ${size}${fits}.`);
  }
  return { ok: true, value: { bytes } };
}

/** Where a channel of a pixel lies: its byte, and of packed types which half of it. */
export function pixelPlace(layout: ImageLayout, x: number, y: number, channel = 0): { byte: number; lane: number } {
  const { bytes, perUnit } = dtypes[layout.dtype];
  const interleaved = layout.order === 'HWC';
  const element = interleaved ? x * layout.channels + channel : x;
  const unit = Math.floor(element / perUnit);
  const plane = interleaved ? 0 : channel * planeOf(layout);
  return { byte: layout.offset + plane + y * pitchOf(layout) + unit * bytes, lane: element - unit * perUnit };
}

/** The pixel that a byte belongs to, its first one where two share it; undefined beside the picture and in a gap. */
export function pixelOfByte(layout: ImageLayout, byte: number): { x: number; y: number } | undefined {
  const { bytes, perUnit } = dtypes[layout.dtype];
  const { channels, order, width, height, offset } = layout;
  const planes = order === 'CHW' ? channels : 1;
  const plane = Math.floor((byte - offset) / planeOf(layout));
  if (byte < offset || plane >= planes) return undefined;
  const within = byte - offset - plane * planeOf(layout);
  const y = Math.floor(within / pitchOf(layout));
  const element = Math.floor((within - y * pitchOf(layout)) / bytes) * perUnit;
  const x = Math.floor(order === 'HWC' ? element / channels : element);
  return x < width && y < height ? { x, y } : undefined;
}

/** What to read to show a window: a range for each row and plane, joined where they are near each other. */
export function imageRanges(layout: ImageLayout, window: ImageWindow, gap = 4096): ByteRange[] {
  const { x, y, width, height, step } = inside(layout, window);
  if (width <= 0 || height <= 0) return [];
  const { bytes } = dtypes[layout.dtype];
  const ranges: ByteRange[] = [];
  const planes = layout.order === 'CHW' ? layout.channels : 1;
  const last = layout.order === 'HWC' ? layout.channels - 1 : 0;
  for (let plane = 0; plane < planes; plane++) {
    for (let row = y; row < y + height; row += step) {
      const offset = pixelPlace(layout, x, row, plane).byte;
      const end = pixelPlace(layout, x + width - 1, row, planes > 1 ? plane : last).byte + bytes;
      ranges.push({ offset, length: end - offset });
    }
  }
  return coalesceRanges(ranges, gap);
}

function inside(layout: ImageLayout, window: ImageWindow): Required<ImageWindow> {
  const x = Math.max(0, window.x);
  const y = Math.max(0, window.y);
  return {
    x,
    y,
    width: Math.min(layout.width, window.x + window.width) - x,
    height: Math.min(layout.height, window.y + window.height) - y,
    step: Math.max(1, Math.floor(window.step ?? 1)),
  };
}

/** The element at `byte` of the memory, in the half `lane` of it; undefined when it was not read. */
export type ElementReader = (byte: number, lane: number) => ElementValue | undefined;

/** Reads elements out of bytes that begin at `start` of the memory. `known` says of a byte of the memory whether it was read. */
export function elementReader(
  bytes: Uint8Array,
  dtype: DtypeId,
  byteOrder: ByteOrder = 'little',
  start = 0,
  known?: (byte: number) => boolean,
): ElementReader {
  const size = dtypes[dtype].bytes;
  return (byte, lane) => {
    const at = byte - start;
    if (at < 0 || at + size > bytes.length) return undefined;
    if (known !== undefined) for (let i = 0; i < size; i++) if (!known(byte + i)) return undefined;
    return decodeValue(bytes, at, dtype, byteOrder, lane);
  };
}

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Red, green, blue and alpha of each pixel, row by row: the data of an ImageData. */
  readonly data: Uint8ClampedArray<ArrayBuffer>;
}

/** The pixels of a window. */
export function imagePixels(read: ElementReader, layout: ImageLayout, window: ImageWindow, look: ImageLook): Pixels {
  const { x, y, width, height, step } = inside(layout, window);
  const columns = Math.max(0, Math.ceil(width / step));
  const rows = Math.max(0, Math.ceil(height / step));
  const data = new Uint8ClampedArray(columns * rows * 4);
  const colors = colormapTable(look.colormap);
  const { channels } = layout;
  const scale = look.high > look.low ? 1 / (look.high - look.low) : 0;
  const level = (value: number): number => (scale === 0 ? 0.5 : Math.min(1, Math.max(0, (value - look.low) * scale)));
  const channelValues: number[] = [0, 0, 0, 0];
  let to = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++, to += 4) {
      const mark = readPixel(read, layout, x + column * step, y + row * step, channelValues);
      data[to + 3] = 255;
      if (mark !== undefined) {
        const color = mark === 'unread' ? MARKS.unread[(row + column) % 2 === 0 ? 0 : 1] : MARKS[mark];
        data.set(color as readonly number[], to);
      } else if (channels === 1) {
        const index = Math.round(level(channelValues[0] as number) * 255) * 3;
        data[to] = colors[index] as number;
        data[to + 1] = colors[index + 1] as number;
        data[to + 2] = colors[index + 2] as number;
      } else {
        for (let channel = 0; channel < 3; channel++)
          data[to + channel] = level(channelValues[channel] as number) * 255;
        if (channels === 4 && look.alpha === true) data[to + 3] = level(channelValues[3] as number) * 255;
      }
    }
  }
  return { width: columns, height: rows, data };
}

/** Puts the channels of a pixel into `into`; answers how it is marked when one of them is no number. */
function readPixel(
  read: ElementReader,
  layout: ImageLayout,
  x: number,
  y: number,
  into: number[],
): 'unread' | 'nan' | 'positiveInfinity' | 'negativeInfinity' | undefined {
  for (let channel = 0; channel < layout.channels; channel++) {
    const { byte, lane } = pixelPlace(layout, x, y, channel);
    const element = read(byte, lane);
    if (element === undefined) return 'unread';
    const value = magnitude(element);
    if (Number.isNaN(value)) return 'nan';
    if (value === Number.POSITIVE_INFINITY) return 'positiveInfinity';
    if (value === Number.NEGATIVE_INFINITY) return 'negativeInfinity';
    into[channel] = value;
  }
  return undefined;
}

/** A value as one number: of a complex number its absolute value. */
export const magnitude = (value: ElementValue): number =>
  typeof value === 'object' ? Math.hypot(value.real, value.imaginary) : Number(value);

/**
 * The range of numbers to show: from the least to the greatest, or from the 1st to the 99th percentile (nearest rank), so
 * that a few outliers do not make all others look alike. NaN and infinities do not count; without any number 0 to 1.
 */
export function fitRange(values: Iterable<number>, by: 'extremes' | 'percentiles'): { low: number; high: number } {
  const finite = Float64Array.from([...values].filter((value) => Number.isFinite(value)));
  if (finite.length === 0) return { low: 0, high: 1 };
  finite.sort();
  const rank = (percent: number): number =>
    finite[Math.min(finite.length - 1, Math.max(0, Math.ceil((percent / 100) * finite.length) - 1))] as number;
  const [low, high] = by === 'extremes' ? [finite[0] as number, finite.at(-1) as number] : [rank(1), rank(99)];
  return low === high ? { low: low - 0.5, high: high + 0.5 } : { low, high };
}
