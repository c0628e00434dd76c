import { formatCount, formatSize } from '#contract/units';
import { count, list } from '../../../lib/format';
import type { PhysicalGroup } from '../../../lib/groups';
import { useLedger } from '../../../lib/ledger-store';
import { selectObject } from '../../../lib/selection-store';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { RoleGlyph } from '../../../ui/RoleGlyph';
import { HeldBy } from './HeldBy';
import { holdsOfPhysical, holdsWords, offsetText } from './pieces';

/** Physical memory with every place where it is mapped, and who else has it. */
export function PhysicalPicture({ group }: { group: PhysicalGroup }) {
  const peers = useLedger((ledger) => ledger.peers);
  const holds = holdsOfPhysical(group);
  const owner = group.ownerId === undefined ? undefined : peers.get(group.ownerId);
  const nameOf = (id: string) => peers.get(id)?.name ?? id;
  const at = group.places.map(
    ({ label, offset, peerId }) => `${label} at byte ${formatCount(offset)} in ${nameOf(peerId)}`,
  );
  const words = `${group.label}, ${formatSize(group.bytes)}, is mapped ${at.length === 0 ? 'nowhere' : `at ${count(at.length, 'place')}: ${list(at)}`}${holdsWords(holds, nameOf)}.`;
  return (
    <figure className="vm whole" aria-label={words}>
      <div className="vm-h dim" aria-hidden="true">
        <span>Addresses</span>
        <span>Physical memory</span>
        <span>Others</span>
      </div>
      <div className="vm-row piece">
        <div className="vm-places">
          {group.places.length === 0 && <span className="vm-none">mapped nowhere</span>}
          {group.places.map((place) => (
            <button
              key={`${place.rangeId} ${place.offset}`}
              type="button"
              className="vm-node at num"
              title={`${place.address} + ${formatCount(place.offset)}`}
              onClick={() => selectObject(place.rangeId)}
            >
              <RoleGlyph role={peers.get(place.peerId)?.role ?? 'outside'} />
              <b className="cut">{place.label}</b>
              <span className="cut">{offsetText(place.offset)}</span>
            </button>
          ))}
        </div>
        <div className="vm-p">
          <div className={cx('vm-node still', group.owner !== 'live' && 'lost')}>
            <Icon name="physical" size={14} />
            <b className="cut">{group.label}</b>
            <span className="cut num">{formatSize(group.bytes)}</span>
          </div>
        </div>
        <div className="vm-o">
          <HeldBy holds={holds} ownerPid={owner?.pid} />
        </div>
      </div>
    </figure>
  );
}
