import { useEffect, useMemo, useRef, useState } from 'react';
import { formatAge, formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { useNow } from '../../../lib/clock';
import { IconButton } from '../../../ui/Button';
import { Icon } from '../../../ui/Icon';
import { Tooltip } from '../../../ui/Tooltip';
import type { MemorySession } from '../model/memory-session';
import { askSoon, mapParts, mapWords, summaryOf } from '../model/summary';
import { useSignal } from '../model/use-signal';
import { useMapKeys } from '../parts/use-map-keys';

const BAND = 26;
const ZEROS = 14;
const BAD = 14;
const HEIGHT = BAND + ZEROS + BAD + 24;

/** The whole memory from left to right: size of the values, zeros, NaN and infinities, and where the cursor is. */
export function BufferMap({ session }: { session: MemorySession }) {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const resized = new ResizeObserver(() => setWidth(element.clientWidth));
    resized.observe(element);
    return () => resized.disconnect();
  }, []);
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const summary = summaryOf(session);
  const answer = useSignal(summary.onChange, () => summary.answerTo({ dtype }));
  const asking = useSignal(summary.onChange, () => summary.isAsking({ dtype }));
  const error = useSignal(summary.onChange, () => summary.failureOf({ dtype }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another type is another map
  useEffect(() => askSoon(session), [session, dtype]);
  const at = useSignal(session.onCursor, () => session.selection.start);
  const now = useNow();
  const parts = useMemo(() => mapParts(answer?.slices ?? []), [answer]);
  const keys = useMapKeys(session, 'horizontal');
  const x = (offset: number) => (offset / session.size) * width;
  const first = parts[0];
  const words =
    answer === undefined
      ? `Map of ${formatSize(session.size)}, not made yet`
      : mapWords(parts, formatSize(session.size));
  return (
    <section className="hr whole" aria-label="Whole buffer">
      <div className="sec-h">
        <h3>Whole buffer</h3>
        <span className="dim num cut">
          {first !== undefined && `${formatSize(first.bytes)} a column, `}at {hexOffset(at)}
          {answer !== undefined &&
            `, taken ${formatAge(now - answer.takenAt) === 'now' ? 'just now' : `${formatAge(now - answer.takenAt)} ago`}`}
        </span>
        <span className="end">
          <span className="legend" aria-hidden="true">
            <span className="legend-part">
              <i className="legend-sign lg-size" />
              size of values
            </span>
            <span className="legend-part">
              <i className="legend-sign lg-zero" />
              zeros
            </span>
            <span className="legend-part">
              <i className="legend-sign lg-bad" />
              NaN, Inf
            </span>
          </span>
          <Tooltip text="Make the map again">
            <IconButton
              icon="restart"
              iconSize={14}
              label="Make the map again"
              disabled={asking || session.ended}
              onClick={() => void summary.ask({ dtype })}
            />
          </Tooltip>
        </span>
      </div>
      <div ref={box} className="whole-map" {...keys} role="slider" aria-label={words} aria-valuenow={at}>
        <svg width={width} height={HEIGHT} aria-hidden="true">
          {[0, 1, 2, 3, 4].map((level) => (
            <path
              key={level}
              className={`ramp-${level}`}
              d={parts
                .filter((part) => part.level === level)
                .map(
                  (part) =>
                    `M${x(part.offset).toFixed(2)} 0h${(x(part.bytes) + 0.4).toFixed(2)}v${BAND}h-${(x(part.bytes) + 0.4).toFixed(2)}z`,
                )
                .join('')}
            />
          ))}
          <path
            className="map-zero"
            d={parts
              .filter(({ zeroShare }) => zeroShare > 0)
              .map(
                (part) =>
                  `M${x(part.offset).toFixed(2)} ${BAND + 2 + ZEROS}v-${Math.max(1, part.zeroShare * ZEROS).toFixed(2)}h${x(part.bytes).toFixed(2)}V${BAND + 2 + ZEROS}z`,
              )
              .join('')}
          />
          <path
            className="map-bad"
            d={parts
              .filter(({ notFinite }) => notFinite)
              .map((part) => `M${x(part.offset).toFixed(2)} ${BAND + ZEROS + 5}h2v${BAD - 4}h-2z`)
              .join('')}
          />
          <path className="map-axis" d={`M0 ${BAND + ZEROS + BAD + 4.5}H${width}`} />
          {[0, 0.25, 0.5, 0.75, 1].map((place) => (
            <text
              key={place}
              x={place * width}
              y={HEIGHT - 4}
              textAnchor={place === 0 ? 'start' : place === 1 ? 'end' : 'middle'}
            >
              {place === 0 ? '0' : formatSize(place * session.size)}
            </text>
          ))}
          <path className="map-here" d={`M${x(at)} 0V${BAND + ZEROS + BAD + 4}m-4 6l4 -6 4 6z`} />
        </svg>
        {answer === undefined && !asking && (
          <span className="map-none">
            {error !== undefined ? (
              <>
                <Icon name="warn" size={14} tone="error" /> {error.message}
              </>
            ) : (
              'Not made yet: it reads the whole memory.'
            )}
          </span>
        )}
      </div>
    </section>
  );
}
