/** Where something is found in a range. */
import { offsetBy } from '#native/cuda/index';
import { invalid } from '../problems';
import type { KernelDevice } from './device';
import { bitsOfKey, type Elements, elementsOf, firstKey, keyRange, valueOfKey, zeroKeys } from './elements';
import { EXTRA_AT, positionsOf, type Scan, scan } from './scan';
import type { ElementValue, Job, MemoryRange, SearchOptions, SearchQuery, SearchResult } from './types';

const MOST_PATTERN_BYTES = 64;

/** Both ends included. */
export interface KeyInterval {
  readonly low: bigint;
  readonly high: bigint;
}

export async function search(
  device: KernelDevice,
  range: MemoryRange,
  { query, from = 0, to = range.bytes, limit, backwards = false }: SearchOptions,
  job: Job,
): Promise<SearchResult> {
  const start = Math.max(0, from);
  const bytes = Math.min(range.bytes, to) - start;
  if (bytes <= 0) return { hits: [], done: true };
  return device.withLane(async (lane) => {
    const memory = offsetBy(range.pointer, start);
    let what: Scan | undefined;
    let every = 1;
    if ('pattern' in query) {
      const { pattern, masks } = query;
      every = query.every ?? 1;
      if (pattern.length < 1 || pattern.length > MOST_PATTERN_BYTES) throw invalid('A pattern has 1 to 64 bytes.');
      if (pattern.length > bytes) return { hits: [], done: true };
      const wanted = lane.host.subarray(EXTRA_AT, EXTRA_AT + 2 * MOST_PATTERN_BYTES).fill(0);
      wanted.set(pattern.map((byte) => byte ?? 0));
      wanted.set(
        pattern.map((byte, i) => (byte === null ? 0 : (masks?.[i] ?? 0xff))),
        MOST_PATTERN_BYTES,
      );
      await device.step(lane, job, `${range.label}, pattern of ${pattern.length} B`, () =>
        device.upload(lane, EXTRA_AT, 2 * MOST_PATTERN_BYTES),
      );
      what = {
        kernel: 'search_pattern',
        bits: 8,
        positions: bytes - pattern.length + 1,
        label: range.label,
        argumentsFrom: (offset, positions) => [
          offsetBy(memory, offset),
          Math.min(bytes - offset, positions + pattern.length - 1),
          positions,
          offsetBy(lane.memory, EXTRA_AT),
          pattern.length,
        ],
      };
    } else {
      what = valueScan(query, range.label, memory, bytes);
    }
    if (!what || what.positions === 0) return { hits: [], done: true };
    const { bits } = what;
    const hits: number[] = [];
    let done = true;
    await scan(device, lane, job, what, { backwards, countAll: false }, (group) => {
      const positions = backwards ? [...positionsOf(group)].reverse() : positionsOf(group);
      for (const position of positions) {
        // Of bytes that are a value only those count that lie where a value may.
        if (position % every !== 0) continue;
        const offset = start + Math.floor((position * bits) / 8);
        if (hits.at(-1) === offset) continue;
        if (hits.length === limit) {
          done = false;
          return false;
        }
        hits.push(offset);
      }
      return true;
    });
    return { hits: backwards ? hits.reverse() : hits, done };
  });
}

function valueScan(
  query: Exclude<SearchQuery, { pattern: unknown }>,
  label: string,
  memory: Parameters<typeof offsetBy>[0],
  bytes: number,
): Scan | undefined {
  const elements = elementsOf(query.dtype);
  const intervals = intervalsOf(elements, query);
  const [first, second = first] = intervals;
  if (!first || !second) return undefined;
  return {
    kernel: `search_values_${elements.bits}`,
    bits: elements.bits,
    positions: Math.floor((bytes * 8) / elements.bits),
    label,
    argumentsFrom: (offset, positions) => [
      offsetBy(memory, offset),
      positions,
      // A truth value is any byte that is not 0: bytes in their own order.
      elements.order,
      first.low,
      first.high - first.low,
      second.low,
      second.high - second.low,
    ],
  };
}

/** What is looked for as intervals of keys: none, one or two. */
export function intervalsOf(elements: Elements, query: Exclude<SearchQuery, { pattern: unknown }>): KeyInterval[] {
  const ordered = keyRange(elements, 'ordered');
  const last = (1n << BigInt(elements.bits)) - 1n;
  const isFloat = elements.largest !== undefined;
  if ('is' in query) {
    if (!isFloat || (query.is === 'inf' && !elements.infinite)) return [];
    if (query.is === 'inf') {
      return [
        { low: ordered.low, high: ordered.low },
        { low: ordered.high, high: ordered.high },
      ];
    }
    return [
      { low: 0n, high: ordered.low - 1n },
      { low: ordered.high + 1n, high: last },
    ];
  }
  if ('min' in query) return between(elements, query.min, query.max);
  if (typeof query.value === 'number' && Number.isNaN(query.value))
    return intervalsOf(elements, { dtype: query.dtype, is: 'nan' });
  if (!isFloat) return between(elements, query.value, query.value);
  const value = nearestValue(elements, Number(query.value));
  return value === undefined ? [] : between(elements, value, value);
}

function between(elements: Elements, min: ElementValue, max: ElementValue): KeyInterval[] {
  const ordered = keyRange(elements, 'ordered');
  const low = firstKey(ordered.low, ordered.high, (key) => valueOfKey(elements, key) >= min);
  const high = firstKey(ordered.low, ordered.high, (key) => valueOfKey(elements, key) > max) - 1n;
  return low <= high ? [{ low, high }] : [];
}

/** A number rounded to a float type, ties to even; undefined when it is finite and beyond the type. */
function nearestValue(elements: Elements, wanted: number): number | undefined {
  const finite = keyRange(elements, 'finite');
  if (!Number.isFinite(wanted)) return elements.infinite ? wanted : undefined;
  if (wanted === 0) return 0;
  const above = firstKey(finite.low, finite.high, (key) => valueOfKey(elements, key) >= wanted);
  if (above > finite.high) return undefined;
  const upper = Number(valueOfKey(elements, above));
  if (upper === wanted) return upper;
  if (above === finite.low) return undefined;
  let below = above - 1n;
  // -0 and 0 are one value.
  if (below === zeroKeys(elements).low && wanted > 0) below = zeroKeys(elements).high;
  const lower = Number(valueOfKey(elements, below));
  const toUpper = upper - wanted;
  const toLower = wanted - lower;
  if (toUpper !== toLower) return toUpper < toLower ? upper : lower;
  return (bitsOfKey(elements, above) & 1n) === 0n ? upper : lower;
}
