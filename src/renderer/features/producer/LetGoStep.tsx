import { useState } from 'react';
import { formatSize } from '#contract/units';
import { request } from '../../lib/api';
import { formatClock } from '../../lib/format';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { afterFreeing, ways } from '../../ui/demo/mechanism';
import { StepCard, StepNote } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCallAbout } from '../../ui/demo/use-calls';
import { holding, sentence } from '../../ui/demo/words';
import type { OwnBuffer } from './producer-model';

/** Step 5: the memory is given back, after naming those who still have the memory open. Their pages stay until they close. */
export function LetGoStep({ state, shown }: { state: StepState; shown: OwnBuffer | undefined }) {
  const [asking, setAsking] = useState(false);
  const { busy, error, run, clear } = useAction();
  const call = useNewestCallAbout(shown?.allocation.id, ...ways[shown?.way ?? 'legacy'].calls.free);
  if (shown === undefined) return <StepCard number={5} title="Let go" state={state} say="give the memory back" />;
  const { allocation, holders, exported, event } = shown;
  const held = holders.length > 0;

  const free = async () => {
    setAsking(false);
    await run(async () => {
      await request('buffers.free', { id: allocation.id });
      // The event spoke for this buffer only.
      if (event !== undefined) await request('events.destroy', { id: event.id });
    }, `${allocation.label} freed`);
  };

  if (allocation.state !== 'live') {
    return (
      <StepCard
        number={5}
        title="Let go"
        state={state}
        say={`freed${allocation.endedAt === undefined ? '' : ` at ${formatClock(allocation.endedAt)}`}`}
      >
        <CallLine call={call} />
        <StepNote>
          {held
            ? `${sentence(holding(holders))}: the pages stay until the last reference closes.`
            : 'Nobody has it open: its pages are gone.'}
        </StepNote>
        <Failure error={error} onDismiss={clear} />
      </StepCard>
    );
  }
  return (
    <StepCard
      number={5}
      title="Let go"
      state={state}
      say={held ? holding(holders) : exported === undefined ? 'give the memory back' : 'nobody known here holds it'}
      action={
        // Only what others may have a handle to is worth a question.
        <Button look="line" disabled={busy} onClick={() => (exported === undefined ? void free() : setAsking(true))}>
          {exported === undefined ? 'Free' : 'Free…'}
        </Button>
      }
    >
      {held && (
        <StepNote>
          {shown.way === 'pool'
            ? 'Close in the importer first: memory of a pool is freed by its importers before its owner.'
            : 'Its pages stay until the last reference closes.'}
        </StepNote>
      )}
      <Failure error={error} onDismiss={clear} />
      <Dialog
        alert
        width="narrow"
        open={asking}
        onClose={() => setAsking(false)}
        title={`Free ${allocation.label}, ${formatSize(allocation.bytes)}?`}
        footer={
          <>
            <Button look="line" onClick={() => setAsking(false)}>
              Keep it
            </Button>
            <Button look="danger" onClick={() => void free()}>
              Free it
            </Button>
          </>
        }
      >
        {held ? (
          <>
            <ul className="holders">
              {holders.map((holder) => (
                <li key={holder.peerId}>
                  <b>{holder.name}</b>
                  {holder.pid !== null && <span className="dim num"> pid {holder.pid}</span>}
                  <span className="num">
                    {' '}
                    {holder.references === 1 ? '1 reference' : `${holder.references} references`}
                  </span>
                </li>
              ))}
            </ul>
            <p>
              {holders.length === 1 ? 'It keeps the bytes until it closes.' : 'They keep the bytes until they close.'}{' '}
              {afterFreeing(shown.way)}
            </p>
          </>
        ) : (
          <p>
            No process known here has it open. A program outside this app that got it is not seen from here.{' '}
            {shown.way === 'legacy' || shown.way === undefined
              ? 'The handle does not open this memory again, but may open newer memory of this process.'
              : 'Nobody can open it any more after this.'}
          </p>
        )}
        {event !== undefined && <p>Its event, {event.label}, is destroyed too.</p>}
      </Dialog>
    </StepCard>
  );
}
