/** How statistics are written. */
import type { Statistics } from '#contract/calls/contents';
import { formatValue } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { formatCount } from '#contract/units';

type Value = number | string;

/** A value of a type, exact. Whole numbers in groups of three; `null` is no value. */
export function valueWords(value: Value | null, dtype: DtypeId): string {
  if (value === null) return 'none';
  if (typeof value === 'string') return formatCount(BigInt(value));
  const part = dtypes[dtype].part ?? dtype;
  return Number.isInteger(value) && Math.abs(value) < 1e15 && !Object.is(value, -0) && part !== 'bool'
    ? formatCount(value)
    : formatValue(value, part);
}

/** Twelve digits: as many as the sums are good for. */
export const meanWords = (value: number | null): string =>
  value === null ? 'none' : String(Number(value.toPrecision(12)));

/** `3.125 %`, never 0 for something and never 100 for less than all. */
export function shareWords(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %';
  if (part === whole) return '100 %';
  const share = (part / whole) * 100;
  if (share < 0.0001) return '< 0.0001 %';
  if (share > 99.99) return '> 99.99 %';
  return `${Number(share.toPrecision(4))} %`;
}

/** A bin in words: its edges and how many values it holds. The last one includes its end. */
export function binWords(
  { edges, counts }: Statistics['histogram'],
  bin: number,
  dtype: DtypeId,
): { readonly edges: string; readonly count: string } {
  const [from = 0, to = 0, held = 0] = [edges[bin], edges[bin + 1], counts[bin]];
  const one = from === to;
  return {
    edges: one ? valueWords(from, dtype) : `${edgeWords(from, dtype)} to ${edgeWords(to, dtype)}`,
    count: `${formatCount(held)} ${held === 1 ? 'value' : 'values'}`,
  };
}

/** Edges lie between values: six digits say enough. */
function edgeWords(value: Value, dtype: DtypeId): string {
  if (typeof value === 'string' || Number.isInteger(value)) return valueWords(value, dtype);
  return String(Number(value.toPrecision(6)));
}

/** A histogram in a sentence, for those who do not see it. */
export function histogramWords(statistics: Statistics, dtype: DtypeId): string {
  const { histogram, count, min, max } = statistics;
  const { counts } = histogram;
  if (counts.length === 0 || counts.every((held) => held === 0)) return 'No finite values: no histogram';
  const most = counts.indexOf(Math.max(...counts));
  const { edges, count: held } = binWords(histogram, most, dtype);
  const span = `from ${valueWords(min, dtype)} to ${valueWords(max, dtype)}`;
  return `Histogram of ${formatCount(count)} ${dtype} values ${span}. Most, ${held}, lie from ${edges}.`;
}

/** All of it as text, for the clipboard. */
export function copyWords(statistics: Statistics, dtype: DtypeId, what: string): string {
  const { count, min, max, mean, std, zeros, negatives, denormals, nans, infs, checksum } = statistics;
  const rows: readonly (readonly [string, string | number])[] = [
    ['of', what],
    ['type', dtype],
    ['taken', new Date(statistics.takenAt).toISOString()],
    ['values', count],
    ['min', min ?? 'none'],
    ['max', max ?? 'none'],
    ['mean', mean ?? 'none'],
    ['std', std ?? 'none'],
    ['zeros', zeros],
    ['negatives', negatives],
    ['denormals', denormals],
    ['nans', nans],
    ['infs', infs],
    ['checksum', checksum],
  ];
  return rows.map(([name, value]) => `${name}\t${value}`).join('\n');
}
