import { type FormEvent, useState } from 'react';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { formatBytes, formatSize, parseSize } from '#contract/units';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { Button } from '../../ui/Button';
import { CallLine } from '../../ui/demo/CallLine';
import { Failure } from '../../ui/demo/Failure';
import { type DemoWay, ways } from '../../ui/demo/mechanism';
import { useSelf } from '../../ui/demo/process';
import { StepCard, StepRow } from '../../ui/demo/StepCard';
import type { StepState } from '../../ui/demo/steps';
import { useAction } from '../../ui/demo/use-action';
import { useNewestCallAbout } from '../../ui/demo/use-calls';
import { Field } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { freeLabel, labelProblem, type OwnBuffer } from './producer-model';
import { selectBuffer, useProducer } from './producer-store';
import { WayPick } from './WayPick';

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const;

/** Step 1: memory, and with its kind the way in which it is shared. Once there is a buffer it says which, and offers another one. */
export function CreateStep({
  state,
  buffers,
  shown,
}: {
  state: StepState;
  buffers: readonly OwnBuffer[];
  shown: OwnBuffer | undefined;
}) {
  const creating = useProducer((store) => store.creating) || shown === undefined;
  const allocation = shown?.allocation;
  const call = useNewestCallAbout(allocation?.id, ...ways[shown?.way ?? 'legacy'].calls.create);
  const facts = allocation && factsOf(allocation, shown?.way);
  const live = buffers.filter((row) => row.allocation.state === 'live' || row === shown);
  return (
    <StepCard
      number={1}
      title="Create"
      state={creating ? 'now' : state}
      say={
        allocation === undefined || creating ? (
          'memory that this process owns'
        ) : live.length > 1 ? (
          <span className="pick-say">
            <Pick
              label="Buffer"
              prefix=""
              value={allocation.id}
              options={live.map((row) => ({
                value: row.allocation.id,
                label: row.allocation.label,
                detail: row.allocation.state === 'live' ? formatSize(row.allocation.bytes) : 'freed',
              }))}
              onChange={selectBuffer}
            />
            <span className="cut" title={formatBytes(allocation.bytes)}>
              {facts}
            </span>
          </span>
        ) : (
          <span title={formatBytes(allocation.bytes)}>
            {allocation.label}, {facts}
          </span>
        )
      }
      action={
        !creating && (
          <Button
            size="small"
            look={allocation?.state === 'live' ? 'quiet' : 'line'}
            icon="plus"
            onClick={() => useProducer.setState({ creating: true })}
          >
            New buffer
          </Button>
        )
      }
    >
      {creating ? <CreateForm buffers={buffers} canCancel={shown !== undefined} /> : <CallLine call={call} />}
    </StepCard>
  );
}

const factsOf = ({ bytes, dtype, device }: OwnBuffer['allocation'], way: OwnBuffer['way']): string =>
  `${formatSize(bytes)} of ${dtype} on GPU ${device}${way === undefined || way === 'legacy' ? '' : `, ${ways[way].short}`}`;

function CreateForm({ buffers, canCancel }: { buffers: readonly OwnBuffer[]; canCancel: boolean }) {
  const devices = useApp((app) => app.devices);
  const home = useSelf()?.device ?? 0;
  const [label, setLabel] = useState(() => freeLabel(buffers));
  const [size, setSize] = useState('4');
  const [unit, setUnit] = useState<(typeof UNITS)[number]>('KiB');
  const [dtype, setDtype] = useState<DtypeId>('u8');
  const [device, setDevice] = useState(home);
  const [way, setWay] = useState<DemoWay>('legacy');
  const [tried, setTried] = useState(false);
  const { busy, error, run, clear } = useAction();

  const badLabel = labelProblem(label, buffers);
  // A unit typed into the field wins over the one chosen beside it.
  const read = parseSize(
    /[a-z]/i.test(size.replace(/^\s*0x[0-9a-f]+\s*$/i, '')) ? size : `${size.trim()} ${unit}`.trim(),
  );
  const badSize = !read.ok ? read.problem : read.bytes < 1 ? 'At least 1 byte.' : undefined;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setTried(true);
    if (badLabel !== undefined || !read.ok || badSize !== undefined) return;
    const args = { device, bytes: read.bytes, label: label.trim(), dtype, memory: ways[way].memory };
    const made = await run(() => request('buffers.create', args), `${label.trim()} created`);
    if (made !== undefined) selectBuffer(made.id);
  };

  return (
    <form className="create" noValidate onSubmit={(event) => void submit(event)}>
      <StepRow className="fields">
        <Field
          className="grow"
          label="Name"
          value={label}
          maxLength={80}
          error={tried ? badLabel : undefined}
          onChange={(event) => setLabel(event.target.value)}
        />
        <Field
          className="create-size"
          label="Size"
          inputMode="decimal"
          value={size}
          error={tried ? badSize : undefined}
          onChange={(event) => {
            setSize(event.target.value);
            clear();
          }}
        />
        <Pick
          look="box"
          label="Unit"
          value={unit}
          options={UNITS.map((value) => ({ value, label: value }))}
          onChange={setUnit}
        />
      </StepRow>
      <StepRow>
        <Pick
          look="box"
          className="create-type"
          label="Element type"
          value={dtype}
          options={dtypeIds.map((value) => ({ value, label: value, detail: dtypes[value].name }))}
          onChange={setDtype}
        />
        <Pick
          look="box"
          className="create-gpu"
          label="GPU"
          value={device}
          options={
            devices.length > 0
              ? devices.map((each) => ({ value: each.ordinal, label: `GPU ${each.ordinal}`, detail: each.name }))
              : [{ value: home, label: `GPU ${home}` }]
          }
          onChange={setDevice}
        />
        <span className="step-end">
          {canCancel && (
            <Button look="quiet" onClick={() => useProducer.setState({ creating: false })}>
              Cancel
            </Button>
          )}
          <Button type="submit" look="primary" disabled={busy}>
            Create
          </Button>
        </span>
      </StepRow>
      <WayPick
        value={way}
        device={devices.find(({ ordinal }) => ordinal === device)}
        bytes={read.ok ? read.bytes : undefined}
        onChange={(next) => {
          setWay(next);
          clear();
        }}
      />
      <Failure error={error} onDismiss={clear} />
    </form>
  );
}
