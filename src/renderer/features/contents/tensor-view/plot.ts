/** Drawing a line of numbers: the scale of its axis, and the path with gaps where there is no number. */

export interface Scale {
  readonly low: number;
  readonly high: number;
  readonly ticks: readonly number[];
}

/** An axis around numbers, with about `wanted` round ticks. */
export function scaleOf(low: number, high: number, wanted = 4): Scale {
  if (!(high > low)) {
    const pad = low === 0 ? 1 : Math.max(Number.MIN_VALUE, Math.abs(low) / 2);
    return scaleOf(Math.max(-Number.MAX_VALUE, low - pad), Math.min(Number.MAX_VALUE, low + pad), wanted);
  }
  const step = roundStep((high - low) / wanted);
  // At the ends of what a double can be there are no round numbers between.
  if (!Number.isFinite(step) || step < 1e-300) return { low, high, ticks: [low, high] };
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  const ticks: number[] = [];
  for (let i = first; i <= last && ticks.length < 20; i++) ticks.push(clean(i * step));
  return { low, high, ticks };
}

/** The nearest of 1, 2 and 5 times a power of ten that is not less. */
function roundStep(step: number): number {
  const power = 10 ** Math.floor(Math.log10(step));
  const rest = step / power;
  return (rest <= 1 ? 1 : rest <= 2 ? 2 : rest <= 5 ? 5 : 10) * power;
}

/** Without the dust of binary fractions: 0.30000000000000004 is 0.3. */
const clean = (value: number): number => Number(value.toPrecision(12));

/** How far up the scale a number stands: 0 at its low end, 1 at its high end. */
export function shareOf({ low, high }: Scale, value: number): number {
  const span = high - low;
  return Number.isFinite(span) ? (value - low) / span : (value / 2 - low / 2) / (high / 2 - low / 2);
}

/** The least and the greatest of the finite numbers. */
export function extent(values: ArrayLike<number>): { low: number; high: number } | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low <= high ? { low, high } : undefined;
}

/**
 * The path of a line over `width` × `height` pixels. What is no finite number leaves a gap; where there are more points
 * than pixels, each column of pixels runs from the least to the greatest of its points.
 */
export function linePath(values: ArrayLike<number>, width: number, height: number, scale: Scale): string {
  const count = values.length;
  if (count === 0 || width <= 0) return '';
  const y = (value: number) => round(height - shareOf(scale, value) * height);
  const x = (index: number) => round(count === 1 ? width / 2 : (index / (count - 1)) * width);
  const parts: string[] = [];
  let open = false;
  const put = (at: number, value: number) => {
    parts.push(`${open ? 'L' : 'M'}${at} ${y(value)}`);
    open = true;
  };
  if (count <= 2 * width) {
    for (let i = 0; i < count; i++) {
      const value = values[i] as number;
      if (!Number.isFinite(value)) open = false;
      else {
        // A number between two gaps is a point: a line of no length with a round end.
        const alone = !open && !Number.isFinite(values[i + 1] ?? Number.NaN);
        put(x(i), value);
        if (alone) parts.push('h0');
      }
    }
    return parts.join('');
  }
  for (let column = 0; column < width; column++) {
    const from = Math.floor((column * count) / width);
    const to = Math.max(from + 1, Math.floor(((column + 1) * count) / width));
    const found = extent(Array.prototype.slice.call(values, from, to) as number[]);
    if (found === undefined) open = false;
    else {
      put(column, found.low);
      if (found.high > found.low) put(column, found.high);
    }
  }
  return parts.join('');
}

const round = (value: number): number => Math.round(value * 100) / 100;

/** A number in few characters, for an axis or a caption: `0.25`, `1.5e+12`. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '∞' : '−∞';
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e6 || size < 1e-4)) return value.toExponential(3).replace(/\.?0+e/, 'e');
  return String(Number(value.toPrecision(6)));
}
