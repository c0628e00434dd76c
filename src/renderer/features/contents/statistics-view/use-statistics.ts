/** What the statistics view shows now, in its tools, beside the tabs and in its body. */
import { useEffect, useMemo, useRef } from 'react';
import type { ContentSnapshot, Statistics } from '#contract/calls/contents';
import type { ByteRange } from '#contract/ranges';
import type { IpcError } from '#contract/result';
import { snapshots } from '../changes-view/snapshots';
import type { MemorySession } from '../model/memory-session';
import { useRemembered } from '../model/remembered';
import { useKept } from '../model/use-kept';
import { useSignal } from '../model/use-signal';
import { asksItself, type Question, statisticsOf, statisticsSettings } from './statistics';

export interface StatisticsState {
  readonly question: Question;
  /** Of this question, never of another. */
  readonly statistics: Statistics | undefined;
  readonly error: IpcError | undefined;
  readonly job: string | undefined;
  readonly compute: () => void;
  readonly cancel: () => void;
  readonly setRange: (range: ByteRange | undefined) => void;
  /** Snapshots of this memory, newest first. */
  readonly snapshots: readonly ContentSnapshot[];
  /** Asks about a snapshot, by its id, until a range is set. */
  readonly setSnapshot: (id: string) => void;
  /** Whether the memory can be asked: it is there, or a snapshot of it is. */
  readonly askable: boolean;
}

export function useStatistics(session: MemorySession): StatisticsState {
  const answers = statisticsOf(session);
  const { bins } = useRemembered('statistics', statisticsSettings);
  const dtype = useSignal(session.onStatus, () => session.dtype);
  const [range, setRange] = useKept<ByteRange | undefined>(session, 'statistics.range', () => undefined);
  const [chosen, setChosen] = useKept<string | undefined>(session, 'statistics.snapshot', () => undefined);
  const taken = useSignal(snapshots.onChange, () => snapshots.taken.list);
  const ended = useSignal(session.onStatus, () => session.ended);
  const { id: objectId } = session.source;
  const own = useMemo(() => taken.filter((one) => one.objectId === objectId).toReversed(), [taken, objectId]);
  const snapshot = own.find(({ id }) => id === chosen);
  const question: Question =
    snapshot === undefined ? { dtype, range, bins } : { dtype, range: undefined, bins, snapshot };
  const statistics = useSignal(answers.onChange, () => answers.answerTo(question));
  const error = useSignal(answers.onChange, () => answers.failureOf(question));
  const job = useSignal(answers.onChange, () => (answers.isAsking(question) ? answers.running?.job : undefined));
  return {
    question,
    statistics,
    error,
    job,
    compute: () => void answers.ask(question),
    cancel: () => answers.cancel(),
    setRange: (next) => {
      setChosen(() => undefined);
      setRange(() => next);
    },
    snapshots: own,
    setSnapshot: (id) => setChosen(() => id),
    askable: !ended || snapshot !== undefined,
  };
}

/** Asks by itself where that is soon done, and again and again at the rate that is set. For one component of the view. */
export function useAsking(session: MemorySession, { question, compute }: StatisticsState): void {
  const { repeat } = useRemembered('statistics', statisticsSettings);
  const soon = asksItself(session, question);
  useEffect(() => {
    if (soon) compute();
  });
  const ended = useSignal(session.onStatus, () => session.ended);
  // A snapshot is always the same.
  const isOld = question.snapshot !== undefined;
  const answers = statisticsOf(session);
  const latest = useRef(compute);
  latest.current = compute;
  useEffect(() => {
    if (repeat === 0 || ended || isOld) return;
    const timer = setInterval(() => {
      // One that takes longer than the rate is waited for; nobody sees a hidden window.
      if (!document.hidden && answers.running === undefined) latest.current();
    }, repeat * 1000);
    return () => clearInterval(timer);
  }, [answers, repeat, ended, isOld]);
}
