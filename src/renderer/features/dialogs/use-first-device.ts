import { useApp } from '../../lib/app-store';
import { useSelection } from '../../lib/selection-store';

/** The selected device where one is, else the first. */
export function useFirstDevice(): number {
  const first = useApp((store) => store.devices[0]?.ordinal ?? 0);
  const selection = useSelection((store) => store.selection);
  return selection?.kind === 'device' ? selection.ordinal : first;
}
