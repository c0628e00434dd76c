import { type ByteOrder, valueText } from '#contract/decode-values';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { request } from '../../../lib/api';
import { HEX, hexOffset } from '../../../lib/bytes-format';
import { useAnswer } from '../../../lib/use-answer';
import { Button } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { ErrorText } from '../../../ui/ErrorText';
import { Later } from '../../../ui/Later';
import type { Destination } from './destinations';
import type { Side } from './sides';
import { Ways } from './Ways';

export interface DifferenceProps {
  readonly a: Side;
  readonly b: Side;
  readonly aOffset: number;
  readonly bOffset: number;
  readonly length: number;
  /** Undefined: as bytes. */
  readonly dtype: DtypeId | undefined;
  readonly order: ByteOrder;
  /** Undefined where the place is none of the memory on screen. */
  readonly onShow: (() => void) | undefined;
  /** Other memory that has the bytes of either side. */
  readonly others: readonly Destination[];
}

/** Bytes of a row, and rows that are shown at most: enough to see what kind of difference it is. */
const ROW = 8;
const ROWS = 16;

/** Both sides of one difference, row by row. */
export function Difference({ a, b, aOffset, bOffset, length, dtype, order, onShow, others }: DifferenceProps) {
  const size = dtype === undefined ? 1 : dtypes[dtype].bytes;
  const most = Math.min(length, dtype === undefined ? ROW * ROWS : size * ROWS);
  const left = useBytes(a, aOffset, most);
  const right = useBytes(b, bOffset, most);
  const error = left.error ?? right.error;
  const closed = [a, b].find(({ readable }) => !readable);
  return (
    <section className="difference" aria-label="Both sides">
      <div className="sec-h">
        <span className="mono">{hexOffset(aOffset)}</span>
        {length > most && <span className="dim num">the first {most} bytes</span>}
      </div>
      {(onShow !== undefined || others.length > 0) && (
        <div className="difference-ways">
          {onShow !== undefined && (
            <Button size="small" look="line" onClick={onShow}>
              Show in Bytes
            </Button>
          )}
          <Ways others={others} bytes={length} />
        </div>
      )}
      {closed !== undefined && (
        <p className="note">
          {closed.name} is not open in Inspector: its bytes can be compared here, but not shown. Open it in Inspector to
          see them.
        </p>
      )}
      {error !== undefined && <ErrorText error={error} doing="Read" />}
      {closed === undefined && error === undefined && left.value === undefined && (
        <Later>
          <p className="dim">Reading…</p>
        </Later>
      )}
      {(left.value !== undefined || right.value !== undefined) && (
        <table className="both mono" aria-label="Both sides">
          <thead>
            <tr>
              <th scope="col">Offset</th>
              <th scope="col" title={a.name}>
                <span className="cut">{a.name}</span>
              </th>
              <th scope="col" title={b.name}>
                <span className="cut">{b.name}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {rowsOf(most, dtype === undefined ? ROW : size).map((row) => (
              <tr key={row.at}>
                <th scope="row">{hexOffset(aOffset + row.at)}</th>
                <td>
                  <Cells {...row} mine={left.value} other={right.value} dtype={dtype} order={order} />
                </td>
                <td>
                  <Cells {...row} mine={right.value} other={left.value} dtype={dtype} order={order} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

interface CellsProps {
  readonly at: number;
  readonly length: number;
  readonly mine: Uint8Array | undefined;
  readonly other: Uint8Array | undefined;
  readonly dtype: DtypeId | undefined;
  readonly order: ByteOrder;
}

/** A row of one side: bytes, those that differ marked; or a value. */
function Cells({ at, length, mine, other, dtype, order }: CellsProps) {
  if (mine === undefined) return <span className="dim">not readable here</span>;
  if (dtype !== undefined) return valueText(mine, at, dtype, order) ?? <span className="dim">not whole</span>;
  return Array.from(mine.subarray(at, at + length), (byte, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the index is the byte's place
    <span key={i} className={cx('both-byte', other !== undefined && other[at + i] !== byte && 'differs')}>
      {HEX[byte]}
    </span>
  ));
}

const rowsOf = (length: number, row: number): { at: number; length: number }[] =>
  Array.from({ length: Math.ceil(length / row) }, (_, i) => ({
    at: i * row,
    length: Math.min(row, length - i * row),
  }));

function useBytes({ id, readable }: Side, offset: number, length: number) {
  const key = readable ? `${id} ${offset} ${length}` : undefined;
  return useAnswer(key, async () => (await request('memory.read', { id, offset, length })).bytes);
}
