import { useEffect, useMemo } from 'react';
import type { Statistics } from '#contract/calls/contents';
import type { DtypeId } from '#contract/dtypes';
import type { ByteRange } from '#contract/ranges';
import { fail, type Result } from '#contract/result';
import { hexOffset } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { IconButton } from '../../../ui/Button';
import { ErrorText } from '../../../ui/ErrorText';
import { Segmented } from '../../../ui/Segmented';
import { kindWanted, type ValueKind } from '../model/finder';
import { type Hits, listHits, runsOf } from '../model/hits';
import { jumperOf, kindNames, type Within } from '../model/jumper';
import { LongAnswer } from '../model/long-answer';
import type { MemorySession } from '../model/memory-session';
import { openView } from '../model/open-view';
import { useSignal } from '../model/use-signal';
import { PlaceList } from '../parts/PlaceList';
import { Working } from '../parts/Working';

/** Values whose places are listed. */
const MOST = 1000;

interface Question {
  readonly kind: ValueKind;
  readonly dtype: DtypeId;
  readonly range: ByteRange | undefined;
  readonly within: Within | undefined;
  /** Of the statistics that say how many there are: asked again when they are. */
  readonly takenAt: number;
}

const lists = new WeakMap<MemorySession, LongAnswer<Question, Hits>>();

function listOf(session: MemorySession): LongAnswer<Question, Hits> {
  const known = lists.get(session);
  if (known !== undefined) return known;
  const made = new LongAnswer<Question, Hits>({
    ask: ({ kind, dtype, range, within }, job): Promise<Result<Hits>> => {
      const wanted = kindWanted(kind, dtype);
      if (wanted === undefined) return Promise.resolve(fail({ code: 'unsupported', message: `${dtype} has none.` }));
      return listHits({ id: within?.id ?? session.source.id, job, limit: MOST, ...(range && { range }) }, wanted);
    },
    cancel: (job) => void window.gpuIpc.contents.cancel({ job }),
    keyOf: (question) => JSON.stringify(question),
  });
  lists.set(session, made);
  return made;
}

export interface PlacesProps {
  readonly session: MemorySession;
  /** Of a snapshot: what is searched instead of the memory. */
  readonly within: Within | undefined;
  readonly statistics: Statistics | undefined;
  readonly dtype: DtypeId;
  readonly range: ByteRange | undefined;
  readonly kind: ValueKind;
  readonly onKind: (kind: ValueKind) => void;
}

/** Where the values of a kind are, those side by side as one. */
export function Places({ session, within, statistics, dtype, range, kind, onKind }: PlacesProps) {
  const list = listOf(session);
  const held =
    statistics === undefined
      ? 0
      : { nan: statistics.nans, inf: statistics.infs, denormal: statistics.denormals, zero: 0, negative: 0 }[kind];
  const question: Question = { kind, dtype, range, within, takenAt: statistics?.takenAt ?? 0 };
  const hits = useSignal(list.onChange, () => list.answerTo(question));
  const error = useSignal(list.onChange, () => list.failureOf(question));
  const job = useSignal(list.onChange, () => (list.isAsking(question) ? list.running?.job : undefined));
  const at = useSignal(session.onCursor, () => session.selection.start);
  const wanted = held > 0 && (within !== undefined || !session.ended) && !list.isSettled(question);
  useEffect(() => {
    if (wanted) void list.ask(question);
  });

  const base = within?.base ?? 0;
  const runs = useMemo(
    () => (hits === undefined ? [] : runsOf(hits).map((run) => ({ ...run, offset: base + run.offset }))),
    [hits, base],
  );
  const places = useMemo(
    () => runs.map(({ offset, count: n }) => ({ key: offset, text: hexOffset(offset), detail: count(n, 'value') })),
    [runs],
  );
  const bytes = hits?.bytes ?? 1;
  const selected = runs.findIndex(({ offset, count: n }) => at >= offset && at < offset + n * bytes);
  const show = (index: number) => {
    const run = runs[index];
    if (run !== undefined) session.goTo(run.offset, run.count * bytes);
  };
  const jumper = jumperOf(session);
  const listable: ValueKind[] = ['nan', 'inf', 'denormal'];
  return (
    <section className="vr hr places" aria-label="Where they are">
      <div className="sec-h">
        <Segmented<ValueKind>
          label="Values to list"
          size="tiny"
          value={kind}
          options={listable.map((value) => ({
            value,
            label: { nan: 'NaN', inf: 'Inf', denormal: 'Denormals', zero: '', negative: '' }[value],
            disabled: kindWanted(value, dtype) === undefined,
          }))}
          onChange={onKind}
        />
        <span className="end">
          {held > 0 && (
            <>
              <IconButton
                icon="up"
                label={`Previous ${kindNames[kind]} of the list`}
                onClick={() => void jumper.goToKind(kind, dtype, -1, within)}
              />
              <IconButton
                icon="down"
                label={`Next ${kindNames[kind]} of the list`}
                onClick={() => void jumper.goToKind(kind, dtype, 1, within)}
              />
            </>
          )}
        </span>
      </div>
      {error !== undefined && <ErrorText error={error} doing="Looking for them" />}
      {job !== undefined && (
        <Working job={job} onCancel={() => list.cancel()}>
          Looking for them…
        </Working>
      )}
      {hits !== undefined && held > 0 && (
        <p className="note num">
          {hits.done
            ? count(runs.length, 'run')
            : `The first ${count(hits.offsets.length, 'value')}, ${count(runs.length, 'run')}`}
        </p>
      )}
      {places.length > 0 ? (
        <PlaceList
          label={`Places of ${kindNames[kind]}`}
          places={places}
          selected={selected}
          onSelect={show}
          onOpen={(index) => {
            show(index);
            openView('bytes');
          }}
        />
      ) : (
        statistics !== undefined &&
        held === 0 && (
          <p className="dim none">{kindWanted(kind, dtype) === undefined ? `${dtype} has none.` : 'There is none.'}</p>
        )
      )}
    </section>
  );
}
