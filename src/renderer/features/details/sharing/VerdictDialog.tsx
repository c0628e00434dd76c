import '../details.css';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSelfId } from '../../../lib/app-store';
import { type Command, useCommands } from '../../../lib/commands';
import { closeDialog, openDialog, useDialog } from '../../../lib/dialogs';
import { groupsOf } from '../../../lib/groups';
import { useLedger } from '../../../lib/ledger-store';
import { peerRuns } from '../../../lib/states';
import { Button } from '../../../ui/Button';
import { Dialog } from '../../../ui/Dialog';
import { ErrorText } from '../../../ui/ErrorText';
import { Field, Labelled } from '../../../ui/Field';
import { Later } from '../../../ui/Later';
import { Pick } from '../../../ui/Pick';
import { readAddress } from './address';
import { useVerdict } from './use-verdict';
import { VerdictView } from './VerdictView';

const commands: readonly Command[] = [
  {
    id: 'sharing.address',
    title: 'How can an address be shared?…',
    group: 'Sharing',
    icon: 'question',
    run: () => openDialog({ kind: 'verdict' }),
  },
];

/** "How can this be shared?" as a dialog: for an object, or for an address in a process of this app. */
export function VerdictDialog() {
  useCommands(commands);
  const dialog = useDialog((store) => store.dialog);
  if (dialog?.kind !== 'verdict') return null;
  return dialog.id === undefined ? <OfAddress /> : <OfObject key={dialog.id} id={dialog.id} />;
}

function OfObject({ id }: { id: string }) {
  const label = useLedger((ledger) => groupsOf(ledger).of.get(id)?.label ?? id);
  const { busy, verdict, error, at, ask } = useVerdict();
  const asked = useRef(false);
  useEffect(() => {
    // Once when it opens: each time again makes driver calls.
    if (asked.current) return;
    asked.current = true;
    void ask({ id });
  });
  return (
    <Dialog
      open
      width="wide"
      onClose={closeDialog}
      title={`How can ${label} be shared?`}
      footer={
        <>
          <Button look="line" icon="restart" disabled={busy} onClick={() => void ask({ id })}>
            Ask again
          </Button>
          <Button look="primary" onClick={closeDialog}>
            Close
          </Button>
        </>
      }
    >
      <Answer busy={busy} error={error} verdict={verdict} at={at} id={id} />
    </Dialog>
  );
}

function OfAddress() {
  const selfId = useSelfId();
  const table = useLedger((ledger) => ledger.peers);
  const peers = useMemo(() => [...table.values()].filter((peer) => peer.role !== 'outside' && peerRuns(peer)), [table]);
  const [peerId, setPeerId] = useState(selfId);
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const first = useRef<HTMLInputElement>(null);
  const { busy, verdict, error, at, ask } = useVerdict();
  const address = readAddress(text);
  const submit = () => {
    setTried(true);
    if ('address' in address && !busy) void ask({ address: address.address, processId: peerId });
  };
  return (
    <Dialog
      open
      width="wide"
      onClose={closeDialog}
      title="How can an address be shared?"
      initialFocus={first}
      onSubmit={submit}
      footer={
        <>
          <Button look="line" onClick={closeDialog}>
            Close
          </Button>
          <Button look="primary" type="submit" disabled={busy}>
            Ask the driver
          </Button>
        </>
      }
    >
      <div className="dlg-row">
        <Field
          ref={first}
          label="Address"
          mono
          placeholder="0x7f…"
          value={text}
          error={(tried || text.trim() !== '') && 'problem' in address ? address.problem : undefined}
          onChange={(event) => setText(event.target.value)}
        />
        <Labelled label="Process">
          {() => (
            <Pick
              look="box"
              label="Process"
              value={peerId}
              options={peers.map(({ id, name, pid }) => ({ value: id, label: name, detail: pid }))}
              onChange={setPeerId}
            />
          )}
        </Labelled>
      </div>
      {verdict === undefined && error === undefined && !busy && (
        <p className="note">Addresses mean something only in the process that uses them. Nothing is read or written.</p>
      )}
      <Answer busy={busy} error={error} verdict={verdict} at={at} id={verdict?.subject.objectId ?? undefined} />
    </Dialog>
  );
}

type Asked = ReturnType<typeof useVerdict>;

function Answer({ busy, error, verdict, at, id }: Omit<Asked, 'ask'> & { id: string | undefined }) {
  return (
    <>
      {busy && (
        <Later>
          <p className="note" role="status">
            Asking the driver…
          </p>
        </Later>
      )}
      {error !== undefined && <ErrorText error={error} />}
      {verdict !== undefined && <VerdictView key={at} verdict={verdict} at={at} id={id} />}
    </>
  );
}
