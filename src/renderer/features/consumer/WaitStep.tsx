import { useEffect, useState } from 'react';
import { GpuIpcError } from '#contract/result';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { Button } from '../../ui/Button';
import { Failure } from '../../ui/demo/Failure';
import { useSelf } from '../../ui/demo/process';
import { StepCard, StepNote, StepRow } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { Pick } from '../../ui/Pick';
import { StateMark } from '../../ui/StateMark';
import type { EventOffer, Offer } from './consumer-model';
import { mark, type Outcome, setOutcome, useConsumer } from './consumer-store';

const LIMITS = [2, 5, 10, 30, 60] as const;
const DRAW_MS = 100;

/**
 * Step 4: asks an event of the same exporter, again and again, whether its work is done. Never a blocking wait: where
 * the exporter was killed the event stays NOT_READY, and a blocking wait would never return.
 */
export function WaitStep({
  state,
  offer,
  events,
}: {
  state: StepState;
  offer: Offer | undefined;
  events: readonly EventOffer[];
}) {
  const device = useSelf()?.device ?? 0;
  const { busy, error, run, clear } = useAction();
  const [picked, setPicked] = useState<string>();
  const [limit, setLimit] = useState<number>(10);
  const outcomes = useConsumer((store) => store.outcomes);
  const event = events.find((row) => row.exportId === picked) ?? events.at(-1);
  // The ledger knows of a running wait: it goes on while another handle is looked at.
  const waiting = event?.imported?.waiting;
  const elapsed = useElapsed(waiting?.since);
  const owner = offer?.owner?.name ?? 'The exporter';
  const over = event !== undefined && (event.state !== 'live' || event.imported?.exporter === 'gone');
  const outcome = event === undefined || waiting !== undefined ? undefined : outcomes.get(event.exportId);

  const wait = () =>
    run(async () => {
      if (event === undefined || offer === undefined) return;
      const begun = Date.now();
      setOutcome(event.exportId, undefined);
      const id = event.imported?.id ?? (await request('events.open', { exportId: event.exportId, device })).id;
      let how: Outcome['how'];
      try {
        how = await request('events.wait', { id, timeoutMs: limit * 1000 });
      } catch (thrown) {
        if (!(thrown instanceof GpuIpcError) || thrown.error.code !== 'cancelled') throw thrown;
        how = 'stopped';
      }
      const seconds = (Date.now() - begun) / 1000;
      setOutcome(event.exportId, { seconds, how, limit });
      announce(how === 'ready' ? `${event.label} is ready` : `${event.label} is not ready yet`);
      mark('ready', offer.key, how === 'ready');
    });
  const stop = async () => {
    const id = event?.imported?.id;
    // The wait answers `cancelled`; there is nothing else to do here.
    if (id !== undefined) await window.gpuIpc.events.cancelWait({ id });
  };

  return (
    <StepCard
      number={4}
      title="Wait for the event"
      state={state}
      say={
        event === undefined ? (
          offer === undefined ? (
            'until the bytes are complete'
          ) : (
            `${owner} exports none`
          )
        ) : waiting !== undefined ? (
          <StateMark mark="wait">{event.label}: not yet</StateMark>
        ) : outcome?.how === 'ready' ? (
          <StateMark mark="ready">{event.label}: ready</StateMark>
        ) : over ? (
          <StateMark mark="broken">{event.state === 'freed' ? `${owner} destroyed it` : 'exporter gone'}</StateMark>
        ) : outcome !== undefined ? (
          <StateMark mark="wait">{event.label}: not yet</StateMark>
        ) : (
          event.label
        )
      }
      action={
        event !== undefined &&
        (waiting !== undefined ? (
          <Button look="line" icon="stop" onClick={() => void stop()}>
            Stop
          </Button>
        ) : (
          <Button
            look={state === 'now' ? 'primary' : 'line'}
            icon="wait"
            iconTone="event"
            disabled={busy}
            onClick={() => void wait()}
          >
            Wait
          </Button>
        ))
      }
    >
      {event !== undefined && waiting === undefined && (
        <StepRow className="under">
          {events.length > 1 && (
            <Pick
              label="Event"
              value={event.exportId}
              options={events.map((row) => ({
                value: row.exportId,
                label: row.label,
                detail: row.imported === undefined ? undefined : 'open',
              }))}
              onChange={setPicked}
            />
          )}
          <Pick
            label="Limit"
            prefix="At most"
            value={limit}
            options={LIMITS.map((value) => ({ value, label: `${value} s` }))}
            onChange={setLimit}
          />
          {outcome !== undefined && <span className="soft num cut">{outcomeWords(outcome)}</span>}
        </StepRow>
      )}
      {waiting !== undefined && (
        <>
          <div
            className="prog"
            role="progressbar"
            aria-label="Waiting"
            aria-valuemin={0}
            aria-valuemax={waiting.timeoutMs / 1000}
            aria-valuenow={Math.min(waiting.timeoutMs, Math.round(elapsed / 100) * 100) / 1000}
          >
            <span style={{ width: `${Math.min(100, (elapsed / waiting.timeoutMs) * 100)}%` }} />
          </div>
          <StepNote>
            {(elapsed / 1000).toFixed(1)} of at most {waiting.timeoutMs / 1000} s
          </StepNote>
        </>
      )}
      {over && waiting === undefined && outcome?.how !== 'ready' && (
        <StepNote>
          <span>
            {event.state === 'freed'
              ? 'Once open it still answers for the work that was recorded last.'
              : 'Work that ran when it was killed never completes: the event stays NOT_READY. That is why waiting has a limit.'}
          </span>
        </StepNote>
      )}
      {event === undefined && offer !== undefined && (
        <StepNote>Record an event in the producer: it says when the bytes are complete.</StepNote>
      )}
      <Failure error={error} onDismiss={clear} />
    </StepCard>
  );
}

function outcomeWords({ how, seconds, limit }: Outcome): string {
  const took = `${seconds.toFixed(1)} s`;
  if (how === 'ready') return seconds < 0.05 ? 'It was ready at once.' : `Ready after ${took}.`;
  return how === 'stopped' ? `Stopped after ${took}: not ready.` : `Still not ready after ${limit} s.`;
}

/** Milliseconds since `since`, drawn ten times a second while it runs. */
function useElapsed(since: number | undefined): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (since === undefined) return;
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), DRAW_MS);
    return () => clearInterval(timer);
  }, [since]);
  return since === undefined ? 0 : Math.max(0, now - since);
}
