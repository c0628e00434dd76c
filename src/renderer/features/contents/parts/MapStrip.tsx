import './map-strip.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { formatAge, formatSize } from '#contract/units';
import { useNow } from '../../../lib/clock';
import { IconButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Menu } from '../../../ui/Menu';
import { Tooltip } from '../../../ui/Tooltip';
import { bookmarksOf } from '../model/bookmarks-of';
import { MAP_REPEATS, mapSettings } from '../model/map-settings';
import { isSoon } from '../model/pace';
import { remember, useRemembered } from '../model/remembered';
import { askSoon, endLabel, type MapPart, mapParts, mapWords, summaryOf } from '../model/summary';
import { useSignal } from '../model/use-signal';
import { searchOf } from '../search-tool/search';
import type { ViewProps } from '../views';
import { useMapKeys } from './use-map-keys';

/** Smaller memory is seen whole, or nearly. */
const LEAST_BYTES = 4096;
/** The frame of what is in sight is never lower, in pixels. */
const LEAST_FRAME = 5;

/** The whole memory beside its bytes, whatever its size. */
export function MapStrip({ session }: ViewProps) {
  const { on } = useRemembered('map', mapSettings);
  // It keeps its column.
  if (session.size < LEAST_BYTES) return <span />;
  if (on) return <Strip session={session} />;
  return (
    <div className="map-strip folded">
      <Tooltip text="Show the map (M)" side="left">
        <IconButton icon="back" iconSize={12} label="Show the map" onClick={() => remember('map', { on: true })} />
      </Tooltip>
    </div>
  );
}

function Strip({ session }: ViewProps) {
  const { repeat } = useRemembered('map', mapSettings);
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const ended = useSignal(session.onStatus, () => session.ended);
  const summary = summaryOf(session);
  const answer = useSignal(summary.onChange, () => summary.answerTo({ dtype }));
  const asking = useSignal(summary.onChange, () => summary.isAsking({ dtype }));
  const error = useSignal(summary.onChange, () => summary.failureOf({ dtype }));
  const now = useNow();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another type is another map
  useEffect(() => askSoon(session), [session, dtype]);
  useEffect(() => {
    if (repeat === 'request' || ended) return;
    const due = () => {
      if (repeat !== 'changes') return true;
      const { takenAt } = summary.answerTo({ dtype }) ?? {};
      return takenAt !== undefined && (session.lastChangeAt ?? 0) > takenAt && isSoon(session.size);
    };
    const period = (repeat === 'changes' ? 5 : Number(repeat)) * 1000;
    const timer = setInterval(() => {
      if (!document.hidden && summary.running === undefined && due()) void summary.ask({ dtype });
    }, period);
    return () => clearInterval(timer);
  }, [session, summary, repeat, ended, dtype]);
  const old = useSignal(session.onStatus, () => answer !== undefined && (session.lastChangeAt ?? 0) > answer.takenAt);

  const parts = useMemo(() => mapParts(answer?.slices ?? []), [answer]);
  const size = formatSize(session.size);
  const age = answer === undefined ? undefined : formatAge(now - answer.takenAt);
  const state =
    answer !== undefined
      ? `${mapWords(parts, size)}, ${old ? 'changed since it was ' : ''}taken ${age === 'now' ? 'just now' : `${age} ago`}`
      : error !== undefined
        ? `Map of ${size}: ${error.message}`
        : asking
          ? `Map of ${size}: being made`
          : `Map of ${size}: not made yet`;
  const make = () => void summary.ask({ dtype });
  const keys = useMapKeys(session, 'vertical');
  return (
    <div className={cx('map-strip', old && 'is-old')}>
      <span className="num" aria-hidden="true">
        0
      </span>
      <div
        className="map-body"
        {...keys}
        role="slider"
        aria-label={state}
        aria-valuenow={keys['aria-valuenow']}
        title={state}
      >
        <Parts session={session} parts={parts} />
        <Marks session={session} />
        <Frame session={session} />
        {answer === undefined && !asking && <span className="map-unmade" aria-hidden="true" />}
      </div>
      <span className="num" aria-hidden="true">
        {endLabel(session.size)}
      </span>
      {asking && answer === undefined ? (
        <Tooltip text="Cancel the map" side="left">
          <IconButton icon="stop" iconSize={12} label="Cancel the map" onClick={() => summary.cancel()} />
        </Tooltip>
      ) : (
        <Menu
          label="Map"
          trigger={
            <IconButton
              icon={answer === undefined ? 'restart' : 'more'}
              iconSize={12}
              label={
                answer === undefined ? 'Map: not made yet' : `Map, taken ${age === 'now' ? 'just now' : `${age} ago`}`
              }
            />
          }
          items={[
            {
              label: answer === undefined ? 'Make the map' : 'Make the map again',
              icon: 'restart',
              detail: answer === undefined ? `reads ${size}` : age === 'now' ? 'just now' : `${age} ago`,
              disabled: ended,
              onSelect: make,
            },
            'line',
            ...MAP_REPEATS.map((choice) => ({
              label: repeatWords(choice),
              checked: choice === repeat,
              onSelect: () => remember('map', { repeat: choice }),
            })),
            'line',
            { label: 'Hide the map', keys: 'M', onSelect: () => remember('map', { on: false }) },
          ]}
        />
      )}
    </div>
  );
}

const repeatWords = (choice: (typeof MAP_REPEATS)[number]): string =>
  choice === 'changes' ? 'When it changes' : choice === 'request' ? 'On request' : `Every ${choice} s`;

/** Places are drawn in thousandths of the height, so that nothing is drawn again when it changes. */
const UNITS = 1000;
const box = (x: number, y: number, width: number, height: number): string =>
  `M${x} ${y.toFixed(2)}h${width}v${height.toFixed(2)}h-${width}z`;

/** Shades for the size of the values, dots where there is nothing but zeros, notches for NaN and infinities. */
function Parts({ session, parts }: ViewProps & { parts: readonly MapPart[] }) {
  const paths = useMemo(() => {
    const y = (offset: number) => (offset / session.size) * UNITS;
    const of = (level: number) =>
      parts
        .filter((part) => part.level === level)
        .map(({ offset, bytes }) => box(0, y(offset), 28, y(bytes) + 0.5))
        .join('');
    return {
      levels: [0, 1, 2, 3, 4].map(of),
      bad: parts
        .filter(({ notFinite }) => notFinite)
        .map(({ offset, bytes }) => box(0, y(offset) + y(bytes) / 2 - 3, 10, 6))
        .join(''),
    };
  }, [session, parts]);
  return (
    <svg className="map-parts" viewBox={`0 0 28 ${UNITS}`} preserveAspectRatio="none" aria-hidden="true">
      {paths.levels.map((path, level) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the index is the level
        <path key={level} className={`ramp-${level}`} d={path} />
      ))}
      <path className="map-bad" d={paths.bad} />
    </svg>
  );
}

/** Bookmarks at the left, changes and hits at the right. */
function Marks({ session }: ViewProps) {
  const bookmarks = bookmarksOf(session);
  const marks = useSignal(bookmarks.onChange, () => bookmarks.list);
  const search = searchOf(session);
  const hits = useSignal(search.list.onChange, () => search.hits);
  const [changes, setChanges] = useState('');
  const y = (offset: number) => (offset / session.size) * UNITS;
  useEffect(() => {
    const draw = () =>
      setChanges(
        session.changedRuns
          .map(({ offset, length }) => {
            const top = (offset / session.size) * UNITS;
            return box(50, top, 6, Math.max(6, (length / session.size) * UNITS));
          })
          .join(''),
      );
    draw();
    return session.onValues.subscribe(draw);
  }, [session]);
  const hitPath = useMemo(() => {
    // As many as there is room for: a thousand hits in one place are one line.
    const rows = new Set((hits?.offsets ?? []).map((offset) => Math.round((offset / session.size) * (UNITS / 3))));
    return [...rows].map((row) => `M44 ${row * 3}h6`).join('');
  }, [hits, session]);
  return (
    <svg className="map-marks" viewBox={`0 0 58 ${UNITS}`} preserveAspectRatio="none" aria-hidden="true">
      {marks.map((mark) => (
        <path
          key={`${mark.offset} ${mark.length}`}
          className={`map-mark mark-${mark.color}`}
          d={box(4, y(mark.offset), 7, Math.max(7, y(mark.length)))}
        />
      ))}
      <path className="map-hits" d={hitPath} />
      <path className="map-changed" d={changes} />
    </svg>
  );
}

/** What is in sight. Follows scrolling without React: it moves with every frame. */
function Frame({ session }: ViewProps) {
  const frame = useRef<HTMLSpanElement>(null);
  useEffect(() => {
    const draw = () => {
      const element = frame.current;
      const seen = session.inSight;
      if (element === null) return;
      element.hidden = seen === undefined;
      if (seen === undefined) return;
      const height = Math.min(1, seen.length / session.size) * 100;
      const top = Math.min((seen.offset / session.size) * 100, 100);
      element.style.height = `max(${LEAST_FRAME}px, ${height}%)`;
      element.style.top = `min(${top}%, 100% - ${LEAST_FRAME}px)`;
    };
    draw();
    return session.onSight.subscribe(draw);
  }, [session]);
  return <span ref={frame} className="map-frame" hidden />;
}
