import { useRef, useState } from 'react';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { selectObject } from '../../lib/selection-store';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Checkbox } from '../../ui/Switch';
import { DevicePick } from './DevicePick';
import { Footer } from './Footer';
import { LabelField, labelOf } from './LabelField';
import { SizeFields } from './SizeFields';
import { readSize, type SizeUnit } from './size-form';
import { useFirstDevice } from './use-first-device';
import { useSubmit } from './use-submit';

/** Creates a memory pool in the Inspector's own process. */
export function NewPoolDialog() {
  const devices = useApp((store) => store.devices);
  const [device, setDevice] = useState(useFirstDevice());
  const [label, setLabel] = useState('');
  const [shareable, setShareable] = useState(true);
  const [most, setMost] = useState<{ amount: string; unit: SizeUnit }>({ amount: '', unit: 'MiB' });
  const first = useRef<HTMLInputElement>(null);
  const { busy, error, submit } = useSubmit();
  const limited = most.amount.trim() !== '';
  const size = readSize(most.amount, most.unit, devices.find(({ ordinal }) => ordinal === device)?.totalBytes);
  const create = () =>
    submit(!limited || !('problem' in size), async () => {
      const { id } = await request('pools.create', {
        device,
        shareable,
        maxBytes: limited && !('problem' in size) ? size.bytes : undefined,
        label: labelOf(label),
      });
      announce('The pool is created');
      selectObject(id);
      closeDialog();
    });
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="New pool"
      initialFocus={first}
      onSubmit={create}
      footer={<Footer verb="Create" disabled={busy || devices.length === 0} />}
    >
      <div className="dlg-row">
        <LabelField value={label} onChange={setLabel} />
        <DevicePick value={device} onChange={setDevice} />
      </div>
      <div className="dlg-row">
        <SizeFields
          first={first}
          label="At most"
          placeholder="no limit"
          amount={most.amount}
          unit={most.unit}
          size={size}
          tried={false}
          note={limited ? 'Allocating more is refused by the driver.' : undefined}
          onChange={(change) => setMost({ ...most, ...change })}
        />
      </div>
      <Checkbox checked={shareable} onChange={setShareable}>
        Shareable <span className="dim">others can import it by a file descriptor</span>
      </Checkbox>
      <p className="note">
        A pool keeps memory for allocations that come and go on streams. An importer can open what was allocated in it,
        but cannot allocate from it. Whether it is shareable cannot be changed later.
      </p>
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
