import { valueText } from '#contract/decode-values';
import { formatCount } from '#contract/units';
import { formatOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { bytesAt } from './ValueCard';

/** What is selected, of how much, and through what the bytes are read. */
export function Foot({ session, base }: ViewProps & { base: 'hex' | 'decimal' }) {
  const start = useSignal(session.onCursor, () => session.selection.start);
  const end = useSignal(session.onCursor, () => session.selection.end);
  const { source } = session;
  const length = end - start;
  return (
    <footer className="foot num">
      {length > 1 ? (
        <span>
          Selected{' '}
          <b>
            {formatOffset(start, base)}–{formatOffset(end - 1, base)}
          </b>
          , {count(length, 'byte')}
        </span>
      ) : (
        <span>
          At <b>{formatOffset(start, base)}</b>
        </span>
      )}
      <span>
        of <b>{formatCount(session.size)}</b>
      </span>
      <CursorValue session={session} />
      <span className="grow" />
      <span className="cut">
        {source.importedFrom === undefined ? 'Own buffer at ' : 'Read through Inspector at '}
        <span className="mono">{source.address}</span>
      </span>
    </footer>
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
