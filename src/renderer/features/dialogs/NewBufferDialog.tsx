import { useRef, useState } from 'react';
import { type DtypeId, dtypeIds, dtypes } from '#contract/dtypes';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { FIRST_FILL, readFill } from '../../lib/fill-form';
import { selectObject } from '../../lib/selection-store';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Field, Labelled } from '../../ui/Field';
import { Pick } from '../../ui/Pick';
import { DevicePick } from './DevicePick';
import { FillFields } from './FillFields';
import { readSize, type SizeUnit, sizeUnits } from './size-form';
import { useSubmit } from './use-submit';

/** Creates a buffer in the Inspector's own process. */
export function NewBufferDialog() {
  const { devices } = useApp();
  const [device, setDevice] = useState(useFirstDevice());
  const [amount, setAmount] = useState('4');
  const [unit, setUnit] = useState<SizeUnit>('MiB');
  const [label, setLabel] = useState('');
  const [dtype, setDtype] = useState<DtypeId>('f32');
  const [fill, setFill] = useState(FIRST_FILL);
  const first = useRef<HTMLInputElement>(null);
  const { busy, error, tried, submit } = useSubmit();

  const size = readSize(amount, unit, devices.find(({ ordinal }) => ordinal === device)?.totalBytes);
  const filled = readFill(fill, dtype);
  const create = () =>
    submit(!('problem' in size) && filled.ok, async () => {
      if ('problem' in size || !filled.ok) return;
      const { id } = await request('buffers.create', {
        device,
        bytes: size.bytes,
        label: label.trim() === '' ? undefined : label.trim(),
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
      footer={
        <>
          <Button look="line" onClick={closeDialog}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={busy}>
            Create
          </Button>
        </>
      }
    >
      <div className="dlg-row">
        <Field
          ref={first}
          label="Size"
          value={amount}
          error={tried || amount.trim() !== '' ? ('problem' in size ? size.problem : undefined) : undefined}
          note={'problem' in size ? undefined : sizeNote(size.bytes, dtype)}
          onChange={(event) => setAmount(event.target.value)}
        />
        <Labelled label="Unit">
          {() => (
            <Pick
              look="box"
              label="Unit"
              value={unit}
              options={sizeUnits.map((value) => ({ value, label: value }))}
              onChange={setUnit}
            />
          )}
        </Labelled>
        <DevicePick value={device} onChange={setDevice} />
      </div>
      <div className="dlg-row">
        <Field
          label="Label"
          placeholder="named by itself if left empty"
          maxLength={80}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
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

/** The selected device where one is, else the first. */
function useFirstDevice(): number {
  return useApp((store) => store.devices[0]?.ordinal ?? 0);
}
