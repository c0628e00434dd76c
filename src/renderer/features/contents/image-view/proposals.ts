/** Pictures that a memory may hold, judged by its size alone. */
import { type DtypeId, elementsInBytes } from '#contract/dtypes';
import type { ImageLayout } from '#contract/tensor/image';

/** Common sizes of frames, and of inputs of networks. */
const COMMON: readonly (readonly [number, number])[] = [
  [3840, 2160],
  [2560, 1440],
  [1920, 1080],
  [1280, 720],
  [1024, 768],
  [640, 480],
  [640, 360],
  [336, 336],
  [320, 240],
  [299, 299],
  [224, 224],
];

/** Pixels each way, beyond which a picture of the whole memory is accompanied by one of its beginning. */
const NEAR = 4096;

/** The best guess first: exact common sizes, exact squares, then as near to a square as the elements go. */
export function proposedImages(dtype: DtypeId, bytes: number): ImageLayout[] {
  const elements = elementsInBytes(bytes, dtype);
  const found: ImageLayout[] = [];
  const add = (width: number, height: number, channels: 1 | 3 | 4, order: 'HWC' | 'CHW' = 'HWC') =>
    found.push({ width, height, channels, order, pitch: null, dtype, offset: 0 });
  // Bytes are likely to be colours, other numbers one channel.
  for (const channels of dtype === 'u8' ? ([3, 4, 1] as const) : ([3, 1, 4] as const)) {
    for (const [width, height] of COMMON) if (width * height * channels === elements) add(width, height, channels);
    const side = Math.sqrt(elements / channels);
    if (Number.isInteger(side) && side > 1 && !found.some(({ width }) => width === side)) add(side, side, channels);
  }
  const [first] = found;
  if (first !== undefined && first.channels > 1) add(first.width, first.height, first.channels, 'CHW');
  if (elements > 0 && !found.some(({ channels }) => channels === 1)) {
    const width = 2 ** Math.max(0, Math.round(Math.log2(Math.sqrt(elements))));
    const height = Math.min(2 ** 24, Math.max(1, Math.floor(elements / width)));
    add(Math.min(width, elements), height, 1);
    // Of large memory the beginning, in which single pixels can be told apart.
    if (width > NEAR) add(NEAR, NEAR, 1);
  }
  return found;
}
