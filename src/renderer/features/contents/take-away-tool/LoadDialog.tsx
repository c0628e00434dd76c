import { useState } from 'react';
import { formatBytes, formatSize } from '#contract/units';
import { formatOffset, hexOffset } from '../../../lib/bytes-format';
import { Button } from '../../../ui/Button';
import { Dialog } from '../../../ui/Dialog';
import { Field } from '../../../ui/Field';
import type { MemorySession } from '../model/memory-session';
import { parseOffset } from '../tensor-view/choice';
import { transferOf, UNDO_BYTES } from './transfer';

/** Says what a file will replace, before any file is asked for. */
export function LoadDialog({ session, onClose }: { session: MemorySession; onClose: () => void }) {
  const [text, setText] = useState(hexOffset(session.selection.start));
  const read = parseOffset(text);
  const error = !read.ok
    ? read.message
    : read.value >= session.size
      ? `The memory has ${formatBytes(session.size)}: ${hexOffset(read.value)} lies behind them.`
      : undefined;
  const offset = read.ok && error === undefined ? read.value : 0;
  const load = () => {
    if (error !== undefined) return;
    onClose();
    void transferOf(session).load(offset);
  };
  return (
    <Dialog
      open
      onClose={onClose}
      title="Load a file into this memory?"
      onSubmit={load}
      footer={
        <>
          <Button look="line" onClick={onClose}>
            Cancel
          </Button>
          <Button look="primary" type="submit" disabled={error !== undefined}>
            Choose a file…
          </Button>
        </>
      }
    >
      <div className="take-away-form">
        <Field
          label="From"
          mono
          value={text}
          error={error}
          onChange={(event) => setText(event.currentTarget.value)}
          note={`Up to ${formatBytes(session.size - offset)}, from ${formatOffset(offset, 'hex')} to ${formatOffset(session.size - 1, 'hex')}, are overwritten: as many as the file has.`}
        />
        <p className="soft">
          Every process that has this memory mapped sees the new bytes at once. Of an .npy file the header is left out.
          What a file of up to {formatSize(UNDO_BYTES)} replaces can be put back.
        </p>
      </div>
    </Dialog>
  );
}
