import { useRef, useState } from 'react';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useApp } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { selectObject } from '../../lib/selection-store';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Field } from '../../ui/Field';
import { Checkbox } from '../../ui/Switch';
import { DevicePick } from './DevicePick';
import { useSubmit } from './use-submit';

const INTERPROCESS_WITHOUT_TIMING = 6;
const BLOCKING_SYNC = 1;

/** Creates an interprocess event in the Inspector's own process. */
export function NewEventDialog() {
  const [device, setDevice] = useState(useApp((store) => store.devices[0]?.ordinal ?? 0));
  const [label, setLabel] = useState('');
  const [blocking, setBlocking] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const { busy, error, submit } = useSubmit();
  const flags = INTERPROCESS_WITHOUT_TIMING | (blocking ? BLOCKING_SYNC : 0);
  const create = () =>
    submit(true, async () => {
      const { id } = await request('events.create', {
        device,
        flags,
        label: label.trim() === '' ? undefined : label.trim(),
      });
      announce('The event is created');
      selectObject(id);
      closeDialog();
    });
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="New event"
      width="narrow"
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
          label="Label"
          placeholder="named by itself if left empty"
          maxLength={80}
          value={label}
          onChange={(event) => setLabel(event.target.value)}
        />
        <DevicePick value={device} onChange={setDevice} />
      </div>
      <Checkbox checked={blocking} onChange={setBlocking}>
        Blocking sync <span className="dim">who waits sleeps instead of spinning</span>
      </Checkbox>
      <p className="note">flags {flags}: interprocess, and without timing, which the driver demands for sharing.</p>
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
