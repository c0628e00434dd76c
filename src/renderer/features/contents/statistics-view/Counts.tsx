import type { Statistics } from '#contract/calls/contents';
import type { DtypeId } from '#contract/dtypes';
import { formatCount } from '#contract/units';
import { IconButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { kindWanted, type ValueKind } from '../model/finder';
import { jumperOf, kindNames, type Within } from '../model/jumper';
import type { MemorySession } from '../model/memory-session';
import { shareWords } from './statistics-words';

export interface CountsProps {
  readonly session: MemorySession;
  /** Of a snapshot: what is searched instead of the memory. */
  readonly within: Within | undefined;
  readonly statistics: Statistics | undefined;
  readonly dtype: DtypeId;
  /** The kind whose places are listed. */
  readonly listed: ValueKind;
  readonly onList: (kind: ValueKind) => void;
}

const rows: readonly {
  readonly kind: ValueKind;
  readonly title: string;
  readonly of: (s: Statistics) => number;
  readonly bad?: true;
}[] = [
  { kind: 'zero', title: 'Zeros', of: ({ zeros }) => zeros },
  { kind: 'negative', title: 'Negatives', of: ({ negatives }) => negatives },
  { kind: 'denormal', title: 'Denormals', of: ({ denormals }) => denormals },
  { kind: 'nan', title: 'NaN', of: ({ nans }) => nans, bad: true },
  { kind: 'inf', title: 'Inf', of: ({ infs }) => infs, bad: true },
];

/** How many values are of which kind, and the way from one to the next. */
export function Counts({ session, within, statistics, dtype, listed, onList }: CountsProps) {
  const jumper = jumperOf(session);
  const go = (kind: ValueKind, direction: 1 | -1) => {
    onList(kind);
    void jumper.goToKind(kind, dtype, direction, within);
  };
  return (
    <section className="hr" aria-label="Counts">
      <div className="sec-h">
        <h3>Counts</h3>
      </div>
      <table className="stat-rows counts" aria-label="Counts">
        <tbody>
          {rows.map(({ kind, title, of, bad }) => {
            const possible = kindWanted(kind, dtype) !== undefined;
            const held = statistics && of(statistics);
            const alarming = bad === true && held !== undefined && held > 0;
            const share = statistics && held !== undefined ? held / Math.max(1, statistics.count) : 0;
            return (
              <tr key={kind} className={cx(kind === listed && 'listed')}>
                <td className="sign">{alarming && <Icon name="warn" size={14} tone="error" />}</td>
                <th scope="row">{title}</th>
                <td className="share" aria-hidden="true">
                  <span className={cx(alarming && 'bad')} style={{ width: held ? `max(2px, ${share * 100}%)` : 0 }} />
                </td>
                {possible ? (
                  <>
                    <td className="v mono num">
                      {held === undefined ? <span className="dim">–</span> : formatCount(held)}
                    </td>
                    <td className="v dim num">
                      {statistics && held !== undefined && shareWords(held, statistics.count)}
                    </td>
                  </>
                ) : (
                  <td className="v dim" colSpan={2}>
                    {dtype} has none
                  </td>
                )}
                <td className="nav">
                  {held !== undefined && held > 0 && !session.ended && (
                    <>
                      <IconButton
                        icon="up"
                        iconSize={14}
                        label={`Previous ${kindNames[kind]}`}
                        onClick={() => go(kind, -1)}
                      />
                      <IconButton
                        icon="down"
                        iconSize={14}
                        label={`Next ${kindNames[kind]}`}
                        onClick={() => go(kind, 1)}
                      />
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
