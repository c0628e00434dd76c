/** The axes of a histogram, in pixels. Pure. */
import { formatCount } from '#contract/units';

export interface CountAxis {
  /** Height of a bar, 0 to 1 of the axis. Something is never drawn as nothing. */
  readonly height: (count: number) => number;
  readonly ticks: readonly { readonly at: number; readonly text: string }[];
}

const LEAST = 0.012;
const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';
const tenTo = (power: number): string =>
  power < 3 ? String(10 ** power) : `10${[...String(power)].map((digit) => SUPERSCRIPTS[Number(digit)]).join('')}`;

/** Counts from 1 up to `most` in powers of ten. */
function logAxis(most: number): CountAxis {
  const top = Math.max(1, Math.log10(most));
  const step = Math.ceil(top / 4);
  const ticks = [];
  for (let power = 0; power <= top; power += step) ticks.push({ at: power / top, text: tenTo(power) });
  return { height: (count) => (count === 0 ? 0 : Math.max(LEAST, Math.log10(count) / top)), ticks };
}

/** Counts from 0 up to `most`, evenly. */
function linearAxis(most: number): CountAxis {
  const top = Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(top));
  const step = [0.5, 1, 2, 5].map((n) => n * power).find((size) => top / size <= 4 && size >= 1) ?? power;
  const ticks = [];
  for (let count = 0; count <= top; count += Math.max(1, step))
    ticks.push({ at: count / top, text: shortCount(count) });
  return { height: (count) => (count === 0 ? 0 : Math.max(LEAST, count / top)), ticks };
}

export const countAxis = (most: number, log: boolean): CountAxis => (log ? logAxis(most) : linearAxis(most));

const UNITS = [
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e4, 'k'],
] as const;

/** `1,500`, `20 k`, `1.5 G`. */
export function shortCount(count: number): string {
  const unit = UNITS.find(([least]) => count >= least);
  if (unit === undefined) return formatCount(count);
  const [size, name] = unit;
  return `${Number((count / (name === 'k' ? 1e3 : size)).toPrecision(3))} ${name}`;
}

/** The bin under a place of the axis, 0 to 1. */
export const binAt = (place: number, bins: number): number => Math.min(bins - 1, Math.max(0, Math.floor(place * bins)));
