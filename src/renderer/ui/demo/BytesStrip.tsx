import type { ReactNode } from 'react';
import { formatAge, formatCount } from '#contract/units';
import { GLYPHS, HEX } from '../../lib/bytes-format';
import type { FollowedBytes } from '../../lib/bytes-use-follow';
import { useNow } from '../../lib/clock';
import { useSettings } from '../../lib/settings-store';
import { cx } from '../cx';

/** How many bytes the strip shows: two rows of sixteen. */
export const STRIP_BYTES = 32;
const PER_ROW = 16;
const SPACE = 0x20;
/** So many missed reads make the bytes stale. */
const MISSED = 3;

export interface BytesStripProps {
  /** Name of the buffer; `undefined` when there is none. */
  readonly label: string | undefined;
  /** Where the strip begins, and the size of the whole view. */
  readonly offset: number;
  readonly total: number;
  readonly live: FollowedBytes;
  /** Following it now: bytes that are not renewed then become stale. */
  readonly following: boolean;
  /** What will be here, while there is no buffer. */
  readonly empty: string;
  /** A control beside the name. */
  readonly action?: ReactNode;
}

/** The bytes in memory now, the same picture in both windows: what one writes the other shows. */
export function BytesStrip({ label, offset, total, live, following, empty, action }: BytesStripProps) {
  const hz = useSettings((settings) => settings.followHz);
  const now = useNow();
  const age = live.takenAt === undefined ? 0 : now - live.takenAt;
  const stale =
    live.bytes !== undefined && (!following || live.error !== undefined || age > Math.max(2500, (MISSED * 1000) / hz));
  const length = Math.min(STRIP_BYTES, total - offset);
  const rows = Array.from({ length: STRIP_BYTES / PER_ROW }, (_, row) => row * PER_ROW);
  return (
    <section className="strip" aria-label="Bytes in memory now">
      <header>
        <b>In memory now</b>
        <span className="soft num cut">
          {label === undefined ? empty : `${label}, ${where(offset, length, total)}`}
        </span>
        {action}
        <span className="grow" />
        {label !== undefined && (
          <span className={cx('num', stale ? 'stale' : 'dim')}>
            {live.error !== undefined && live.bytes === undefined
              ? 'cannot be read'
              : stale
                ? `stale, read ${age < 1000 ? 'just now' : `${formatAge(age)} ago`}`
                : `${formatRate(hz)} Hz`}
          </span>
        )}
      </header>
      <div
        className={cx('cells16', stale && 'old')}
        role="grid"
        aria-label="Bytes"
        aria-readonly="true"
        aria-colcount={PER_ROW + 1}
      >
        {rows.map((start) => (
          <div role="row" key={start} className="cells16-r">
            <span className="cells16-at" role="rowheader">
              {`0x${(offset + start).toString(16).padStart(2, '0')}`}
            </span>
            {Array.from({ length: PER_ROW }, (_, column) => (
              <Cell
                key={HEX[column]}
                live={live}
                index={start + column}
                inside={label !== undefined && start + column < length}
              />
            ))}
          </div>
        ))}
      </div>
    </section>
  );
}

/** One byte: hex and character. Not read never looks like zero; past the end there is nothing. */
function Cell({ live, index, inside }: { live: FollowedBytes; index: number; inside: boolean }) {
  const byte = inside ? live.bytes?.[index] : undefined;
  if (byte === undefined) {
    const bad = inside && live.error !== undefined;
    return (
      <div
        role="gridcell"
        className={cx('bb', inside ? (bad ? 'x' : 'u') : 'none')}
        aria-label={inside ? (bad ? 'unreadable' : 'not read') : 'no byte'}
      >
        <span>{inside ? (bad ? '??' : '··') : ''}</span>
        <i />
      </div>
    );
  }
  const stage = live.stages[index] ?? 0;
  return (
    <div role="gridcell" className={cx('bb', byte === 0 && 'z', stage === 1 && 'c1', stage > 1 && `c2 fade${stage}`)}>
      <span>{HEX[byte]}</span>
      <i>{byte === SPACE ? '␣' : GLYPHS[byte]}</i>
    </div>
  );
}

function where(offset: number, length: number, total: number): string {
  if (length >= total) return total === 1 ? 'its only byte' : `all ${formatCount(total)} bytes`;
  return offset === 0
    ? `first ${length} of ${formatCount(total)} bytes`
    : `${length} of ${formatCount(total)} bytes from 0x${offset.toString(16)}`;
}

const formatRate = (hz: number): string => (Number.isInteger(hz) ? String(hz) : hz.toFixed(1));
