import { useLedger } from '../../../lib/ledger-store';
import { selectObject } from '../../../lib/selection-store';
import { Icon } from '../../../ui/Icon';
import { RoleGlyph } from '../../../ui/RoleGlyph';
import type { Holds } from './pieces';

/** The right column of the pictures: descriptors that are open for a memory, and who imported it. */
export function HeldBy({ holds, ownerPid }: { holds: Holds; ownerPid: number | null | undefined }) {
  const peers = useLedger((ledger) => ledger.peers);
  const { fds, fabric, importers } = holds;
  if (fds.length === 0 && !fabric && importers.length === 0) return <span className="vm-none">not shared</span>;
  return (
    <>
      {fds.map((fd) => (
        <span key={fd} className="vm-fd num" title={`Descriptor ${fd}, open in pid ${ownerPid ?? 'unknown'}`}>
          <Icon name="fd" size={12} />
          fd {fd}
        </span>
      ))}
      {fabric && (
        <span className="vm-fd">
          <Icon name="key" size={12} />
          fabric
        </span>
      )}
      {importers.map(({ record }) => {
        const peer = peers.get(record.peerId);
        return (
          <button key={record.id} type="button" className="vm-in" onClick={() => selectObject(record.id)}>
            <RoleGlyph role={peer?.role ?? 'outside'} />
            <span className="cut">{peer?.name ?? record.peerId}</span>
          </button>
        );
      })}
    </>
  );
}
