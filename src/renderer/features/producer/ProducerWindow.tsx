import './producer.css';
import { useEffect, useMemo } from 'react';
import { formatSize } from '#contract/units';
import { useFollowedBytes } from '../../lib/bytes-use-follow';
import { useSettings } from '../../lib/settings-store';
import { Banner } from '../../ui/Banner';
import { BytesStrip, STRIP_BYTES } from '../../ui/demo/BytesStrip';
import { DemoWindow } from '../../ui/demo/DemoWindow';
import { type LeftBehind, leftBehind } from '../../ui/demo/holding';
import { isGone, useSelf } from '../../ui/demo/process';
import { stepStates } from '../../ui/demo/steps';
import { useLists } from '../../ui/demo/use-lists';
import { holding, list } from '../../ui/demo/words';
import { CreateStep } from './CreateStep';
import { ExportStep } from './ExportStep';
import { FillStep } from './FillStep';
import { LetGoStep } from './LetGoStep';
import { doneSteps, ownBuffers } from './producer-model';
import { forgetBuffers, useProducer } from './producer-store';
import { SignalStep } from './SignalStep';

/** A producer: it owns memory, fills it, exports it, signals, and lets go. */
export function ProducerWindow() {
  const self = useSelf();
  const selfId = self?.id;
  const lists = useLists();
  const selected = useProducer((store) => store.selected);
  const written = useProducer((store) => store.written);
  const hz = useSettings((settings) => settings.followHz);

  const buffers = useMemo(() => (selfId === undefined ? [] : ownBuffers(selfId, lists)), [selfId, lists]);
  const shown =
    buffers.find((row) => row.allocation.id === selected) ?? buffers.findLast((row) => row.allocation.state === 'live');
  const allocation = shown?.allocation;
  const live = useFollowedBytes({
    id: allocation?.id,
    length: Math.min(STRIP_BYTES, allocation?.bytes ?? 0),
    hz,
  });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another process has other buffers
  useEffect(forgetBuffers, [selfId]);

  const gone = isGone(self);
  const left = useMemo(() => (selfId === undefined ? [] : leftBehind(selfId, lists)), [selfId, lists]);
  const before = left.filter((row) => !buffers.some((own) => own.allocation.id === row.allocationId));
  const done = gone
    ? doneSteps(undefined, false)
    : doneSteps(shown, shown !== undefined && written.has(shown.allocation.id));
  const states = stepStates(done);
  const steps = gone ? undefined : shown;

  return (
    <DemoWindow
      kind="producer"
      consequence="Consumers keep what they have open."
      aftermath={
        left.length > 0 ? `${leftWords(left)} The pages stay until they close.` : 'Nobody else has anything of it open.'
      }
      notice={
        before.length > 0 && (
          <Banner
            icon="half"
            tone="gone"
            title={`Still held from the process before: ${list(before.map((row) => `${row.label}, ${formatSize(row.bytes)}`))}`}
          >
            {leftWords(before)}
          </Banner>
        )
      }
      strip={
        <BytesStrip
          label={allocation?.label}
          offset={0}
          total={allocation?.bytes ?? 0}
          live={live}
          following={!gone && allocation?.state === 'live'}
          empty="no buffer yet"
        />
      }
      steps={
        // A restarted process begins anew: nothing of what the steps showed is true for it.
        <Steps key={selfId ?? ''} states={states} buffers={gone ? [] : buffers} shown={steps} />
      }
    />
  );
}

function Steps({
  states,
  buffers,
  shown,
}: {
  states: ReturnType<typeof stepStates>;
  buffers: ReturnType<typeof ownBuffers>;
  shown: ReturnType<typeof ownBuffers>[number] | undefined;
}) {
  const [create = 'todo', fill = 'todo', exporting = 'todo', signal = 'todo', letGo = 'todo'] = states;
  // Another buffer: what a step remembers of a failed call or a revealed handle is about the one before.
  const key = shown?.allocation.id ?? 'none';
  return (
    <>
      <CreateStep state={create} buffers={buffers} shown={shown} />
      <FillStep key={`fill ${key}`} state={fill} shown={shown} />
      <ExportStep key={`export ${key}`} state={exporting} shown={shown} />
      <SignalStep key={`signal ${key}`} state={signal} shown={shown} />
      <LetGoStep key={`let go ${key}`} state={letGo} shown={shown} />
    </>
  );
}

/** `Consumer 1 holds 2 references to greeting.` for each buffer that is held. */
function leftWords(left: readonly LeftBehind[]): string {
  return left.map((row) => `${holding(row.holders)} to ${row.label}.`).join(' ');
}
