import './statistics.css';
import { dtypes } from '#contract/dtypes';
import { formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { useNow } from '../../../lib/clock';
import { count } from '../../../lib/format';
import { Banner } from '../../../ui/Banner';
import { Button } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import type { ValueKind } from '../model/finder';
import { jumperOf } from '../model/jumper';
import { useRemembered } from '../model/remembered';
import { useKept } from '../model/use-kept';
import { useSignal } from '../model/use-signal';
import { Working } from '../parts/Working';
import type { ViewProps } from '../views';
import { BufferMap } from './BufferMap';
import { Counts } from './Counts';
import { Histogram } from './Histogram';
import { Places } from './Places';
import { SummaryRows } from './SummaryRows';
import { bytesOfQuestion, freshness, statisticsSettings, withinOf } from './statistics';
import { useAsking, useStatistics } from './use-statistics';

/** The whole memory, or a range of it, in numbers. */
export function StatisticsView({ session }: ViewProps) {
  const state = useStatistics(session);
  useAsking(session, state);
  const { question, statistics, error, job, compute, cancel, askable } = state;
  const { dtype, range, snapshot } = question;
  const within = withinOf(question);
  const { repeat } = useRemembered('statistics', statisticsSettings);
  const [kind, setKind] = useKept<ValueKind>(session, 'statistics.kind', () => 'nan');
  const changedAt = useSignal(session.onStatus, () => session.lastChangeAt);
  const ended = useSignal(session.onStatus, () => session.ended);
  const now = useNow();
  const stale =
    snapshot === undefined &&
    statistics !== undefined &&
    freshness(statistics.takenAt, { now, changedAt, ended, repeat }) !== 'fresh';
  const bytes = bytesOfQuestion(question, session.size);
  const what =
    snapshot !== undefined
      ? `${snapshot.name}, snapshot, ${formatSize(bytes)}`
      : range === undefined
        ? `whole buffer, ${formatSize(session.size)}`
        : `${count(range.length, 'byte')} at ${hexOffset(range.offset)}`;
  const part = dtypes[dtype].part ?? dtype;
  return (
    <div className={cx('stats', stale && 'is-old')} data-area="memory">
      {error !== undefined && (
        <Banner
          icon="warn"
          tone="error"
          role="alert"
          title={error.message}
          className="stats-wide"
          action={
            askable && (
              <Button look="line" icon="restart" onClick={compute}>
                Compute again
              </Button>
            )
          }
        >
          {error.hint ??
            (statistics !== undefined
              ? 'What is shown was computed before.'
              : askable
                ? 'There are no numbers yet.'
                : 'Nothing was computed while the memory was there.')}
        </Banner>
      )}
      {job !== undefined && (
        <div className="stats-wide">
          <Working job={job} onCancel={cancel}>
            {`Computing statistics of ${formatSize(bytes)}…`}
          </Working>
        </div>
      )}
      {statistics === undefined && job === undefined && error === undefined && (
        <div className="stats-wide stats-ask">
          {!askable ? (
            <span className="soft">Nothing was computed while the memory was there.</span>
          ) : (
            <>
              <span className="soft">
                {snapshot === undefined
                  ? `Reads all ${formatSize(bytes)} as ${dtype} where the memory is.`
                  : `Reads all ${formatSize(bytes)} of ${snapshot.name} as ${dtype}, on the CPU.`}
              </span>
              <Button look="primary" size="small" onClick={compute}>
                Compute statistics
              </Button>
            </>
          )}
        </div>
      )}
      <Histogram
        statistics={statistics}
        dtype={dtype}
        onGo={(min, max) =>
          void jumperOf(session).go(
            { queries: [{ dtype: part, min, max }], bytes: dtypes[part].bytes, aligned: true },
            `value of ${min} to ${max}`,
            1,
            'beyond',
            within,
          )
        }
      />
      <SummaryRows within={within} session={session} statistics={statistics} dtype={dtype} what={what} />
      <Counts
        within={within}
        session={session}
        statistics={statistics}
        dtype={dtype}
        listed={kind}
        onList={(next) => (next === 'nan' || next === 'inf' || next === 'denormal') && setKind(() => next)}
      />
      <Places
        within={within}
        session={session}
        statistics={statistics}
        dtype={dtype}
        range={range}
        kind={kind}
        onKind={(next) => setKind(() => next)}
      />
      {snapshot === undefined && <BufferMap session={session} />}
    </div>
  );
}
