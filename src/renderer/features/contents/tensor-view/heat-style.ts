import type { CSSProperties } from 'react';
import { type ColormapId, colormapTable } from '#contract/tensor/colormaps';

/** A number's colour between the ends of a range, with text that can be read on it. */
export function heatStyle(
  value: number,
  { low, high }: { readonly low: number; readonly high: number },
  colormap: ColormapId,
): CSSProperties {
  const at = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
  const index = Math.round(at * 255) * 3;
  const [red = 0, green = 0, blue = 0] = colormapTable(colormap).subarray(index, index + 3);
  return {
    backgroundColor: `rgb(${red} ${green} ${blue})`,
    color: luminance(red, green, blue) > 0.179 ? '#000' : '#fff',
  };
}

/** As WCAG counts it: black and white are equally legible on 0.179. */
function luminance(...channels: readonly [number, number, number]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
