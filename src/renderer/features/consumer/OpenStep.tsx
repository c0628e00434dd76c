import { useState } from 'react';
import { printDescriptor } from '#contract/descriptor';
import { parseSize } from '#contract/units';
import type { Mechanism } from '#contract/values';
import { request } from '../../lib/api';
import { parseGoto } from '../../lib/bytes-goto';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { ways, whatArrived } from '../../ui/demo/mechanism';
import { useSelf } from '../../ui/demo/process';
import { StepCard, StepNote, StepRow } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCall } from '../../ui/demo/use-calls';
import { references } from '../../ui/demo/words';
import { Field } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { Checkbox } from '../../ui/Switch';
import { addressNote, isReadOnly, memoryOf, type Offer, referencesOf, viewWords } from './consumer-model';
import { addOpening, mark, PASTED, type Pasted, type Source, useConsumer } from './consumer-store';

/** CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS. */
const LAZY = 1;
/** The clocks of two processes of one machine agree within this. */
const CLOCK_SLACK_MS = 50;

/** Step 2: what was chosen is opened, by its mechanism. Opening again what is open adds a reference; the address stays. */
export function OpenStep({ state, offer }: { state: StepState; offer: Offer | undefined }) {
  const { chosen, pasted, sources, lazyPeerAccess, access, opens, view } = useConsumer();
  const device = useSelf()?.device ?? 0;
  const { busy, error, run, clear } = useAction();
  const closing = useAction();
  const [range, setRange] = useState<'all' | 'part'>('all');
  const [at, setAt] = useState('0');
  const [length, setLength] = useState('');

  const count = referencesOf(offer);
  const shown = offer?.views.find((each) => each.id === view) ?? offer?.views.at(-1);
  const openings = opens.get(offer?.key ?? '') ?? [];
  const last = openings.at(-1);
  // The log does not say which mapping an open made; this window's own opens come one after the other.
  const mechanism = offer?.mechanism ?? (chosen === PASTED ? (mechanismOf(pasted) ?? 'legacy') : 'legacy');
  const names = ways[mechanism === 'fabric' ? 'virtual' : mechanism].calls.open;
  const call = useNewestCall(last && { names, until: last.at + CLOCK_SLACK_MS });
  const pastedSource = chosen === PASTED ? sourceOf(pasted) : shown && sources.get(memoryOf(shown));
  const canOpen = offer?.exportId !== undefined || pastedSource !== undefined;
  const part = range === 'part' ? readPart(at, length, offer?.bytes) : {};
  const problem = 'problem' in part ? part.problem : undefined;

  const open = () =>
    run(
      async () => {
        if (problem !== undefined) return;
        const source = offer?.exportId === undefined ? pastedSource : { exportId: offer.exportId };
        if (source === undefined) return;
        const view = 'problem' in part ? {} : part;
        const flags = lazyPeerAccess ? LAZY : 0;
        const made = await request('imports.open', { ...source, ...view, device, flags, access });
        const memory = memoryOf({ address: made.address, offset: view.offset ?? 0 });
        // A pasted handle gets its place in the list once the ledger shows what it is: see ConsumerWindow.
        const key = offer?.key ?? PASTED;
        if (pastedSource !== undefined)
          useConsumer.setState((store) => ({ sources: new Map(store.sources).set(memory, pastedSource) }));
        useConsumer.setState({ view: made.id, stripOffset: 0 });
        addOpening(key, memory, count === 0);
        mark('closed', key, false);
      },
      count === 0 ? 'Opened' : 'Opened again',
    );

  const closeOne = () =>
    closing.run(async () => {
      if (offer === undefined || shown === undefined) return;
      const left = await request('imports.close', { id: shown.id });
      if (left.state === 'closed' && count === 1) mark('closed', offer.key);
    }, 'One reference closed');

  return (
    <StepCard
      number={2}
      title="Open"
      state={state}
      say={
        count > 0 ? (
          <span className="refs">
            <b>{count}</b> <span>{references(count).replace(/^\d+ /, '')}</span>
          </span>
        ) : (
          'map its memory into this process'
        )
      }
      action={
        <>
          {count > 0 && (
            <Button look="line" disabled={closing.busy} onClick={() => void closeOne()}>
              Close one
            </Button>
          )}
          <Button
            look={state === 'now' ? 'primary' : 'line'}
            icon={count > 0 ? 'plus' : undefined}
            disabled={busy || !canOpen || problem !== undefined}
            onClick={() => void open()}
          >
            {count > 0 ? 'Open again' : 'Open'}
          </Button>
        </>
      }
    >
      {(offer !== undefined || chosen === PASTED) && (
        <>
          <StepRow className="flags">
            <How mechanism={mechanism} onChange={clear} />
            <span className="step-end">
              {(offer?.views.length ?? 0) > 1 && shown !== undefined && (
                <Pick
                  label="View"
                  value={shown.id}
                  options={(offer?.views ?? []).map((each) => ({
                    value: each.id,
                    label: viewWords(each),
                    detail: references(each.references),
                  }))}
                  onChange={(id) => useConsumer.setState({ view: id, stripOffset: 0 })}
                />
              )}
              <Pick
                label="Range"
                value={range}
                options={[
                  { value: 'all', label: 'all' },
                  { value: 'part', label: 'a part' },
                ]}
                onChange={setRange}
              />
            </span>
          </StepRow>
          {range === 'part' && (
            <StepRow className="range" label="Range to open">
              <Field
                className="grow"
                label="From offset"
                mono
                value={at}
                onChange={(event) => setAt(event.target.value)}
              />
              <Field
                className="grow"
                label="Length"
                mono
                placeholder="to the end"
                value={length}
                onChange={(event) => setLength(event.target.value)}
              />
            </StepRow>
          )}
          {problem !== undefined && <p className="field-s error">{problem}</p>}
          {count > 0 && <CallLine call={call} note={addressNote(openings.map((each) => each.address))} />}
          {count > 0 && offer !== undefined && (
            <p className="step-note words">
              {whatArrived(mechanism, offer.owner?.name ?? 'its exporter', offer.descriptors)}
              {shown !== undefined && mechanism === 'virtual' && isReadOnly(shown, device) && ' Open to read only.'}
            </p>
          )}
        </>
      )}
      <Failure error={error} onDismiss={clear} />
      {error?.cuda?.result === 1 && !lazyPeerAccess && (
        <StepNote>It insists also where both processes use one GPU and nothing has to be enabled.</StepNote>
      )}
      <Failure error={closing.error} onDismiss={closing.clear} />
    </StepCard>
  );
}

/** What there is to say about how it is opened: flags of a legacy handle, access to virtual memory. */
function How({ mechanism, onChange }: { mechanism: Mechanism; onChange: () => void }) {
  const { lazyPeerAccess, access } = useConsumer();
  if (mechanism === 'pool') return <span className="dim cut">The pool is imported first, then this memory of it.</span>;
  if (mechanism === 'virtual' || mechanism === 'fabric')
    return (
      <Pick
        label="Access"
        value={access}
        options={[
          { value: 'read-write', label: 'read and write' },
          { value: 'read', label: 'read only', detail: 'writing is refused' },
        ]}
        onChange={(next) => {
          useConsumer.setState({ access: next });
          onChange();
        }}
      />
    );
  return (
    <>
      <Checkbox
        checked={lazyPeerAccess}
        onChange={(on) => {
          useConsumer.setState({ lazyPeerAccess: on });
          onChange();
        }}
      >
        Lazy peer access
      </Checkbox>
      <span className="dim num cut">
        {lazyPeerAccess ? 'flags 1; the driver refuses 0' : 'flags 0; the driver refuses it'}
      </span>
    </>
  );
}

function mechanismOf(pasted: Pasted | undefined): Mechanism | undefined {
  const mechanism = pasted?.descriptor?.mechanism;
  return mechanism === 'event' ? undefined : mechanism;
}

function sourceOf(pasted: Pasted | undefined): Source | undefined {
  if (pasted === undefined) return undefined;
  return pasted.descriptor === undefined
    ? { handle: pasted.handle }
    : { descriptor: printDescriptor(pasted.descriptor) };
}

/** Offset and length as typed; the whole rest when no length is given. `total` is unknown for a pasted handle. */
function readPart(
  at: string,
  length: string,
  total: number | undefined,
): { offset?: number; length?: number } | { problem: string } {
  const size = total ?? Number.MAX_SAFE_INTEGER;
  const from = parseGoto(at, { size, cursor: 0, elementBytes: 1 });
  if (!from.ok) return { problem: from.message };
  if (length.trim() === '') return { offset: from.offset };
  const long = parseSize(length);
  if (!long.ok) return { problem: long.problem };
  if (long.bytes < 1) return { problem: 'A view has at least 1 byte.' };
  if (from.offset + long.bytes > size) return { problem: `Only ${size - from.offset} bytes follow that offset.` };
  return { offset: from.offset, length: long.bytes };
}
