import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import type { Statistics } from '#contract/calls/contents';
import type { DtypeId } from '#contract/dtypes';
import { Segmented } from '../../../ui/Segmented';
import { remember, useRemembered } from '../model/remembered';
import { scaleOf, shortNumber } from '../tensor-view/plot';
import { binAt, countAxis, valueAxis } from './histogram-scale';
import { statisticsSettings } from './statistics';
import { binWords, histogramWords } from './statistics-words';

export interface HistogramProps {
  readonly statistics: Statistics | undefined;
  readonly dtype: DtypeId;
  /** Enter on a bin: to the next value in it. */
  readonly onGo: (min: number | string, max: number | string) => void;
}

const LEFT = 40;
const TOP = 36;
const BOTTOM = 22;
const HEIGHT = 180;

/** How the values are spread. Arrows or the pointer read a bin; Enter goes to its next value. */
export function Histogram({ statistics, dtype, onGo }: HistogramProps) {
  const { log } = useRemembered('statistics', statisticsSettings);
  return (
    <section className="histogram" aria-label="Histogram">
      <div className="sec-h">
        <h3>Histogram</h3>
        {statistics?.std != null && <span className="dim">shaded: one standard deviation</span>}
        <span className="end">
          <Segmented<'linear' | 'log'>
            label="Scale of the counts"
            value={log ? 'log' : 'linear'}
            options={[
              { value: 'linear', label: 'Linear' },
              { value: 'log', label: 'Log' },
            ]}
            onChange={(next) => remember('statistics', { log: next === 'log' })}
          />
        </span>
      </div>
      {statistics === undefined || statistics.histogram.counts.every((held) => held === 0) ? (
        <p className="no-histogram dim" data-entry tabIndex={-1}>
          {statistics === undefined ? '' : 'No finite values: nothing to draw.'}
        </p>
      ) : (
        <Bars statistics={statistics} dtype={dtype} log={log} onGo={onGo} />
      )}
    </section>
  );
}

function Bars({ statistics, dtype, log, onGo }: HistogramProps & { statistics: Statistics; log: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [bin, setBin] = useState<number>();
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const resized = new ResizeObserver(() => setWidth(element.clientWidth));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);

  const { counts, edges } = statistics.histogram;
  const most = Math.max(...counts);
  const shown = bin === undefined || bin >= counts.length ? undefined : bin;
  const axis = countAxis(most, log);
  const inner = Math.max(0, width - LEFT);
  const step = inner / counts.length;
  const low = Number(edges[0]);
  const high = Number(edges.at(-1));
  const values = valueAxis(edges.map(Number));
  const x = (value: number) => LEFT + values.place(value) * inner;
  const base = HEIGHT - BOTTOM;
  const room = base - TOP;
  const ticks = scaleOf(values.low, values.high, Math.max(2, Math.floor(inner / 120))).ticks.filter(
    (at) => at >= values.low && at <= values.high,
  );
  const words = shown === undefined ? undefined : binWords(statistics.histogram, shown, dtype);
  const { mean, std } = statistics;

  const point = (event: PointerEvent) => {
    const area = event.currentTarget.getBoundingClientRect();
    setBin(binAt((event.clientX - area.left - LEFT) / inner, counts.length));
  };
  const press = (event: KeyboardEvent) => {
    const last = counts.length - 1;
    const at = shown ?? -1;
    if (event.key === 'Enter' && shown !== undefined) {
      onGo(edges[shown] ?? 0, edges[shown + 1] ?? 0);
    } else {
      const to = {
        ArrowRight: at + 1,
        ArrowUp: at + 1,
        ArrowLeft: at < 0 ? last : at - 1,
        ArrowDown: at < 0 ? last : at - 1,
        PageUp: at + 10,
        PageDown: at - 10,
        Home: 0,
        End: last,
      }[event.key];
      if (to === undefined) return;
      setBin(Math.min(last, Math.max(0, to)));
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const middle = shown === undefined ? 0 : LEFT + (shown + 0.5) * step;
  const half = 90;
  return (
    <div
      ref={box}
      className="bars"
      data-entry
      role="slider"
      tabIndex={0}
      aria-label={histogramWords(statistics, dtype)}
      aria-valuemin={1}
      aria-valuemax={counts.length}
      aria-valuenow={(shown ?? 0) + 1}
      aria-valuetext={
        words === undefined ? `${counts.length} bins` : `Bin ${(shown ?? 0) + 1}, ${words.edges}: ${words.count}`
      }
      onPointerMove={point}
      onPointerLeave={() => setBin(undefined)}
      onKeyDown={press}
    >
      <svg width={width} height={HEIGHT} aria-hidden="true">
        {mean !== null && std !== null && std > 0 && (
          <rect
            className="bars-std"
            x={x(Math.max(low, mean - std))}
            width={Math.max(1, x(Math.min(high, mean + std)) - x(Math.max(low, mean - std)))}
            y={TOP}
            height={room}
          />
        )}
        {axis.ticks.map(({ at, text }) => (
          <g key={text}>
            <path className="bars-line" d={`M${LEFT} ${base - at * room}H${width}`} />
            <text x={LEFT - 6} y={base - at * room + 4} textAnchor="end">
              {text}
            </text>
          </g>
        ))}
        {counts.map((held, i) => {
          const height = axis.height(held) * room;
          return (
            <rect
              // biome-ignore lint/suspicious/noArrayIndexKey: the index is the bin
              key={i}
              className={i === shown ? 'bin on' : 'bin'}
              x={LEFT + i * step}
              width={Math.max(0.5, step - (step > 3 ? 1 : 0))}
              y={base - height}
              height={height}
            />
          );
        })}
        <path className="bars-axis" d={`M${LEFT} ${base}H${width}`} />
        {values.breaks.first && <path className="bars-axis" d={`M${LEFT + step - 3} ${base + 4}l3 -8m0 8l3 -8`} />}
        {values.breaks.last && <path className="bars-axis" d={`M${width - step - 3} ${base + 4}l3 -8m0 8l3 -8`} />}
        {ticks.map((at) => (
          <g key={at}>
            <path className="bars-axis" d={`M${x(at)} ${base}v4`} />
            <text
              x={x(at)}
              y={HEIGHT - 4}
              textAnchor={x(at) > width - 30 ? 'end' : x(at) < LEFT + 20 ? 'start' : 'middle'}
            >
              {shortNumber(at)}
            </text>
          </g>
        ))}
        {mean !== null && (
          <>
            <path className="bars-mean" d={`M${x(mean)} ${TOP - 6}V${base}`} />
            <text
              x={x(mean) > width - 40 ? x(mean) - 5 : x(mean) + 5}
              y={TOP - 2}
              textAnchor={x(mean) > width - 40 ? 'end' : 'start'}
            >
              mean
            </text>
          </>
        )}
        {words !== undefined && shown !== undefined && (
          <g
            className="bars-read"
            transform={`translate(${Math.min(Math.max(middle, LEFT + half), Math.max(LEFT + half, width - half))} 0)`}
          >
            <text className="strong" y={12} textAnchor="middle">
              {words.edges}
            </text>
            <text y={26} textAnchor="middle">
              {words.count}
            </text>
          </g>
        )}
        {shown !== undefined && (
          <path className="bars-pin" d={`M${middle} 30V${base - axis.height(counts[shown] ?? 0) * room}`} />
        )}
      </svg>
    </div>
  );
}
