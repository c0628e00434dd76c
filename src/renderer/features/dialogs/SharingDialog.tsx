import { closeDialog } from '../../lib/dialogs';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';

/** How legacy sharing works, in the order in which it happens. */
export function SharingDialog() {
  return (
    <Dialog
      open
      onClose={closeDialog}
      title="How sharing works"
      footer={
        <Button look="primary" onClick={closeDialog}>
          Close
        </Button>
      }
    >
      <p>
        A process allocates GPU memory and <b>exports</b> it: the driver gives 64 bytes, the <b>handle</b>. They are a
        capability: whoever has them can read and write that memory.
      </p>
      <p>
        Another process <b>opens</b> the handle and gets a <b>mapping</b>: an address of its own for the same memory.
        Nothing is copied. Opening again adds a <b>reference</b>; each one has to be closed.
      </p>
      <p>
        The memory lives until its exporter has freed it and the last mapping is closed. When the exporter ends first,
        who has it mapped keeps the bytes, but the handle opens no memory again.
      </p>
      <p>
        An <b>event</b> says when bytes are complete: the exporter records it after writing, importers wait for it
        before reading. A process cannot open its own handles: that takes a second process.
      </p>
    </Dialog>
  );
}
