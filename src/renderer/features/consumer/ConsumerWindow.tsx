import './consumer.css';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import type { Peer } from '#contract/records';
import { useFollowedBytes } from '../../lib/bytes-use-follow';
import { formatClock } from '../../lib/format';
import { useSettings } from '../../lib/settings-store';
import { Banner } from '../../ui/Banner';
import { LinkButton } from '../../ui/Button';
import { BytesStrip, STRIP_BYTES } from '../../ui/demo/BytesStrip';
import { DemoWindow } from '../../ui/demo/DemoWindow';
import { isGone, useSelf } from '../../ui/demo/process';
import { type StepState, stepStates } from '../../ui/demo/steps';
import { useLists } from '../../ui/demo/use-lists';
import { ended, list, references } from '../../ui/demo/words';
import { ChooseStep } from './ChooseStep';
import { CloseStep } from './CloseStep';
import { doneSteps, type EventOffer, eventOffers, type Offer, offers, referencesOf } from './consumer-model';
import { choose, forgetAll, PASTED, pastedBecame, useConsumer } from './consumer-store';
import { OpenStep } from './OpenStep';
import { ReadWriteStep } from './ReadWriteStep';
import { WaitStep } from './WaitStep';

/** A consumer: it opens what others export, reads and writes it, waits for their event, and closes. */
export function ConsumerWindow() {
  const self = useSelf();
  const selfId = self?.id;
  const lists = useLists();
  const { chosen, view: viewId, stripOffset, wrote, ready, closed } = useConsumer();
  const hz = useSettings((settings) => settings.followHz);

  const all = useMemo(() => (selfId === undefined ? [] : offers(selfId, lists, chosen)), [selfId, lists, chosen]);
  const offer = all.find((row) => row.key === chosen);
  const view = offer?.views.find((row) => row.id === viewId) ?? offer?.views.at(-1);
  const events = useMemo(
    () => (selfId === undefined ? [] : eventOffers(selfId, offer?.owner?.id, lists)),
    [selfId, offer?.owner?.id, lists],
  );
  const gone = isGone(self);

  // What was shown last stays in sight, stale, when it is closed or the process ends.
  const last = useRef<{ id: string; label: string; bytes: number; of: string }>(undefined);
  if (view !== undefined && offer !== undefined)
    last.current = { id: view.id, label: offer.label, bytes: view.bytes, of: offer.key };
  const inStrip = last.current !== undefined && (gone || last.current.of === chosen) ? last.current : undefined;
  const offset = Math.min(stripOffset, Math.max(0, (inStrip?.bytes ?? 1) - 1));
  const live = useFollowedBytes({
    id: inStrip?.id,
    offset,
    length: Math.min(STRIP_BYTES, (inStrip?.bytes ?? 0) - offset),
    hz,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another process has nothing open
  useEffect(() => {
    last.current = undefined;
    forgetAll();
  }, [selfId]);

  // A pasted handle that was opened is an offer of its own now, or turns out to be one of those listed.
  useEffect(() => {
    if (chosen !== PASTED || viewId === undefined) return;
    const found = all.find((row) => row.views.some((each) => each.id === viewId));
    if (found !== undefined) pastedBecame(found.key, viewId, referencesOf(found) > 1);
  }, [chosen, viewId, all]);

  // What this process has open without its having been chosen here is shown too: the demonstration opens, and a page
  // that was loaded again has forgotten.
  useEffect(() => {
    const open = chosen === undefined ? all.find((row) => referencesOf(row) > 0) : undefined;
    if (open !== undefined) choose(open.key);
  }, [chosen, all]);

  const held = useHeld(gone ? [] : all, gone);
  const isOpen = referencesOf(offer) > 0;
  const states = stepStates(
    gone
      ? [false, false, false, false, false]
      : doneSteps({
          chosen: offer !== undefined || chosen === PASTED,
          open: isOpen,
          wrote: offer !== undefined && wrote.has(offer.key),
          ready: offer !== undefined && ready.has(offer.key),
          closed: offer !== undefined && closed.has(offer.key),
        }),
  );

  return (
    <DemoWindow
      kind="consumer"
      consequence="The driver drops its references."
      aftermath={held}
      notice={offer !== undefined && isOpen ? exporterNotice(offer) : undefined}
      strip={
        <BytesStrip
          label={inStrip?.label}
          offset={offset}
          total={inStrip?.bytes ?? 0}
          live={live}
          following={!gone && view !== undefined}
          empty="nothing open yet"
          action={
            offset > 0 && <LinkButton onClick={() => useConsumer.setState({ stripOffset: 0 })}>First 32</LinkButton>
          }
        />
      }
      steps={
        // A restarted process begins anew: nothing of what the steps showed is true for it.
        <Steps
          key={selfId ?? ''}
          states={states}
          all={all}
          offer={gone ? undefined : offer}
          view={gone ? undefined : view}
          events={gone ? [] : events}
          lastView={last.current?.id}
        />
      }
    />
  );
}

interface StepsProps {
  readonly states: readonly StepState[];
  readonly all: readonly Offer[];
  readonly offer: Offer | undefined;
  readonly view: Offer['views'][number] | undefined;
  readonly events: readonly EventOffer[];
  readonly lastView: string | undefined;
}

function Steps({ states, all, offer, view, events, lastView }: StepsProps) {
  const [choosing = 'todo', open = 'todo', write = 'todo', wait = 'todo', close = 'todo'] = states;
  // Another handle: a failure that a step shows is about the one before.
  const key = offer?.key ?? 'none';
  return (
    <>
      <ChooseStep state={choosing} all={all} />
      <OpenStep key={`open ${key}`} state={open} offer={offer} />
      <ReadWriteStep key={`write ${key}`} state={write} offer={offer} view={view} />
      <WaitStep key={`wait ${key}`} state={wait} offer={offer} events={events} />
      <CloseStep key={`close ${key}`} state={close} offer={offer} events={events} lastView={lastView} />
    </>
  );
}

/** What went with this process when it ended: the ledger has closed it all by then, so it is remembered before. */
function useHeld(all: readonly Offer[], gone: boolean): ReactNode {
  const before = useRef<readonly { label: string; count: number }[]>([]);
  if (!gone) {
    before.current = all
      .map((offer) => ({ label: offer.label, count: referencesOf(offer) }))
      .filter((offer) => offer.count > 0);
  }
  if (before.current.length === 0) return 'It had nothing open.';
  const what = list(before.current.map((row) => `${references(row.count)} to ${row.label}`));
  return `The driver dropped its ${what}. The memory is still its exporter’s.`;
}

/** The exporter freed the memory or its process ended, while it is open here. */
function exporterNotice(offer: Offer): ReactNode {
  const name = offer.owner?.name ?? 'The exporter';
  if (offer.state === 'gone') {
    return (
      <Banner
        icon="broken"
        tone="gone"
        title={`${name} ${offer.owner === undefined ? 'is gone' : endedWords(offer.owner)}`}
      >
        The bytes of {offer.label} stay readable here. Its pages go when the last reference closes;{' '}
        {offer.mechanism === 'virtual'
          ? 'its descriptors went with the process.'
          : 'its handle opens nothing any more.'}
      </Banner>
    );
  }
  if (offer.state === 'freed') {
    return (
      <Banner icon="half" tone="gone" title={`${name} freed ${offer.label}`}>
        The bytes stay readable here. Its pages go when the last reference closes;{' '}
        {offer.mechanism === 'legacy' ? (
          <>its handle does not open them again, but may open newer memory of {name}.</>
        ) : offer.mechanism === 'pool' ? (
          'NVIDIA asks importers of a pool to close first, and the drivers seen so far keep the pages all the same.'
        ) : (
          'nobody else can open it any more.'
        )}
      </Banner>
    );
  }
  return undefined;
}

const endedWords = (peer: Peer): string =>
  isGone(peer) ? `${ended(peer)}${peer.endedAt === undefined ? '' : ` at ${formatClock(peer.endedAt)}`}` : 'is gone';
