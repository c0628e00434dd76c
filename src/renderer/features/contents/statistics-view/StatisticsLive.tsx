import { formatAge } from '#contract/units';
import { useNow } from '../../../lib/clock';
import { Button } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Pick } from '../../../ui/Pick';
import { Tooltip } from '../../../ui/Tooltip';
import { remember, useRemembered } from '../model/remembered';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { type Freshness, freshness, REPEATS, statisticsSettings } from './statistics';
import { useStatistics } from './use-statistics';

const repeats = REPEATS.map((value) => ({ value, label: value === 0 ? 'off' : `${value} s` }));

const words: Readonly<Record<Freshness, string>> = {
  fresh: '',
  changed: 'changed since, ',
  late: 'stale, ',
  ended: 'the last, ',
};

/** How old the answer is and whether the memory changed since; once more, or again and again. */
export function StatisticsLive({ session }: ViewProps) {
  const { question, statistics, compute, job, askable } = useStatistics(session);
  const { snapshot } = question;
  const { repeat } = useRemembered('statistics', statisticsSettings);
  const now = useNow();
  const changedAt = useSignal(session.onStatus, () => session.lastChangeAt);
  const ended = useSignal(session.onStatus, () => session.ended);
  const state =
    statistics === undefined || snapshot !== undefined
      ? 'fresh'
      : freshness(statistics.takenAt, { now, changedAt, ended, repeat });
  const age = statistics === undefined ? '' : formatAge(now - (snapshot ?? statistics).takenAt);
  return (
    <div className="live">
      {statistics !== undefined && (
        <span className={cx('fresh stats-age num', state === 'fresh' ? 'dim' : 'stale')}>
          {snapshot === undefined ? words[state] : 'taken '}
          {age === 'now' ? 'just now' : `${age} ago`}
        </span>
      )}
      <Tooltip text="Compute (R)">
        <Button
          size="small"
          icon="restart"
          aria-label="Compute"
          disabled={!askable || job !== undefined}
          onClick={compute}
        >
          Compute
        </Button>
      </Tooltip>
      <Pick
        label="Repeat"
        value={repeat}
        options={repeats}
        onChange={(next) => remember('statistics', { repeat: next })}
      />
    </div>
  );
}
