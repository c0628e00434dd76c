/** Which part of a picture is in sight, how large, and which of its pixels are read for it. */
import type { ByteRange } from '#contract/ranges';
import { type ImageLayout, type ImageWindow, imageRanges } from '#contract/tensor/image';

/** `scale` is pixels of the screen for one of the picture; (x, y) of the picture lies at the upper left corner. */
export interface Place {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

export interface Area {
  readonly width: number;
  readonly height: number;
}

const LEAST = 1 / 4096;
const MOST = 64;
/** Bytes of one drawing, at most. */
export const MOST_BYTES = 64 * 1024 * 1024;
/** Reads of one drawing, about: beyond, more of what lies between is read. */
const MANY_READS = 128;

/** The whole picture, as large as it fits, never larger than its own pixels by more than 16 times. */
export function fitted({ width, height }: Area, area: Area): Place {
  const scale = Math.min(16, area.width / width, area.height / height);
  return centred({ scale: Math.max(LEAST, scale), x: 0, y: 0 }, { width, height }, area);
}

/** Keeps the picture in sight: what is smaller than the area stands in its middle, what is larger covers it. */
export function centred({ scale, x, y }: Place, picture: Area, area: Area): Place {
  const along = (at: number, length: number, room: number) => {
    const shown = room / scale;
    return shown >= length ? (length - shown) / 2 : Math.min(Math.max(0, at), length - shown);
  };
  return { scale, x: along(x, picture.width, area.width), y: along(y, picture.height, area.height) };
}

/** Larger or smaller by a factor; the point of the picture at (atX, atY) of the area stays where it is. */
export function zoomed(
  place: Place,
  factor: number,
  at: { readonly x: number; readonly y: number },
  picture: Area,
  area: Area,
): Place {
  const scale = Math.min(MOST, Math.max(LEAST, place.scale * factor));
  const x = place.x + at.x / place.scale - at.x / scale;
  const y = place.y + at.y / place.scale - at.y / scale;
  return centred({ scale, x, y }, picture, area);
}

export interface Drawing {
  readonly window: Required<ImageWindow>;
  readonly ranges: readonly ByteRange[];
  readonly bytes: number;
}

/** The pixels to read: those in sight, every n-th where there are more than the screen has or than may be read. */
export function drawingOf(layout: ImageLayout, place: Place, area: Area): Drawing {
  const from = { x: Math.max(0, Math.floor(place.x)), y: Math.max(0, Math.floor(place.y)) };
  const width = Math.min(layout.width, Math.ceil(place.x + area.width / place.scale)) - from.x;
  const height = Math.min(layout.height, Math.ceil(place.y + area.height / place.scale)) - from.y;
  let step = Math.max(1, Math.floor(1 / place.scale));
  for (;;) {
    // Every n-th from a multiple of n on: moving the picture does not choose other pixels.
    const x = from.x - (from.x % step);
    const y = from.y - (from.y % step);
    const window = { x, y, width: width + from.x - x, height: height + from.y - y, step };
    const ranges = fewRanges(layout, window);
    const bytes = total(ranges);
    if (bytes <= MOST_BYTES || step >= layout.height) return { window, ranges, bytes };
    step *= 2;
  }
}

function fewRanges(layout: ImageLayout, window: ImageWindow): readonly ByteRange[] {
  let ranges: readonly ByteRange[] = imageRanges(layout, window, 4096);
  for (const gap of [64 * 1024, 1024 * 1024]) {
    if (ranges.length <= MANY_READS) break;
    const fewer = imageRanges(layout, window, gap);
    if (total(fewer) > MOST_BYTES / 4) break;
    ranges = fewer;
  }
  return ranges;
}

const total = (ranges: readonly ByteRange[]): number => ranges.reduce((sum, { length }) => sum + length, 0);
