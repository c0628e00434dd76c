/** Where windows were: kept beside the settings, since windows set it and people do not. */
import * as v from 'valibot';

const coordinate = v.pipe(v.number(), v.integer(), v.minValue(-100_000), v.maxValue(100_000));
const extent = v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(100_000));

export const boundsSchema = v.object({ x: coordinate, y: coordinate, width: extent, height: extent });
export type Bounds = v.InferOutput<typeof boundsSchema>;

export const windowBoundsSchema = v.object({
  inspector: v.optional(boundsSchema),
  maximized: v.optional(v.boolean(), false),
});

/** True when enough of a window's title lies on a screen that it can be seen and dragged. */
export function isReachable(bounds: Bounds, screens: readonly Bounds[]): boolean {
  return screens.some((screen) => {
    const visible = Math.min(bounds.x + bounds.width, screen.x + screen.width) - Math.max(bounds.x, screen.x);
    return visible >= 120 && bounds.y >= screen.y && bounds.y <= screen.y + screen.height - 40;
  });
}
