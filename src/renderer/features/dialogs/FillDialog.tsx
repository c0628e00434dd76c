import { useState } from 'react';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { closeDialog } from '../../lib/dialogs';
import { FIRST_FILL, readFill } from '../../lib/fill-form';
import { useLedger } from '../../lib/ledger-store';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { FillFields } from './FillFields';
import { useSubmit } from './use-submit';

/** Writes a pattern over a whole own buffer. */
export function FillDialog({ id }: { id: string }) {
  const allocation = useLedger((ledger) => ledger.allocations.get(id));
  const [fill, setFill] = useState(FIRST_FILL);
  const { busy, error, submit } = useSubmit();
  if (allocation === undefined) return null;
  const filled = readFill(fill, allocation.dtype);
  const write = () =>
    submit(filled.ok, async () => {
      if (!filled.ok) return;
      await request('buffers.fill', { id, fill: filled.fill });
      announce(`${allocation.label} is filled`);
      closeDialog();
    });
  return (
    <Dialog
      open
      onClose={closeDialog}
      title={`Fill ${allocation.label}`}
      onSubmit={write}
      footer={
        <>
          <Button look="line" onClick={closeDialog}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={busy}>
            Fill
          </Button>
        </>
      }
    >
      <FillFields
        form={fill}
        dtype={allocation.dtype}
        problem={filled.ok ? undefined : filled}
        onChange={(change) => setFill({ ...fill, ...change })}
      />
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
