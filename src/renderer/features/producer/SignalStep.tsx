import { useEffect, useState } from 'react';
import { request } from '../../lib/api';
import { formatClock } from '../../lib/format';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { StepCard, StepNote, StepRow } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCallAbout } from '../../ui/demo/use-calls';
import { list } from '../../ui/demo/words';
import { Pick } from '../../ui/Pick';
import { StateMark } from '../../ui/StateMark';
import { eventLabel, type OwnBuffer } from './producer-model';

const DELAYS = [0, 2, 5, 10, 30] as const;
/** How often a recorded event is asked whether its work is done. */
const ASK_MS = 200;

/**
 * Step 4: an event says to other processes that the bytes are complete. It is made and exported with its first
 * record; recorded behind queued work, others see it not ready until that work is done.
 */
export function SignalStep({ state, shown }: { state: StepState; shown: OwnBuffer | undefined }) {
  const allocation = shown?.allocation.state === 'live' ? shown.allocation : undefined;
  const event = shown?.event;
  const waiters = shown?.waiters ?? [];
  const call = useNewestCallAbout(event?.id, 'cuEventRecord');
  const [delay, setDelay] = useState<number>(0);
  const { busy, error, run, clear } = useAction();
  const ready = useReady(event?.id, event?.recordedAt);

  const record = () =>
    run(
      async () => {
        if (allocation === undefined) return;
        const label = eventLabel(allocation.label);
        const id = event?.id ?? (await request('events.create', { device: allocation.device, label })).id;
        // Exported before it is recorded: others can be waiting for it when the work begins.
        if (shown?.eventExport === undefined) await request('events.export', { id });
        await request('events.record', { id, afterMs: delay * 1000 });
      },
      delay === 0 ? 'Event recorded' : `Event recorded behind ${delay} s of work`,
    );

  return (
    <StepCard
      number={4}
      title="Signal"
      state={state}
      say={
        event?.recordedAt === undefined ? (
          'say that the bytes are complete'
        ) : (
          <StateMark mark={ready ? 'ready' : 'wait'}>
            {ready ? 'ready' : 'not ready yet'}
            {waiters.length > 0 && `, open in ${list(waiters.map((holder) => holder.name))}`}
          </StateMark>
        )
      }
      action={
        allocation !== undefined && (
          <Button
            look={state === 'now' ? 'primary' : 'line'}
            icon="event"
            iconTone="event"
            disabled={busy}
            onClick={() => void record()}
          >
            Record event
          </Button>
        )
      }
    >
      {allocation !== undefined && (
        <StepRow className="under">
          <Pick
            label="Behind"
            value={delay}
            options={DELAYS.map((value) => ({
              value,
              label: value === 0 ? 'no queued work' : `${value} s of queued work`,
              detail: value === 0 ? undefined : 'not ready until then',
            }))}
            onChange={setDelay}
          />
          <CallLine call={call} note={event?.recordedAt !== undefined && `at ${formatClock(event.recordedAt)}`} />
        </StepRow>
      )}
      {event !== undefined && event.recordedAt === undefined && !busy && (
        <StepNote>{event.label} was not recorded yet.</StepNote>
      )}
      <Failure error={error} onDismiss={clear} />
    </StepCard>
  );
}

/** Whether the work before the newest record of an event is done; asked until it is. */
function useReady(id: string | undefined, recordedAt: number | undefined): boolean {
  const [ready, setReady] = useState(false);
  useEffect(() => {
    setReady(false);
    if (id === undefined || recordedAt === undefined) return;
    let ended = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      const answer = await window.gpuIpc.events.query({ id });
      if (ended) return;
      if (answer.ok && answer.value === 'ready') setReady(true);
      else if (answer.ok) timer = setTimeout(() => void ask(), ASK_MS);
    };
    void ask();
    return () => {
      ended = true;
      clearTimeout(timer);
    };
  }, [id, recordedAt]);
  return ready;
}
