/**
 * The rows of a long list that are on screen. While it scrolls nothing is read from the layout, the same number of
 * elements is rendered, and none changes its place in the document: what a row shows changes, and where it lies.
 */
import { type RefObject, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

/** Where rows lie, in pixels from the first. */
export interface RowPlaces {
  readonly count: number;
  readonly height: number;
  /** Height of the lowest row that there may be: it decides how many elements are needed. */
  readonly least: number;
  /** Of row `index`; of the row after the last: the height. */
  readonly top: (index: number) => number;
  /** The row at a place. */
  readonly at: (y: number) => number;
}

export interface WindowedRow {
  readonly index: number;
  /** Names the element: a row that comes takes over that of a row that leaves. */
  readonly slot: number;
  readonly top: number;
}

export interface RowWindow {
  readonly rows: readonly WindowedRow[];
  /** How many rows fit, less one that stays in sight when a page is turned. */
  readonly page: number;
  /** Height in which rows are seen, in pixels; 0 until it is measured. */
  readonly room: number;
  /** Scrolls as little as needed to have a row in sight. */
  readonly show: (index: number) => void;
}

/** Rows beyond each edge, so that a turn of the wheel shows no gap. */
const OVERSCAN = 3;
/** After this time without scrolling the elements stand in the order of the rows again, in milliseconds. */
const REST_MS = 200;

/** Rows of one height. */
export const equalRows = (count: number, height: number): RowPlaces => ({
  count,
  height: count * height,
  least: height,
  top: (index) => index * height,
  at: (y) => Math.floor(y / height),
});

/** Rows of some lines each, all lines of one height. */
export function rowsOfLines(lines: readonly number[], lineHeight: number): RowPlaces {
  const starts = new Uint32Array(lines.length + 1);
  lines.forEach((count, index) => {
    starts[index + 1] = (starts[index] ?? 0) + count;
  });
  const start = (index: number): number => starts[index] ?? 0;
  return {
    count: lines.length,
    height: start(lines.length) * lineHeight,
    least: lineHeight,
    top: (index) => start(index) * lineHeight,
    at: (y) => {
      const line = Math.floor(y / lineHeight);
      let [low, high] = [0, lines.length];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (start(middle) <= line) low = middle;
        else high = middle - 1;
      }
      return low;
    },
  };
}

/** How many elements fill `room` pixels wherever it is scrolled to. */
export const renderedRows = ({ count, least }: RowPlaces, room: number): number =>
  Math.min(count, Math.ceil(room / least) + 1 + 2 * OVERSCAN);

/**
 * The rows to render when `row` is the first in sight.
 * @param inOrder  in the order that is read out; otherwise by element, so that none is moved
 */
export function windowedRows(places: RowPlaces, row: number, rendered: number, inOrder: boolean): WindowedRow[] {
  const first = Math.max(0, Math.min(row - OVERSCAN, places.count - rendered));
  const rows = Array.from({ length: rendered }, (_, at) => {
    const index = first + at;
    return { index, slot: index % rendered, top: places.top(index) };
  });
  return inOrder ? rows : rows.sort((a, b) => a.slot - b.slot);
}

/**
 * Follows the scroll position and the size of a scroller.
 * @param places  stays the same as long as the rows do
 * @param head    height of what covers the top of the scroller, in pixels
 */
export function useRowWindow(scroller: RefObject<HTMLElement | null>, places: RowPlaces, head = 0): RowWindow {
  const [room, setRoom] = useState(0);
  const [at, setAt] = useState({ row: 0, resting: true });
  const latest = useRef({ places, room });
  latest.current = { places, room };

  const follow = useCallback(
    (resting: boolean) => {
      const element = scroller.current;
      if (element === null) return;
      const row = latest.current.places.at(element.scrollTop);
      setAt((before) => (before.row === row ? before : { row, resting }));
    },
    [scroller],
  );

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => setRoom(Math.max(0, element.clientHeight - head));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    let rest: ReturnType<typeof setTimeout> | undefined;
    const scrolled = () => {
      // In this frame: the next one would show a gap.
      flushSync(() => follow(false));
      clearTimeout(rest);
      rest = setTimeout(() => setAt((before) => (before.resting ? before : { ...before, resting: true })), REST_MS);
    };
    element.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', scrolled);
      clearTimeout(rest);
    };
  }, [scroller, head, follow]);

  // At the same scroll position there may be another row now.
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at again because the rows have changed
  useEffect(() => follow(true), [follow, places]);

  const show = useCallback(
    (index: number) => {
      const element = scroller.current;
      if (element === null) return;
      const { places, room } = latest.current;
      const top = places.top(index);
      const least = places.top(index + 1) - room;
      if (element.scrollTop > top) element.scrollTop = top;
      else if (element.scrollTop < least) element.scrollTop = least;
      follow(false);
    },
    [scroller, follow],
  );

  const rendered = renderedRows(places, room);
  const rows = useMemo(
    () => windowedRows(places, at.row, rendered, at.resting),
    [places, at.row, rendered, at.resting],
  );
  return { rows, page: Math.max(1, Math.floor(room / places.least) - 1), room, show };
}
