import { useDialog } from '../../lib/dialogs';
import { FillDialog } from './FillDialog';
import { FreeDialog } from './FreeDialog';
import { ImportDialog } from './import/ImportDialog';
import { NewBufferDialog } from './NewBufferDialog';
import { NewEventDialog } from './NewEventDialog';
import { SharingDialog } from './SharingDialog';
import { WriteDialog } from './WriteDialog';

/** The form or question that is open. Each begins afresh when it opens. */
export function Dialogs() {
  const dialog = useDialog((store) => store.dialog);
  switch (dialog?.kind) {
    case 'new-buffer':
      return <NewBufferDialog />;
    case 'new-event':
      return <NewEventDialog />;
    case 'import':
      return <ImportDialog first={dialog.from} />;
    case 'fill':
      return <FillDialog id={dialog.id} />;
    case 'write':
      return <WriteDialog id={dialog.id} offset={dialog.offset} />;
    case 'free':
      return <FreeDialog id={dialog.id} />;
    case 'sharing':
      return <SharingDialog />;
    default:
      return null;
  }
}
