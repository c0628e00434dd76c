import { useDialog } from '../../lib/dialogs';
import { FillDialog } from './FillDialog';
import { FreeDialog } from './FreeDialog';
import { ImportDialog } from './import/ImportDialog';
import { MapDialog } from './MapDialog';
import { NewBufferDialog } from './NewBufferDialog';
import { NewEventDialog } from './NewEventDialog';
import { NewPoolDialog } from './NewPoolDialog';
import { NewVirtualDialog } from './NewVirtualDialog';
import { SharingDialog } from './SharingDialog';
import { WriteDialog } from './WriteDialog';

/** The form or question that is open. Each begins afresh when it opens. */
export function Dialogs() {
  const dialog = useDialog((store) => store.dialog);
  switch (dialog?.kind) {
    case 'new-buffer':
      return <NewBufferDialog poolId={dialog.poolId} />;
    case 'new-pool':
      return <NewPoolDialog />;
    case 'new-physical':
      return <NewVirtualDialog key="physical" what="physical" />;
    case 'reserve':
      return <NewVirtualDialog key="range" what="range" />;
    case 'map':
      return <MapDialog rangeId={dialog.rangeId} physicalId={dialog.physicalId} offset={dialog.offset} />;
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
