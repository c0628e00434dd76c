import { formatSize } from '#contract/units';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';
import { snapshots } from './snapshots';

/** How much there is. */
export function ChangesTools({ session }: ViewProps) {
  const list = useSignal(snapshots.onChange, () => snapshots.taken.list);
  const here = list.filter(({ objectId }) => objectId === session.source.id).length;
  const bytes = list.reduce((sum, snapshot) => sum + snapshot.bytes, 0);
  return (
    <span className="soft num cut">
      {list.length === 0
        ? 'No snapshots'
        : `${list.length} ${list.length === 1 ? 'snapshot' : 'snapshots'}, ${formatSize(bytes)}; ${here} of this memory`}
    </span>
  );
}
