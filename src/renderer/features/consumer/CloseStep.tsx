import { request } from '../../lib/api';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { ways } from '../../ui/demo/mechanism';
import { StepCard, StepNote } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCallAbout } from '../../ui/demo/use-calls';
import { allReferences } from '../../ui/demo/words';
import { type EventOffer, type Offer, referencesOf } from './consumer-model';
import { mark } from './consumer-store';

/** Step 5: closed until the last reference is gone; the event is let go with it. */
export function CloseStep({
  state,
  offer,
  events,
  lastView,
}: {
  state: StepState;
  offer: Offer | undefined;
  events: readonly EventOffer[];
  lastView: string | undefined;
}) {
  const { busy, error, run, clear } = useAction();
  const count = referencesOf(offer);
  const imported = events.flatMap((event) => (event.imported === undefined ? [] : [event.imported.id]));
  const mechanism = offer?.mechanism ?? 'legacy';
  const call = useNewestCallAbout(lastView, ...ways[mechanism === 'fabric' ? 'virtual' : mechanism].calls.close);

  const close = () =>
    run(async () => {
      if (offer === undefined) return;
      for (const view of offer.views) {
        let left = view.references;
        while (left > 0) left = (await request('imports.close', { id: view.id })).references;
      }
      for (const id of imported) await request('events.destroy', { id });
      mark('closed', offer.key);
      mark('ready', offer.key, false);
      mark('wrote', offer.key, false);
    }, 'Closed');

  return (
    <StepCard
      number={5}
      title="Close"
      state={state}
      say={
        count === 0
          ? state === 'done'
            ? 'closed; the memory is its exporter’s alone'
            : 'let the memory go'
          : `${allReferences(count)}${imported.length > 0 ? ' and the event' : '; the mapping goes'}`
      }
      action={
        count > 0 && (
          <Button look="line" disabled={busy} onClick={() => void close()}>
            Close
          </Button>
        )
      }
    >
      {count === 0 && state === 'done' && <CallLine call={call} />}
      {count > 0 && offer !== undefined && (offer.state === 'freed' || offer.state === 'gone') && (
        <StepNote>Its pages go with the last reference that anybody has.</StepNote>
      )}
      {count > 0 && offer?.mechanism === 'pool' && offer.state === 'live' && (
        <StepNote>Close here before {offer.owner?.name ?? 'the exporter'} frees: a pool wants that order.</StepNote>
      )}
      <Failure error={error} onDismiss={clear} />
    </StepCard>
  );
}
