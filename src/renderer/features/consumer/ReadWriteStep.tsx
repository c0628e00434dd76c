import { type FormEvent, useState } from 'react';
import type { Mapping } from '#contract/records';
import { request } from '../../lib/api';
import { hexOffset } from '../../lib/bytes-format';
import { Button, LinkButton } from '../../ui/Button';
import { STRIP_BYTES } from '../../ui/demo/BytesStrip';
import { Failure } from '../../ui/demo/Failure';
import { StepCard, StepNote } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { Segmented } from '../../ui/Segmented';
import { isReadOnly, type Offer } from './consumer-model';
import { mark, useConsumer } from './consumer-store';
import { parseWrite, type WriteForm } from './write-input';

/** Step 3: the bytes are above; writing changes them for the producer too. */
export function ReadWriteStep({
  state,
  offer,
  view,
}: {
  state: StepState;
  offer: Offer | undefined;
  view: Mapping | undefined;
}) {
  const input = useConsumer((store) => store.write);
  const stripOffset = useConsumer((store) => store.stripOffset);
  const { busy, error, run, clear } = useAction();
  const [problem, setProblem] = useState<string>();
  const [last, setLast] = useState<{ offset: number; length: number }>();
  const change = (part: Partial<typeof input>) => {
    useConsumer.setState({ write: { ...input, ...part } });
    setProblem(undefined);
    clear();
  };

  const write = async (event: FormEvent) => {
    event.preventDefault();
    if (view === undefined || offer === undefined) return;
    const parsed = parseWrite(input, { length: view.bytes, address: view.address });
    if (!parsed.ok) return setProblem(parsed.why);
    setProblem(undefined);
    await run(async () => {
      await request('buffers.write', { id: view.id, ...parsed.value });
      mark('wrote', offer.key);
      setLast({ offset: parsed.value.offset, length: parsed.value.bytes.length });
    }, 'Written');
  };
  const owner = offer?.owner?.name ?? 'The exporter';
  const hidden = last !== undefined && (last.offset < stripOffset || last.offset >= stripOffset + STRIP_BYTES);

  return (
    <StepCard
      number={3}
      title="Read and write"
      state={state}
      say={view === undefined ? 'once it is open' : undefined}
      action={
        view !== undefined && (
          <Segmented
            label="Bytes as"
            size="small"
            value={input.form}
            options={[
              { value: 'hex', label: 'Hex' },
              { value: 'text', label: 'Text' },
            ]}
            onChange={(form: WriteForm) => change({ form })}
          />
        )
      }
    >
      {view !== undefined && (
        <>
          <form className="step-row write" noValidate onSubmit={(event) => void write(event)}>
            <label className="field at">
              <span className="dim">at</span>
              <input
                className="mono"
                aria-label="Offset"
                autoComplete="off"
                spellCheck={false}
                title="An offset or an expression: 0x1b, 4*8, end"
                value={input.at}
                onChange={(event) => change({ at: event.target.value })}
              />
            </label>
            <label className={problem === undefined ? 'field grow' : 'field grow bad'}>
              <span className="dim">{input.form === 'hex' ? 'bytes' : 'text'}</span>
              <input
                className="mono"
                aria-label={input.form === 'hex' ? 'Bytes to write' : 'Text to write'}
                aria-invalid={problem !== undefined || undefined}
                aria-describedby="write-says"
                autoComplete="off"
                spellCheck={false}
                value={input.bytes}
                onChange={(event) => change({ bytes: event.target.value })}
              />
            </label>
            <Button type="submit" look={state === 'now' ? 'primary' : 'line'} disabled={busy}>
              Write
            </Button>
          </form>
          {problem !== undefined ? (
            <p className="field-s error" id="write-says">
              {problem}
            </p>
          ) : (
            <StepNote id="write-says">
              {offer?.state === 'live' || offer?.state === 'unknown' ? (
                <span>
                  {isReadOnly(view, view.device)
                    ? 'Open to read only: writing is refused.'
                    : `${owner} sees it too: it is the same memory.`}
                </span>
              ) : (
                <span>
                  {offer?.state === 'gone' ? `${owner} is gone` : `${owner} has freed it`}; whoever else has it open
                  sees it.
                </span>
              )}
              {hidden && last !== undefined && (
                <LinkButton onClick={() => useConsumer.setState({ stripOffset: Math.floor(last.offset / 16) * 16 })}>
                  Show {hexOffset(last.offset)} above
                </LinkButton>
              )}
            </StepNote>
          )}
          <Failure error={error} onDismiss={clear} />
        </>
      )}
    </StepCard>
  );
}
