import './values.css';
import { type CSSProperties, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { dtypes } from '#contract/dtypes';
import { formatCount } from '#contract/units';
import { offsetChars } from '../../../lib/bytes-format';
import { useSettings } from '../../../lib/settings-store';
import { cx } from '../../../ui/cx';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { bitsChars } from './bits';
import { valueChars, valuesPerRow } from './columns';
import { useValuesSettings } from './settings';
import { ValueGrid } from './value-grid';

/** The memory as elements of the type in use. React draws the frame; rows are drawn by ValueGrid. */
export function ValuesView({ session }: ViewProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const viewport = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const thumb = useRef<HTMLDivElement>(null);
  const [grid, setGrid] = useState<ValueGrid>();
  const [space, setSpace] = useState<{ width: number; char: number; rowHeight: number }>();
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const editing = useSignal(session.onEdits, () => session.editing);
  const offsets = useSettings((settings) => settings.offsets);
  const density = useSettings((settings) => settings.density);
  const { row: rowChoice, bits } = useValuesSettings();

  // biome-ignore lint/correctness/useExhaustiveDependencies: density changes what is measured
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const measure = () =>
      setSpace((before) => {
        const width = element.clientWidth - Number.parseFloat(getComputedStyle(element).paddingLeft);
        const char = (element.querySelector('.v-probe')?.getBoundingClientRect().width ?? 70) / 10;
        const rowHeight = Number.parseFloat(getComputedStyle(element).getPropertyValue('--byte-row-h')) || 20;
        const same = before?.width === width && before.char === char && before.rowHeight === rowHeight;
        return same ? before : { width, char, rowHeight };
      });
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    void document.fonts.ready.then(measure);
    return () => resized.disconnect();
  }, [density]);

  useEffect(() => {
    if (root.current === null || viewport.current === null || track.current === null || thumb.current === null) return;
    const made = new ValueGrid(
      { root: root.current, viewport: viewport.current, track: track.current, thumb: thumb.current },
      session,
    );
    setGrid(made);
    return () => {
      setGrid(undefined);
      made.destroy();
    };
  }, [session]);

  const { bytes, perUnit } = dtypes[dtype];
  const indexChars = Math.max(5, formatCount(Math.floor(Math.max(0, session.size - 1) / bytes) * perUnit).length);
  const placeChars = offsetChars(session.size, session.source.address, offsets);
  const chars = space === undefined ? 0 : space.width / space.char - indexChars - placeChars - 5;
  const columnChars = valueChars(dtype) + (bits ? bitsChars(dtype) : 0);
  const perRow = space === undefined ? undefined : valuesPerRow(rowChoice, chars, columnChars);
  const isWide = (perRow ?? 1) * columnChars > chars;
  const rowHeight = space?.rowHeight ?? 20;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the grid asks the session for its type
  useLayoutEffect(() => {
    if (grid === undefined || perRow === undefined) return;
    grid.configure({ perRow, rowHeight, offsets, bits });
  }, [grid, perRow, rowHeight, offsets, bits, dtype]);

  const sizes = {
    '--index': indexChars,
    '--offset': placeChars,
    '--value': columnChars,
    '--bits': bitsChars(dtype) - 1,
  } as CSSProperties;
  return (
    <div className="memory" data-area="memory">
      <div
        ref={root}
        id={`values${id}`}
        className={cx('values', isWide && 'is-wide')}
        role="grid"
        aria-label="Values"
        aria-multiselectable="true"
        aria-readonly={!editing}
        tabIndex={0}
        style={sizes}
      >
        <div className="vrow vhead" role="row" aria-rowindex={1}>
          <span className="v-index" data-stays="" role="columnheader" aria-colindex={1}>
            Index
          </span>
          <span className="v-off" data-stays="" role="columnheader" aria-colindex={2}>
            {offsets === 'address' ? 'Address' : 'Offset'}
          </span>
          {Array.from({ length: perRow ?? 1 }, (_, i) => (
            <span
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the column
              key={i}
              className="v"
              role="columnheader"
              aria-colindex={i + 3}
            >
              {perRow === 1 ? dtype : `+${i * perUnit}`}
            </span>
          ))}
          <span className="v-probe" aria-hidden="true" />
        </div>
        <div ref={viewport} className="rows" role="rowgroup" />
      </div>
      <div
        ref={track}
        className="vscroll"
        role="scrollbar"
        aria-label="Position in the memory"
        aria-controls={`values${id}`}
        aria-orientation="vertical"
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={0}
      >
        <div ref={thumb} className="vthumb" />
      </div>
    </div>
  );
}
