import type { Statistics } from '#contract/calls/contents';
import { type DtypeId, dtypes } from '#contract/dtypes';
import { formatCount } from '#contract/units';
import { act } from '../../../lib/act';
import { copyText } from '../../../lib/clipboard';
import { Button, IconButton } from '../../../ui/Button';
import { Tooltip } from '../../../ui/Tooltip';
import { jumperOf, type Within } from '../model/jumper';
import type { MemorySession } from '../model/memory-session';
import { copyWords, meanWords, valueWords } from './statistics-words';

export interface SummaryProps {
  readonly session: MemorySession;
  /** Of a snapshot: what is searched instead of the memory. */
  readonly within: Within | undefined;
  readonly statistics: Statistics | undefined;
  readonly dtype: DtypeId;
  /** What it is of, for the copy. */
  readonly what: string;
}

/** The numbers that sum the memory up, exact; the way to the least and the greatest. */
export function SummaryRows({ session, within, statistics, dtype, what }: SummaryProps) {
  const part = dtypes[dtype].part ?? dtype;
  const goTo = (value: number | string, name: string) =>
    void jumperOf(session).go(
      { queries: [{ dtype: part, value }], bytes: dtypes[part].bytes, aligned: true },
      name,
      1,
      'beyond',
      within,
    );
  const extreme = (name: string, value: number | string | null | undefined) => (
    <Row name={name} value={value === undefined ? undefined : valueWords(value, dtype)}>
      {value != null && !session.ended && (
        <IconButton
          icon="fwd"
          iconSize={14}
          label={`Go to the ${name.toLowerCase()}`}
          onClick={() => goTo(value, name)}
        />
      )}
    </Row>
  );
  return (
    <section className="vr" aria-label="Summary">
      <div className="sec-h">
        <h3>Summary</h3>
        <span className="end">
          <Button
            size="small"
            icon="copy"
            disabled={statistics === undefined}
            onClick={() =>
              statistics !== undefined &&
              void act(
                'Copy the statistics',
                () => copyText(copyWords(statistics, dtype, what)),
                'The statistics are copied',
              )
            }
          >
            Copy
          </Button>
        </span>
      </div>
      <table className="stat-rows sum" aria-label="Summary">
        <tbody>
          <Row name="Values" value={statistics && formatCount(statistics.count)} />
          {extreme('Minimum', statistics?.min)}
          {extreme('Maximum', statistics?.max)}
          <Row name="Mean" value={statistics && meanWords(statistics.mean)} />
          <Row name="Std. deviation" value={statistics && meanWords(statistics.std)} />
          <Row name="Checksum" value={statistics?.checksum}>
            {statistics !== undefined && (
              <Tooltip text="Of the bytes, the same for every type">
                <IconButton
                  icon="copy"
                  iconSize={14}
                  label="Copy the checksum"
                  onClick={() =>
                    void act('Copy the checksum', () => copyText(statistics.checksum), 'The checksum is copied')
                  }
                />
              </Tooltip>
            )}
          </Row>
        </tbody>
      </table>
    </section>
  );
}

function Row({ name, value, children }: { name: string; value: string | undefined; children?: React.ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td className="v mono selectable" title={value}>
        {value ?? <span className="dim">–</span>}
      </td>
      <td className="nav">{children}</td>
    </tr>
  );
}
