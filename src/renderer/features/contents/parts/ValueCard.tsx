import { useEffect, useState } from 'react';
import * as v from 'valibot';
import { type ByteOrder, valueText } from '#contract/decode-values';
import { type DtypeId, dtypeIds, dtypes, isFloat, isInteger } from '#contract/dtypes';
import { act } from '../../../lib/act';
import { hexOffset, hexText } from '../../../lib/bytes-format';
import { copyText } from '../../../lib/clipboard';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { Segmented } from '../../../ui/Segmented';
import type { MemorySession } from '../model/memory-session';
import { remember, useRemembered } from '../model/remembered';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { cardText, hasTwoLines } from './card-text';
import { exactFacts } from './exact-facts';

/** In the order of the card. */
const groups: readonly { readonly name: string; readonly ids: readonly DtypeId[] }[] = [
  { name: 'Integers', ids: dtypeIds.filter((id) => isInteger(id) && dtypes[id].perUnit === 1) },
  { name: 'Floats', ids: dtypeIds.filter((id) => isFloat(id)) },
  { name: 'Others', ids: dtypeIds.filter((id) => !isFloat(id) && (!isInteger(id) || dtypes[id].perUnit > 1)) },
];

const remembered = v.object({ exact: v.optional(v.boolean(), false) });

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
      <ExactValue bytes={bytes} dtype={dtype} order={order} />
      {groups.map(({ name, ids }) => (
        <dl key={name} className="vals" aria-label={name}>
          {ids.map((id) => (
            <ValueRow key={id} id={id} bytes={bytes} order={order} on={id === dtype} />
          ))}
        </dl>
      ))}
    </section>
  );
}

/** One type: its name and what the bytes are in it. A press copies it. */
function ValueRow({ id, bytes, order, on }: { id: DtypeId; bytes: Uint8Array; order: ByteOrder; on: boolean }) {
  const text = valueText(bytes, 0, id, order);
  return (
    <>
      <dt className={cx(on && 'on', hasTwoLines(id) && 'two')}>{id}</dt>
      <dd className={cx(on && 'on', hasTwoLines(id) && 'two')}>
        {text === undefined ? (
          <span className="dim">{bytes.length === 0 ? '' : `needs ${dtypes[id].bytes} bytes`}</span>
        ) : (
          <CopyValue text={text} name={dtypes[id].name}>
            {cardText(text, id)}
          </CopyValue>
        )}
      </dd>
    </>
  );
}

function CopyValue({ text, name, children }: { text: string; name: string; children: string }) {
  return (
    <button
      type="button"
      tabIndex={-1}
      className="val cut"
      title={`Copy ${text}`}
      aria-label={`Copy ${text}, ${name}`}
      onClick={() => void act('Copy the value', () => copyText(text), `${text} is copied`)}
    >
      {children}
    </button>
  );
}

/** The bits of the value in the type in use, and the number that they are exactly; folded away until asked for. */
function ExactValue({ bytes, dtype, order }: { bytes: Uint8Array; dtype: DtypeId; order: ByteOrder }) {
  const { exact } = useRemembered('value', remembered);
  const size = dtypes[dtype].bytes;
  const facts = exact && bytes.length >= size ? exactFacts(bytes.subarray(0, size), dtype, order) : [];
  return (
    <div className="exact">
      <button
        type="button"
        className="exact-t"
        aria-expanded={exact}
        onClick={() => remember('value', { exact: !exact })}
      >
        <Icon name={exact ? 'down' : 'right'} size={12} />
        Exact {dtype}
      </button>
      {exact && (
        <dl className="exact-l">
          {facts.length === 0 && <dt className="dim">{bytes.length === 0 ? 'not read' : `needs ${size} bytes`}</dt>}
          {facts.map(({ name, text }) => (
            <div key={name}>
              <dt className="dim">{name}</dt>
              <dd className="mono selectable">{text}</dd>
            </div>
          ))}
        </dl>
      )}
    </div>
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
