import { valueText } from '#contract/decode-values';
import { formatCount } from '#contract/units';
import { formatOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { jumperOf } from '../model/jumper';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { bytesAt } from './ValueCard';
import { Working } from './Working';

/** What is selected, of how much, and through what the bytes are read. */
export function Foot({ session, base }: ViewProps & { base: 'hex' | 'decimal' }) {
  const start = useSignal(session.onCursor, () => session.selection.start);
  const end = useSignal(session.onCursor, () => session.selection.end);
  const stretched = useSignal(session.onCursor, () => session.isStretched);
  const cursor = useSignal(session.onCursor, () => session.cursor.cursor);
  const { source } = session;
  const length = end - start;
  return (
    <footer className="foot num">
      {stretched ? (
        <span>
          Selected{' '}
          <b>
            {formatOffset(start, base)}–{formatOffset(end - 1, base)}
          </b>
          , {count(length, 'byte')}
        </span>
      ) : (
        <span>
          At <b>{formatOffset(cursor, base)}</b>
        </span>
      )}
      <span>
        of <b>{formatCount(session.size)}</b>
      </span>
      <CursorValue session={session} />
      <Looking session={session} />
      <span className="grow" />
      <span className="cut foot-where">
        {source.importedFrom === undefined ? 'Own buffer at ' : 'Read through Inspector at '}
        <span className="mono">{source.address}</span>
      </span>
    </footer>
  );
}

/** A jump that is under way, and what came of the last one. */
function Looking({ session }: ViewProps) {
  const jumper = jumperOf(session);
  const job = useSignal(jumper.onChange, () => jumper.job);
  const said = useSignal(jumper.onChange, () => jumper.said);
  if (job !== undefined) {
    return (
      <Working job={job} onCancel={() => jumper.cancel()}>
        Looking…
      </Working>
    );
  }
  if (said === undefined) return null;
  const wrapped = said.kind === 'place' && said.wrapped;
  return (
    <span
      className={cx('said cut', said.kind === 'failed' && 'error', said.kind === 'nothing' && 'soft')}
      title={said.text}
    >
      {said.kind === 'failed' && <Icon name="warn" size={12} tone="error" />}
      {wrapped && <Icon name="restart" size={12} />}
      <span className="cut">{said.text}</span>
    </span>
  );
}

/** Where there is no room for the value card: the value in the type in use. */
function CursorValue({ session }: ViewProps) {
  const value = () => valueText(bytesAt(session, session.cursor.cursor), 0, session.dtype, session.order) ?? '';
  useSignal(session.onCursor, value);
  useSignal(session.onValues, value);
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const order = useSignal(session.onStatus, () => session.order);
  const text = value();
  if (text === '') return null;
  return (
    <span className="narrow-only cut">
      {dtype} {order === 'big' && 'BE '}
      <b className="mono">{text}</b>
    </span>
  );
}
