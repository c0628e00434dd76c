import { useRef } from 'react';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { closeDialog } from '../../lib/dialogs';
import { count, list } from '../../lib/format';
import { type Group, groupsOf } from '../../lib/groups';
import type { Table } from '../../lib/ledger';
import { useLedger } from '../../lib/ledger-store';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { useSubmit } from './use-submit';

/** Asks before an own buffer is freed or an own event destroyed, and names who still holds it. */
export function FreeDialog({ id }: { id: string }) {
  const group = useLedger((ledger) => groupsOf(ledger).byId.get(id));
  const peers = useLedger((ledger) => ledger.peers);
  const keep = useRef<HTMLButtonElement>(null);
  const { busy, error, submit } = useSubmit();
  if (group === undefined) return null;
  const memory = group.kind === 'memory';
  const verb = memory ? 'Free' : 'Destroy';
  const free = () =>
    submit(true, async () => {
      await request(memory ? 'buffers.free' : 'events.destroy', { id });
      announce(`${group.label} is ${memory ? 'freed' : 'destroyed'}`);
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

/** Who holds it, and what freeing means for them. */
export function consequence(group: Group, peers: Table<'peers'>): string {
  const open = group.children.filter(({ record }) => record.state === 'open');
  const names = [...new Set(open.map(({ record }) => peers.get(record.peerId)?.name ?? record.peerId))];
  const memory = group.kind === 'memory';
  if (names.length > 0) {
    const they = names.length === 1 ? 'It keeps' : 'They keep';
    const close = names.length === 1 ? 'it closes' : 'they close';
    const held = `${list(names)} ${names.length === 1 ? 'holds' : 'hold'} ${count(group.references, 'reference')}.`;
    return memory
      ? `${held} ${they} the bytes until ${close}; nobody can open the handle again.`
      : `${held} ${they} the event until ${close}; nobody will record it again.`;
  }
  if (group.exports.length > 0)
    return `Nobody in this app has it open. Its handle was exported: whoever has that can no longer open it${memory ? ', and who has it open outside of this app keeps the bytes until it closes' : ''}.`;
  return memory ? 'Nobody else can have it open: it was never exported. Its bytes are lost.' : 'It was never exported.';
}
