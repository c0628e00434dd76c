import './bytes.css';
import { type CSSProperties, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { HEX, offsetChars } from '../../../lib/bytes-format';
import { useMedia } from '../../../lib/media';
import { useSettings } from '../../../lib/settings-store';
import { cx } from '../../../ui/cx';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { ByteGrid } from './byte-grid';
import { bytesPerRow, type RowMetrics, rowWidth } from './row-width';

/** The bytes as hex and text. React draws the frame and the header; rows and cells are drawn by ByteGrid. */
export function BytesView({ session }: ViewProps) {
  const id = useId();
  const root = useRef<HTMLDivElement>(null);
  const viewport = useRef<HTMLDivElement>(null);
  const track = useRef<HTMLDivElement>(null);
  const thumb = useRef<HTMLDivElement>(null);
  const [grid, setGrid] = useState<ByteGrid>();
  const [metrics, setMetrics] = useState<{ row: RowMetrics; rowHeight: number }>();

  const group = useSettings((settings) => settings.byteGroup);
  const choice = useSettings((settings) => settings.byteRow);
  const offsets = useSettings((settings) => settings.offsets);
  const density = useSettings((settings) => settings.density);
  const wide = useMedia('(min-width: 2200px)');
  const editing = useSignal(session.onEdits, () => session.editing);

  const digits = offsetChars(session.size, session.source.address, offsets);
  // biome-ignore lint/correctness/useExhaustiveDependencies: density and the width of the offsets change what is measured
  useLayoutEffect(() => {
    const element = root.current;
    if (element === null) return;
    const measure = () => setMetrics((before) => keepSame(before, measured(element)));
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    // The mono face may arrive after the first drawing, and it is wider than what stands in for it.
    void document.fonts.ready.then(measure);
    return () => resized.disconnect();
  }, [density, digits, wide]);

  useEffect(() => {
    if (root.current === null || viewport.current === null || track.current === null || thumb.current === null) return;
    const made = new ByteGrid(
      { root: root.current, viewport: viewport.current, track: track.current, thumb: thumb.current },
      session,
    );
    setGrid(made);
    return () => {
      setGrid(undefined);
      made.destroy();
    };
  }, [session]);

  const perRow = metrics === undefined ? undefined : bytesPerRow(choice, group, metrics.row);
  const isWide = metrics !== undefined && rowWidth(perRow ?? 16, group, metrics.row) > metrics.row.width;
  const rowHeight = metrics?.rowHeight ?? 20;
  useLayoutEffect(() => {
    if (grid === undefined || perRow === undefined) return;
    grid.configure({ bytesPerRow: perRow, group, rowHeight, offsets });
  }, [grid, perRow, group, rowHeight, offsets]);

  return (
    <div className={cx('memory', editing && 'is-editing')} data-area="memory">
      <div
        ref={root}
        id={`bytes${id}`}
        className={cx('bytes', isWide && 'is-wide')}
        role="grid"
        aria-label="Bytes"
        aria-multiselectable="true"
        aria-readonly={!editing}
        tabIndex={0}
        style={{ '--digits': digits } as CSSProperties}
      >
        <div className="brow bhead" role="row" aria-rowindex={1}>
          <span className="off" data-stays="" role="columnheader" aria-colindex={1}>
            <span className="word">{offsets === 'address' ? 'Address' : 'Offset'}</span>
          </span>
          <span className="hex" role="presentation">
            {Array.from({ length: perRow ?? 16 }, (_, i) => (
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: the index is the column
                key={i}
                className="b"
                role="columnheader"
                aria-colindex={i + 2}
                data-gap={i > 0 && i % group === 0 ? '' : undefined}
              >
                {offsets === 'decimal' ? i : HEX[i]}{' '}
              </span>
            ))}
          </span>
          <span className="txt" role="columnheader" aria-colindex={(perRow ?? 16) + 2}>
            <span className="word">Text</span>
          </span>
          <span className="b probe" aria-hidden="true" />
          <span className="probe-char" aria-hidden="true" />
        </div>
        <div ref={viewport} className="rows" role="rowgroup" />
      </div>
      <div
        ref={track}
        className="vscroll"
        role="scrollbar"
        aria-label="Position in the memory"
        aria-controls={`bytes${id}`}
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

function measured(root: HTMLElement): { row: RowMetrics; rowHeight: number } {
  const width = (selector: string) => root.querySelector(selector)?.getBoundingClientRect().width ?? 0;
  const style = getComputedStyle(root);
  const text = root.querySelector('.txt');
  const padding =
    Number.parseFloat(style.paddingLeft) + (text ? Number.parseFloat(getComputedStyle(text).marginLeft) : 0);
  return {
    row: {
      width: root.clientWidth,
      cell: width('.probe'),
      gap: 8,
      char: width('.probe-char'),
      rest: width('.off') + padding + 2,
      window: window.innerWidth,
    },
    rowHeight: Number.parseFloat(style.getPropertyValue('--byte-row-h')) || 20,
  };
}

type Measured = { row: RowMetrics; rowHeight: number };

/** The same object while nothing is different: a new one would lay the grid out again. */
const keepSame = (before: Measured | undefined, now: Measured): Measured =>
  before !== undefined && JSON.stringify(before) === JSON.stringify(now) ? before : now;
