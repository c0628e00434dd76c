import { useEffect, useState } from 'react';
import { type ByteOrder, valueText } from '#contract/decode-values';
import { dtypeIds, dtypes, isInteger } from '#contract/dtypes';
import { formatCount } from '#contract/units';
import { act } from '../../../lib/act';
import { hexOffset, hexText } from '../../../lib/bytes-format';
import { copyText } from '../../../lib/clipboard';
import { cx } from '../../../ui/cx';
import { Segmented } from '../../../ui/Segmented';
import type { MemorySession } from '../model/memory-session';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';

/** The pointer rests this long before its byte is shown instead of the cursor's. */
const HOVER_MS = 150;
/** Bytes of the longest type, and how many of them are written out above the values. */
const LONGEST = 16;
const WRITTEN = 8;

/** The bytes under the cursor in all types; under the pointer, while it rests somewhere. */
export function ValueCard({ session }: ViewProps) {
  const hover = useRestingHover(session);
  const cursor = useSignal(session.onCursor, () => session.cursor.cursor);
  const offset = hover ?? cursor;
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  // A string is the same while the bytes are the same: the card is drawn again only when it says something else.
  useSignal(session.onValues, () => hexText(bytesAt(session, offset)));
  useSignal(session.onEdits, () => hexText(bytesAt(session, offset)));
  const stale = useSignal(session.onStatus, () => session.stale);
  const bytes = bytesAt(session, offset);
  return (
    <section
      className={cx('card', stale && 'is-stale')}
      aria-label={hover === undefined ? 'Value under the cursor' : 'Value under the pointer'}
    >
      <div className="card-h">
        <span className="grow cut mono num">{hexOffset(offset)}</span>
        <Segmented<ByteOrder>
          label="Byte order"
          size="tiny"
          value={order}
          options={[
            { value: 'little', label: 'LE' },
            { value: 'big', label: 'BE' },
          ]}
          onChange={(next) => session.setOrder(next)}
        />
      </div>
      <p className="card-s mono cut">{bytes.length === 0 ? 'not read' : hexText(bytes.subarray(0, WRITTEN))}</p>
      <dl className="vals">
        {dtypeIds.map((id) => {
          const text = valueText(bytes, 0, id, order);
          const on = id === dtype;
          return [
            <dt key={`${id} t`} className={cx(on && 'on')}>
              {id}
            </dt>,
            <dd key={`${id} v`} className={cx(on && 'on')}>
              {text === undefined ? (
                <span className="dim">{bytes.length === 0 ? '' : `needs ${dtypes[id].bytes} bytes`}</span>
              ) : (
                <button
                  type="button"
                  tabIndex={-1}
                  className="val cut"
                  title={`Copy ${text}`}
                  aria-label={`Copy ${text}, ${dtypes[id].name}`}
                  onClick={() => void act('Copy the value', () => copyText(text), `${text} is copied`)}
                >
                  {/^-?\d{1,15}$/.test(text) && isInteger(id) ? formatCount(BigInt(text)) : text}
                </button>
              )}
            </dd>,
          ];
        })}
      </dl>
    </section>
  );
}

/** Up to sixteen bytes from an offset on, with what was typed and not written yet in its place. */
export function bytesAt(session: MemorySession, offset: number): Uint8Array {
  const { mirror, edits } = session;
  const known = mirror.bytesFrom(offset, LONGEST);
  if (edits.count === 0) return known;
  const bytes: number[] = [];
  for (let i = 0; i < LONGEST && offset + i < session.size; i++) {
    const byte = edits.at(offset + i) ?? known[i];
    if (byte === undefined) break;
    bytes.push(byte);
  }
  return Uint8Array.from(bytes);
}

function useRestingHover(session: MemorySession): number | undefined {
  const hover = useSignal(session.onHover, () => session.hover);
  const [rested, setRested] = useState<number>();
  useEffect(() => {
    if (hover === undefined) {
      setRested(undefined);
      return;
    }
    const timer = setTimeout(() => setRested(hover), HOVER_MS);
    return () => clearTimeout(timer);
  }, [hover]);
  return rested;
}
