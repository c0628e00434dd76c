import { useRef, useState } from 'react';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { FIRST_FILL, readFill } from '../../lib/fill-form';
import { roundUp, useGranularity } from '../../lib/granularity';
import { useLedger } from '../../lib/ledger-store';
import { selectObject } from '../../lib/selection-store';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { DevicePick } from './DevicePick';
import { FillFields } from './FillFields';
import { Footer } from './Footer';
import { KindFields, type KindForm } from './KindFields';
import { LabelField, labelOf } from './LabelField';
import { SizeFields } from './SizeFields';
import { readSize, type SizeUnit } from './size-form';
import { useFirstDevice } from './use-first-device';
import { useSubmit } from './use-submit';

/** Creates a buffer in the Inspector's own process. */
export function NewBufferDialog({ poolId }: { poolId?: string }) {
  const { devices } = useApp();
  const pool = useLedger((ledger) => (poolId === undefined ? undefined : ledger.pools.get(poolId)));
  const firstDevice = useFirstDevice();
  const [device, setDevice] = useState(pool?.device ?? firstDevice);
  const [kind, setKind] = useState<KindForm>({
    memory: pool === undefined ? 'device' : 'pool',
    poolId: pool?.id ?? '',
  });
  const [amount, setAmount] = useState('4');
  const [unit, setUnit] = useState<SizeUnit>('MiB');
  const [label, setLabel] = useState('');
  const [dtype, setDtype] = useState<DtypeId>('f32');
  const [fill, setFill] = useState(FIRST_FILL);
  const first = useRef<HTMLInputElement>(null);
  const { busy, error, tried, submit } = useSubmit();

  const size = readSize(amount, unit, devices.find(({ ordinal }) => ordinal === device)?.totalBytes);
  const filled = readFill(fill, dtype);
  const granularity = useGranularity(kind.memory === 'virtual' ? device : undefined);
  const bytes = 'problem' in size ? undefined : size.bytes;
  const create = () =>
    submit(!('problem' in size) && filled.ok, async () => {
      if ('problem' in size || !filled.ok) return;
      const { id } = await request('buffers.create', {
        device,
        bytes: size.bytes,
        memory: kind.memory,
        poolId: kind.memory === 'pool' && kind.poolId !== '' ? kind.poolId : undefined,
        label: labelOf(label),
        dtype,
        fill: filled.fill,
      });
      announce('The buffer is created');
      selectObject(id);
      closeDialog();
    });
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="New buffer"
      initialFocus={first}
      onSubmit={create}
      footer={<Footer verb="Create" disabled={busy || devices.length === 0} />}
    >
      <div className="dlg-row of-three">
        <SizeFields
          first={first}
          amount={amount}
          unit={unit}
          size={size}
          tried={tried}
          note={
            bytes === undefined ? undefined : sizeNote(rounded(bytes, kind.memory, granularity.value?.minimum), dtype)
          }
          onChange={(change) => {
            if (change.amount !== undefined) setAmount(change.amount);
            if (change.unit !== undefined) setUnit(change.unit);
          }}
        />
        <DevicePick
          value={device}
          onChange={(next) => {
            setDevice(next);
            setKind({ ...kind, poolId: '' });
          }}
        />
      </div>
      <KindFields
        form={kind}
        device={device}
        bytes={bytes}
        granularity={granularity}
        onChange={(change) => setKind({ ...kind, ...change })}
      />
      <div className="dlg-row">
        <LabelField value={label} onChange={setLabel} />
        <Labelled label="Element type">
          {() => (
            <Pick
              look="box"
              label="Element type"
              value={dtype}
              options={dtypeIds.map((id) => ({ value: id, label: id, detail: dtypes[id].name }))}
              onChange={setDtype}
            />
          )}
        </Labelled>
      </div>
      <FillFields
        form={fill}
        dtype={dtype}
        problem={filled.ok ? undefined : filled}
        onChange={(change) => setFill({ ...fill, ...change })}
      />
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}

/** How many elements fit, and what is left over. */
function sizeNote(bytes: number, dtype: DtypeId): string {
  const { bytes: each, perUnit } = dtypes[dtype];
  const rest = bytes % each;
  const elements = `${formatCount(Math.floor(bytes / each) * perUnit)} × ${dtype}`;
  const exact = bytes < 1024 ? '' : `${formatSize(bytes)}, `;
  return rest === 0
    ? `${exact}${formatBytes(bytes)}, ${elements}`
    : `${exact}${formatBytes(bytes)}, ${elements} and ${formatBytes(rest)} over`;
}

const rounded = (bytes: number, memory: KindForm['memory'], granularity: number | undefined): number =>
  memory === 'virtual' && granularity !== undefined ? roundUp(bytes, granularity) : bytes;
