import { closeDialog } from '../../lib/dialogs';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';

/** How sharing works, in the order in which it happens: by handle, and by descriptor. */
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
        whoever has it mapped keeps the bytes, but the handle opens no memory again.
      </p>
      <p>
        Memory of a <b>pool</b> and <b>virtual memory</b> travel by <b>file descriptor</b> instead: the exporter sends a
        copy of one that it holds open. A pool goes as a whole, and each allocation in it by 64 bytes more; of virtual
        memory each piece of physical memory has its own. Nothing beside them is exposed.
      </p>
      <p>
        An <b>event</b> says when bytes are complete: the exporter records it after writing, importers wait for it
        before reading. A process cannot open its own handles: that takes a second process.
      </p>
    </Dialog>
  );
}
