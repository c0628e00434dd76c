import { type KeyboardEvent, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { decodeValue, formatValue } from '#contract/decode-values';
import { dtypes } from '#contract/dtypes';
import { magnitude } from '#contract/tensor/image';
import { formatCount } from '#contract/units';
import { announce } from '../../../lib/announce';
import { hexOffset } from '../../../lib/bytes-format';
import { openView } from '../model/open-view';
import { useLiveRanges } from '../model/use-live-ranges';
import { useSignal } from '../model/use-signal';
import { ReadNote } from '../parts/ReadNote';
import type { ViewProps } from '../views';
import { lineSamples } from './line-samples';
import { extent, linePath, scaleOf, shareOf, shortNumber } from './plot';
import { useShow, useTensor } from './use-tensor';

const LEFT = 64;
const RIGHT = 16;
const TOP = 12;
const BOTTOM = 28;

/** A row or column of the slice as a line. Gaps are where there is no number; a cursor says what stands where. */
export function LinePlot({ session }: ViewProps) {
  const frame = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [choice, setChoice] = useTensor(session);
  const [show] = useShow(session);
  const { layout, slice, cell } = choice;
  const order = useSignal(session.onStatus, () => session.order);
  const [hover, setHover] = useState<number>();

  const across = show.line === 'row' ? cell.row : cell.column;
  const samples = useMemo(
    () => lineSamples(layout, slice, show.line, { row: across, column: across }),
    [layout, slice, show.line, across],
  );
  const live = useLiveRanges(session, 'plot', samples.ranges);
  const { dtype } = layout;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version stands for the bytes
  const values = useMemo(() => {
    const { bytes } = dtypes[dtype];
    return Float64Array.from({ length: samples.count }, (_, point) => {
      const { byte, lane } = samples.place(point);
      const found = live.find(byte, bytes);
      return found === undefined ? Number.NaN : magnitude(decodeValue(found.bytes, found.at, dtype, order, lane));
    });
  }, [samples, live, live.version, dtype, order]);

  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = () => setSize({ width: element.clientWidth, height: element.clientHeight });
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  const width = Math.max(0, size.width - LEFT - RIGHT);
  const height = Math.max(0, size.height - TOP - BOTTOM);
  const found = extent(values);
  const scale = scaleOf(found?.low ?? 0, found?.high ?? 1, Math.max(2, Math.floor(height / 40)));
  const path = useMemo(() => linePath(values, width, height, scale), [values, width, height, scale]);
  const missing = values.reduce((sum, value) => sum + (Number.isFinite(value) ? 0 : 1), 0);

  const own = Math.floor((show.line === 'row' ? cell.column : cell.row) / samples.step);
  const point = Math.min(samples.count - 1, hover ?? own);
  const textOf = (at: number) => {
    const { byte, lane } = samples.place(at);
    const known = live.find(byte, dtypes[dtype].bytes);
    return known === undefined
      ? 'not read'
      : formatValue(decodeValue(known.bytes, known.at, dtype, order, lane), dtype);
  };
  const x = (at: number) => LEFT + (samples.count <= 1 ? width / 2 : (at / (samples.count - 1)) * width);
  const y = (value: number) => TOP + height - shareOf(scale, value) * height;
  const put = (to: number) => {
    const at = Math.min(samples.count - 1, Math.max(0, to));
    const index = at * samples.step;
    setChoice((before) => ({
      ...before,
      cell: show.line === 'row' ? { ...before.cell, column: index } : { ...before.cell, row: index },
    }));
    const { byte } = samples.place(at);
    session.setCursor({ cursor: byte, anchor: byte + dtypes[dtype].bytes - 1 }, 'pointer');
    return at;
  };
  const said = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(said.current), []);
  const press = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey || event.ctrlKey) return;
    const page = Math.max(1, Math.floor(samples.count / 20));
    const to = {
      ArrowLeft: own - 1,
      ArrowRight: own + 1,
      PageDown: own + page,
      PageUp: own - page,
      Home: 0,
      End: samples.count - 1,
    }[event.key];
    if (event.key === 'Enter') {
      openView('bytes');
      session.goTo(samples.place(own).byte, dtypes[dtype].bytes);
    } else if (to !== undefined) {
      setHover(undefined);
      const at = put(to);
      clearTimeout(said.current);
      said.current = setTimeout(() => announce(`element ${formatCount(at * samples.step)}: ${textOf(at)}`), 250);
    } else return;
    event.preventDefault();
  };
  const pointAt = (clientX: number): number => {
    const area = frame.current?.getBoundingClientRect();
    if (area === undefined || width === 0) return 0;
    const share = (clientX - area.left - LEFT) / width;
    return Math.min(samples.count - 1, Math.max(0, Math.round(share * (samples.count - 1))));
  };

  const value = values[point] as number;
  const ends = [0, samples.count - 1].map((at) => formatCount(at * samples.step));
  return (
    <div className="tplot" data-area="memory">
      <div
        ref={frame}
        className="tplot-frame"
        data-entry
        tabIndex={0}
        role="slider"
        aria-label="Line of the slice"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, samples.length - 1)}
        aria-valuenow={own * samples.step}
        aria-valuetext={`element ${formatCount(own * samples.step)}: ${textOf(own)}`}
        onKeyDown={press}
        onPointerMove={(event) => setHover(pointAt(event.clientX))}
        onPointerLeave={() => setHover(undefined)}
        onPointerDown={(event) => put(pointAt(event.clientX))}
      >
        <svg width={size.width} height={size.height} aria-hidden="true">
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line className="tplot-grid" x1={LEFT} x2={LEFT + width} y1={y(tick)} y2={y(tick)} />
              <text className="tplot-t" x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
                {shortNumber(tick)}
              </text>
            </g>
          ))}
          <text className="tplot-t" x={LEFT} y={TOP + height + 18}>
            {ends[0]}
          </text>
          <text className="tplot-t" x={LEFT + width / 2} y={TOP + height + 18} textAnchor="middle">
            {show.line === 'row' ? 'column' : 'row'}
          </text>
          <text className="tplot-t" x={LEFT + width} y={TOP + height + 18} textAnchor="end">
            {ends[1]}
          </text>
          <path className="tplot-line" d={path} transform={`translate(${LEFT} ${TOP})`} />
          <line className="tplot-cursor" x1={x(point)} x2={x(point)} y1={TOP} y2={TOP + height} />
          {Number.isFinite(value) && <circle className="tplot-dot" cx={x(point)} cy={y(value)} r={3.5} />}
        </svg>
      </div>
      <p className="strip-note num tplot-say">
        <span>
          [{formatCount(point * samples.step)}] <b className="mono">{textOf(point)}</b>{' '}
          <span className="dim mono">{hexOffset(samples.place(point).byte)}</span>
        </span>
        {samples.step > 1 && (
          <span>
            Every {formatCount(samples.step)}th of {formatCount(samples.length)} elements is drawn.
          </span>
        )}
        {missing > 0 && <span>{formatCount(missing)} points are NaN, infinite or not read: gaps.</span>}
      </p>
      <ReadNote live={live} />
    </div>
  );
}
