import { useEffect } from 'react';
import { dtypeIds } from '#contract/dtypes';
import { formatCount, formatDuration, formatRate, formatSize } from '#contract/units';
import { hexOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { Pick } from '../../../ui/Pick';
import { snapshots } from '../changes-view/snapshots';
import { remember, useRemembered } from '../model/remembered';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { BINS, statisticsSettings } from './statistics';
import { useStatistics } from './use-statistics';

const types = dtypeIds.map((value) => ({ value, label: value }));
const bins = BINS.map((value) => ({ value, label: String(value) }));

/** Of what, as what, and how fast it was. */
export function StatisticsTools({ session }: ViewProps) {
  const state = useStatistics(session);
  const { question, statistics, setRange } = state;
  useEffect(() => void snapshots.refresh(), []);
  const settings = useRemembered('statistics', statisticsSettings);
  const start = useSignal(session.onCursor, () => session.selection.start);
  const end = useSignal(session.onCursor, () => session.selection.end);
  const { range, snapshot } = question;
  const isSelection = range?.offset === start && range.length === end - start;
  const ranges = [
    { value: 'whole', label: 'whole buffer', detail: formatSize(session.size) },
    ...(end - start > 1
      ? [{ value: 'selection', label: `selection at ${hexOffset(start)}`, detail: count(end - start, 'byte') }]
      : []),
    ...(range !== undefined && !isSelection
      ? [{ value: 'kept', label: `${count(range.length, 'byte')} at ${hexOffset(range.offset)}` }]
      : []),
    ...state.snapshots.map(({ id, name, bytes }) => ({
      value: id,
      label: `${name}, snapshot`,
      detail: formatSize(bytes),
    })),
  ];
  return (
    <>
      <Pick
        label="Range"
        value={
          snapshot !== undefined ? snapshot.id : range === undefined ? 'whole' : isSelection ? 'selection' : 'kept'
        }
        options={ranges}
        onChange={(next) => {
          if (next === 'whole') setRange(undefined);
          else if (next === 'selection') setRange({ offset: start, length: end - start });
          else if (next !== 'kept') state.setSnapshot(next);
        }}
      />
      <Pick label="Type" value={question.dtype} options={types} onChange={(next) => session.setDtype(next)} />
      <Pick
        label="Bins"
        value={settings.bins}
        options={bins}
        onChange={(next) => remember('statistics', { bins: next })}
      />
      <span className="grow" />
      {statistics !== undefined && (
        <span className="num cut">
          <span className="soft">
            {formatCount(statistics.count)} {statistics.count === 1 ? 'value' : 'values'} in{' '}
            {formatDuration(statistics.tookMs * 1000)}
          </span>{' '}
          {statistics.tookMs > 0 && (
            <span className="dim wide-text">{formatRate(statistics.bytes / (statistics.tookMs / 1000))}</span>
          )}
        </span>
      )}
    </>
  );
}
