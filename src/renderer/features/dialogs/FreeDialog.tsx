import { useRef } from 'react';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { closeDialog } from '../../lib/dialogs';
import { groupsOf } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { endVerb } from '../../lib/object-menu';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { consequence } from './consequence';
import { useSubmit } from './use-submit';

const calls = {
  memory: 'buffers.free',
  event: 'events.destroy',
  pool: 'pools.destroy',
  physical: 'virtual.release',
} as const;
const done = { memory: 'freed', event: 'destroyed', pool: 'destroyed', physical: 'released' } as const;

/** Asks before something of its own is freed, destroyed or released, and names who still holds it. */
export function FreeDialog({ id }: { id: string }) {
  const group = useLedger((ledger) => groupsOf(ledger).byId.get(id));
  const peers = useLedger((ledger) => ledger.peers);
  const keep = useRef<HTMLButtonElement>(null);
  const { busy, error, submit } = useSubmit();
  if (group === undefined) return null;
  const verb = endVerb[group.kind];
  const free = () =>
    submit(true, async () => {
      await request(calls[group.kind], { id });
      announce(`${group.label} is ${done[group.kind]}`);
      closeDialog();
    });
  return (
    <Dialog
      open
      alert
      width="narrow"
      onClose={closeDialog}
      title={`${verb} ${group.label}?`}
      initialFocus={keep}
      footer={
        <>
          <Button ref={keep} look="line" onClick={closeDialog}>
            Keep
          </Button>
          <Button look="danger" disabled={busy} onClick={free}>
            {verb}
          </Button>
        </>
      }
    >
      <p>{consequence(group, peers)}</p>
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
