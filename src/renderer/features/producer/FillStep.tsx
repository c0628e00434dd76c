import { type FormEvent, useState } from 'react';
import { request } from '../../lib/api';
import { type FillForm, moves, PATTERNS, readFill } from '../../lib/fill-form';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { StepCard, StepRow } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCallAbout } from '../../ui/demo/use-calls';
import { Field } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { Segmented } from '../../ui/Segmented';
import { Switch } from '../../ui/Switch';
import type { OwnBuffer } from './producer-model';
import { markWritten, useProducer } from './producer-store';

const RATES = [0.5, 1, 2, 4, 10, 30, 60];

/** Step 2: bytes into the memory, once or again and again. */
export function FillStep({ state, shown }: { state: StepState; shown: OwnBuffer | undefined }) {
  const form = useProducer((store) => store.fill);
  const hz = useProducer((store) => store.hz);
  const { busy, error, run, clear } = useAction();
  const [tried, setTried] = useState(false);
  const allocation = shown?.allocation.state === 'live' ? shown.allocation : undefined;
  const animated = allocation?.animated !== undefined && allocation.animated > 0;
  const made = readFill(form, allocation?.dtype ?? 'u8');
  const change = (part: Partial<FillForm>) => {
    useProducer.setState({ fill: { ...form, ...part } });
    clear();
  };

  const write = async () => {
    setTried(true);
    if (allocation === undefined || !made.ok) return;
    const { id } = allocation;
    // Over a running animation a single write would be gone with its next tick: the animation takes the new fill.
    const put = () =>
      animated && moves(made.fill)
        ? request('buffers.animate', { id, fill: made.fill, hz })
        : request('buffers.fill', { id, fill: made.fill });
    await run(async () => {
      await put();
      markWritten(id);
    }, `Written to ${allocation.label}`);
  };
  const animate = async (rate: number) => {
    setTried(true);
    if (allocation === undefined || (rate > 0 && !made.ok)) return;
    const { id } = allocation;
    await run(
      async () => {
        await request('buffers.animate', { id, hz: rate, ...(rate > 0 && made.ok ? { fill: made.fill } : {}) });
        markWritten(id);
      },
      rate > 0 ? `${allocation.label} is animated, ${rate} times a second` : 'Animation stopped',
    );
  };

  return (
    <StepCard
      number={2}
      title="Fill"
      state={state}
      say={allocation === undefined ? 'put bytes into the buffer' : undefined}
      action={
        allocation !== undefined && (
          <>
            <Pick
              label="Rate"
              prefix=""
              value={hz}
              options={RATES.map((value) => ({ value, label: `${value} Hz` }))}
              onChange={(rate) => {
                useProducer.setState({ hz: rate });
                if (animated) void animate(rate);
              }}
            />
            <Switch
              checked={animated}
              disabled={!animated && made.ok && !moves(made.fill)}
              onChange={(on) => void animate(on ? hz : 0)}
            >
              Animate
            </Switch>
          </>
        )
      }
    >
      {allocation !== undefined && (
        <>
          <StepRow>
            <Segmented
              label="Pattern"
              size="normal"
              value={form.pattern}
              options={PATTERNS}
              onChange={(pattern) => {
                setTried(false);
                change({ pattern });
              }}
            />
          </StepRow>
          <form
            className="step-row top"
            noValidate
            onSubmit={(event: FormEvent) => {
              event.preventDefault();
              void write();
            }}
          >
            <Parameters
              form={form}
              change={change}
              dtype={allocation.dtype}
              problem={tried && !made.ok ? made.why : undefined}
            />
            <Button type="submit" look={state === 'now' ? 'primary' : 'line'} disabled={busy}>
              Write
            </Button>
          </form>
          <Written id={allocation.id} />
          <Failure error={error} onDismiss={clear} />
        </>
      )}
    </StepCard>
  );
}

interface ParametersProps {
  readonly form: FillForm;
  readonly change: (part: Partial<FillForm>) => void;
  readonly dtype: string;
  readonly problem: string | undefined;
}

/** What the chosen pattern needs to be told. */
function Parameters({ form, change, dtype, problem }: ParametersProps) {
  switch (form.pattern) {
    case 'zero':
      return <span className="grow soft cut">every byte 00</span>;
    case 'constant':
      return (
        <Field
          className="grow"
          label={`Value of each ${dtype}`}
          hideLabel
          mono
          value={form.value}
          error={problem}
          onChange={(event) => change({ value: event.target.value })}
        />
      );
    case 'ramp':
      return (
        <div className="grow">
          <div className="step-row">
            <Prefixed
              label="Start"
              word="from"
              value={form.start}
              bad={problem !== undefined}
              onChange={(start) => change({ start })}
            />
            <Prefixed
              label="Step"
              word="step"
              value={form.step}
              bad={problem !== undefined}
              onChange={(step) => change({ step })}
            />
          </div>
          {problem !== undefined && <p className="field-s error">{problem}</p>}
        </div>
      );
    case 'random':
      return (
        <Field
          className="grow"
          label="Seed"
          hideLabel
          mono
          placeholder="seed: a new one each time"
          value={form.seed}
          error={problem}
          onChange={(event) => change({ seed: event.target.value })}
        />
      );
    case 'text':
      return (
        <Field
          className="grow"
          label="Text to write"
          hideLabel
          value={form.text}
          maxLength={4096}
          error={problem}
          title="{pid}, {n} and {time} are replaced when it is written"
          onChange={(event) => change({ text: event.target.value })}
        />
      );
  }
}

/** A field with its name inside, before the value. */
function Prefixed({
  label,
  word,
  value,
  bad,
  onChange,
}: {
  label: string;
  word: string;
  value: string;
  bad: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <label className={bad ? 'field grow bad' : 'field grow'}>
      <span className="dim">{word}</span>
      <input
        className="mono"
        aria-label={label}
        aria-invalid={bad || undefined}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}

/** The call that put the bytes there; at first the zeros of its creation. */
function Written({ id }: { id: string }) {
  const call = useNewestCallAbout(
    id,
    'cuMemcpyHtoD_v2',
    'cuMemsetD8_v2',
    'cuMemsetD16_v2',
    'cuMemsetD32_v2',
    'cuMemcpyDtoD_v2',
  );
  return <CallLine call={call} />;
}
