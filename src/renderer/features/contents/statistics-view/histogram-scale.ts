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

export interface ValueAxis {
  /** Place of a value, 0 to 1 of the axis. */
  readonly place: (value: number) => number;
  /** Values between these lie in bins of one width; what lies beyond is squeezed into the first and the last bin. */
  readonly low: number;
  readonly high: number;
  /** The first bin, the last one: it is wider than the others, and not drawn so. */
  readonly breaks: { readonly first: boolean; readonly last: boolean };
}

/** A bin is a good deal wider than its neighbours. */
const WIDER = 1.5;

/** Values along bins that are drawn with one width, whatever they have. */
export function valueAxis(edges: readonly number[]): ValueAxis {
  const bins = edges.length - 1;
  const edge = (i: number) => edges[i] ?? 0;
  const width = (i: number) => edge(i + 1) - edge(i);
  const usual = bins > 2 ? width(Math.floor(bins / 2)) : Number.POSITIVE_INFINITY;
  const first = width(0) > WIDER * usual;
  const last = width(bins - 1) > WIDER * usual;
  const place = (value: number): number => {
    let [from, to] = [0, bins - 1];
    while (from < to) {
      const middle = (from + to + 1) >> 1;
      if (edge(middle) <= value) from = middle;
      else to = middle - 1;
    }
    const share = width(from) > 0 ? (value - edge(from)) / width(from) : 0.5;
    return (from + Math.min(1, Math.max(0, share))) / bins;
  };
  return { place, low: edge(first ? 1 : 0), high: edge(last ? bins - 1 : bins), breaks: { first, last } };
}
