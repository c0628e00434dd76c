import { useState } from 'react';
import { formatBytes } from '#contract/units';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useSelfId } from '../../lib/app-store';
import { closeDialog } from '../../lib/dialogs';
import { parseHexBytes } from '../../lib/hex-bytes';
import { useLedgerStore } from '../../lib/ledger-store';
import { targetOf } from '../../lib/target';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorText } from '../../ui/ErrorText';
import { Field, Labelled } from '../../ui/Field';
import { Segmented } from '../../ui/Segmented';
import { useSubmit } from './use-submit';
import { readOffset, readText } from './write-form';

const forms = [
  { value: 'hex', label: 'Hex' },
  { value: 'text', label: 'Text' },
] as const;

/** Writes bytes into memory that this process has; whoever shares it sees them. */
export function WriteDialog({ id, offset: first = 0 }: { id: string; offset?: number }) {
  const selfId = useSelfId();
  const ledger = useLedgerStore((store) => store.ledger);
  const target = targetOf(ledger, id, selfId);
  const [offsetText, setOffsetText] = useState(`0x${first.toString(16)}`);
  const [form, setForm] = useState<'hex' | 'text'>('hex');
  const [text, setText] = useState('');
  const { busy, error, tried, submit } = useSubmit();
  if (target.kind !== 'readable') return null;
  const bytes = form === 'hex' ? parseHexBytes(text) : readText(text);
  const offset = readOffset(offsetText, bytes.ok ? bytes.bytes.byteLength : 1, target.bytes);
  const write = () =>
    submit(bytes.ok && 'offset' in offset, async () => {
      if (!bytes.ok || !('offset' in offset)) return;
      await request('buffers.write', { id: target.id, offset: offset.offset, bytes: bytes.bytes });
      announce(`${formatBytes(bytes.bytes.byteLength)} are written`);
      closeDialog();
    });
  return (
    <Dialog
      open
      onClose={closeDialog}
      title={`Write into ${target.group.label}`}
      onSubmit={write}
      footer={
        <>
          <Button look="line" onClick={closeDialog}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={busy}>
            Write
          </Button>
        </>
      }
    >
      <div className="dlg-row">
        <Field
          label="Offset"
          mono
          value={offsetText}
          error={'problem' in offset ? offset.problem : undefined}
          onChange={(event) => setOffsetText(event.target.value)}
        />
        <Labelled label="As">
          {() => <Segmented label="As" size="normal" value={form} options={forms} onChange={setForm} />}
        </Labelled>
      </div>
      <Field
        label="Bytes"
        mono={form === 'hex'}
        value={text}
        placeholder={form === 'hex' ? '48 65 6c 6c 6f' : 'Hello'}
        error={(tried || text !== '') && !bytes.ok ? bytes.problem : undefined}
        note={bytes.ok ? formatBytes(bytes.bytes.byteLength) : undefined}
        onChange={(event) => setText(event.target.value)}
      />
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
}
