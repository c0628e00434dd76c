import { useMemo } from 'react';
import { formatAge, formatDuration } from '#contract/units';
import { useSelfId } from '../../../lib/app-store';
import { hexOffset } from '../../../lib/bytes-format';
import { useNow } from '../../../lib/clock';
import { count } from '../../../lib/format';
import { useLedgerStore } from '../../../lib/ledger-store';
import { Button } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { EmptyState } from '../../../ui/EmptyState';
import { ErrorText } from '../../../ui/ErrorText';
import { Icon } from '../../../ui/Icon';
import { openView } from '../model/open-view';
import { useKept } from '../model/use-kept';
import { useSignal } from '../model/use-signal';
import { PlaceList } from '../parts/PlaceList';
import type { ViewProps } from '../views';
import { comparisonOf, outcome } from './comparison';
import { Difference } from './Difference';
import { type Destination, destinationsOf } from './destinations';
import type { CompareForm } from './use-sides';
import { showThere } from './Ways';

interface Chosen {
  /** The answer that it is a place of. */
  readonly of: unknown;
  readonly index: number;
}

/** Equal or not, and where not; both values at a place. */
export function Differences({ session, form, onAgain }: ViewProps & { form: CompareForm; onAgain: () => void }) {
  const { question, sides } = form;
  const comparison = comparisonOf(session);
  const answer = useSignal(comparison.onChange, () => question && comparison.answerTo(question));
  const ownError = useSignal(comparison.onChange, () => question && comparison.failureOf(question));
  // A side that goes is no choice any more, and the question that failed with it cannot be made again.
  const lastError = useSignal(comparison.onChange, () => comparison.failure);
  const running = useSignal(comparison.onChange, () => comparison.running !== undefined);
  const changedAt = useSignal(session.onStatus, () => session.lastChangeAt);
  const now = useNow();
  const selfId = useSelfId();
  const [at, setAt] = useKept<Chosen | undefined>(session, 'changes.place', () => undefined);
  const selected = at?.of === answer ? (at?.index ?? -1) : -1;
  const start = question?.aOffset ?? 0;
  const places = useMemo(
    () =>
      (answer?.ranges ?? []).map(({ offset, length }) => ({
        key: offset,
        text: hexOffset(start + offset),
        detail: count(length, 'byte'),
      })),
    [answer, start],
  );
  const error = ownError ?? (answer === undefined ? lastError : undefined);
  if (error !== undefined && !running) {
    return (
      <div className="compare-failed">
        <ErrorText error={error} doing="Compare" />
        <Button size="small" look="line" icon="restart" disabled={question === undefined} onClick={onAgain}>
          Compare again
        </Button>
      </div>
    );
  }
  if (answer === undefined || question === undefined) {
    if (running) return null;
    return (
      <EmptyState icon="camera" title="Nothing compared yet">
        Snapshots with each other or with the memory now, or what one process has with what another one has.
      </EmptyState>
    );
  }
  const { title, text } = outcome(answer, question);
  const live = [question.a, question.b].includes(session.source.id);
  const old = live && ((changedAt ?? 0) > answer.takenAt || session.ended);
  const age = formatAge(now - answer.takenAt);
  const a = sides.find(({ id }) => id === question.a);
  const b = sides.find(({ id }) => id === question.b);
  const own = sides.find(({ id }) => id === session.source.id);
  const range = answer.ranges[selected];
  /** Where a difference lies in the memory on screen, when it is one of that memory. */
  const placeHere = (offset: number): number | undefined => {
    const side = [a, b].find((one) => one?.root === own?.root);
    if (side === undefined || own === undefined) return undefined;
    const inSide = (side === a ? question.aOffset : question.bOffset) + offset;
    const here = side.base + inSide - own.base;
    return here >= 0 && here < session.size ? here : undefined;
  };
  const show = (index: number) => {
    setAt(() => ({ of: answer, index }));
    const one = answer.ranges[index];
    const here = one && placeHere(one.offset);
    if (one !== undefined && here !== undefined) session.goTo(here, one.length);
  };
  const othersOf = (index: number): Destination[] => {
    const one = answer.ranges[index];
    if (one === undefined || a === undefined || b === undefined) return [];
    const places = [
      { side: a, offset: question.aOffset + one.offset },
      { side: b, offset: question.bOffset + one.offset },
    ];
    // Calls change the ledger many times a second: the sides are made again when what matters of it is another.
    const { ledger } = useLedgerStore.getState();
    const own = placeHere(one.offset) === undefined ? undefined : session.source.id;
    return destinationsOf(ledger, places, own, selfId);
  };
  const showOther = (index: number) => {
    setAt(() => ({ of: answer, index }));
    // What has no bytes in this window is offered as a button, and not done by a key.
    const first = othersOf(index).find(({ kind }) => kind !== 'step');
    if (first !== undefined) showThere(first, answer.ranges[index]?.length ?? 1);
  };
  return (
    <div className={cx('outcome', old && 'is-old')}>
      <div className="outcome-h" role="status">
        <Icon name={answer.equal ? 'check' : 'warn'} tone={answer.equal ? undefined : 'changed'} />
        <div>
          <b>{title}</b>
          <p className="soft num">
            {text}{' '}
            <span className={cx(old ? 'stale' : 'dim')}>
              {old && 'Memory changed since. '}
              {formatDuration(answer.tookMs * 1000)}, {age === 'now' ? 'just now' : `${age} ago`}.
            </span>
          </p>
        </div>
      </div>
      {places.length > 0 && (
        <div className="outcome-b">
          <div className="outcome-list">
            <PlaceList
              label="Differences"
              places={places}
              selected={selected}
              onSelect={show}
              onOpen={(index) => {
                show(index);
                const one = answer.ranges[index];
                if (one !== undefined && placeHere(one.offset) !== undefined) openView('bytes');
                else showOther(index);
              }}
              onOther={showOther}
            />
            {answer.more && <p className="note">Only the first {count(places.length, 'place')} are listed.</p>}
          </div>
          {range === undefined || a === undefined || b === undefined ? (
            <p className="dim outcome-hint">
              Choose a place to see both sides of it. Enter shows it in Bytes, Shift+Enter in the other memory.
            </p>
          ) : (
            <Difference
              a={a}
              b={b}
              aOffset={question.aOffset + range.offset}
              bOffset={question.bOffset + range.offset}
              length={range.length}
              dtype={question.dtype}
              order={session.order}
              onShow={placeHere(range.offset) === undefined ? undefined : () => openView('bytes')}
              others={othersOf(selected)}
            />
          )}
        </div>
      )}
    </div>
  );
}
