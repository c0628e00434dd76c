/** What the Image view shows of a session's memory, shared by its tools and its body. */
import type { ColormapId } from '#contract/tensor/colormaps';
import { checkImage, type ImageLayout } from '#contract/tensor/image';
import type { MemorySession } from '../model/memory-session';
import { useKept } from '../model/use-kept';
import { proposedImages } from './proposals';
import type { Place } from './zoom';

export interface ImageChoice {
  /** What the fields say. */
  readonly wanted: ImageLayout;
  /** Why that is no picture in this memory; `layout` is the last one that was. */
  readonly error: string | undefined;
  readonly layout: ImageLayout | undefined;
  readonly fit: boolean;
  readonly place: Place;
  /** Automatic: from the least to the greatest number in sight, or without the outer percents. */
  readonly range: 'extremes' | 'percentiles' | 'manual';
  readonly low: number;
  readonly high: number;
  readonly colormap: ColormapId;
  readonly alpha: boolean;
  readonly pixel: { readonly x: number; readonly y: number };
}

function first(session: MemorySession): ImageChoice {
  const [wanted = emptyImage] = proposedImages(session.dtype, session.size);
  const checked = checkImage(wanted, session.size);
  return {
    wanted,
    error: checked.ok ? undefined : checked.message,
    layout: checked.ok ? wanted : undefined,
    fit: true,
    place: { scale: 1, x: 0, y: 0 },
    range: session.dtype === 'u8' ? 'manual' : 'extremes',
    low: 0,
    high: session.dtype === 'u8' ? 255 : 1,
    colormap: 'grey',
    alpha: false,
    pixel: { x: 0, y: 0 },
  };
}

const emptyImage: ImageLayout = { width: 1, height: 1, channels: 1, order: 'HWC', pitch: null, dtype: 'u8', offset: 0 };

export const useImage = (session: MemorySession) => useKept<ImageChoice>(session, 'image', first);

/** Takes over a layout. One that does not fit leaves the picture as it was, and says why. */
export function withLayout(choice: ImageChoice, change: Partial<ImageLayout>, size: number): ImageChoice {
  const wanted = { ...choice.wanted, ...change };
  const checked = checkImage(wanted, size);
  if (!checked.ok) return { ...choice, wanted, error: checked.message };
  const { x, y } = choice.pixel;
  const pixel = { x: Math.min(x, wanted.width - 1), y: Math.min(y, wanted.height - 1) };
  return { ...choice, wanted, error: undefined, layout: wanted, pixel };
}
