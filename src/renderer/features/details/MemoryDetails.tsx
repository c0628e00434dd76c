import type { Mapping } from '#contract/records';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { openBuffer } from '../../lib/actions';
import { useSelfId } from '../../lib/app-store';
import type { Group, MemoryGroup } from '../../lib/groups';
import { groupsOf, liveExport } from '../../lib/groups';
import { useLedger, useLedgerStore } from '../../lib/ledger-store';
import { objectMenu } from '../../lib/object-menu';
import { peerRuns } from '../../lib/states';
import { targetOf } from '../../lib/target';
import { Button } from '../../ui/Button';
import { GoneNotice, WorksNow } from './GoneNotice';
import { HandleSection } from './HandleSection';
import { Header } from './Header';
import { HoldersSection } from './HoldersSection';
import { PointerSections } from './PointerSections';
import { Facts, Section } from './Section';

/** Memory, selected by its own row or by that of one of its mappings. */
export function MemoryDetails({ group, selectedId }: { group: MemoryGroup; selectedId: string }) {
  const selfId = useSelfId();
  const ledger = useLedgerStore((store) => store.ledger);
  const exporter = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const mapping = ledger.mappings.get(selectedId);
  const target = targetOf(ledger, selectedId, selfId);
  const orphan = group.owner === 'gone' || group.owner === 'freed';
  const handle = <HandleSection group={group} own={group.ownerId === selfId} />;
  return (
    <>
      <Header
        icon="buffer"
        title={group.label}
        kind={mapping === undefined ? 'buffer' : 'mapping'}
        items={objectMenu(ledger, selectedId, selfId)}
      />
      <GoneNotice group={group} exporter={exporter} />
      {mapping !== undefined && <MappingSection mapping={mapping} group={group} own={mapping.peerId === selfId} />}
      {!orphan && handle}
      <HoldersSection group={group} selectedId={selectedId} selfId={selfId} />
      <WorksNow group={group} waitedFor={useWaitedFor(group)} />
      {target.kind === 'readable' ? (
        <PointerSections key={target.id} target={target} version={`${group.exports.length} ${group.owner}`} />
      ) : (
        <Section title="Pointer">
          <Facts
            facts={[
              [
                'Address',
                group.allocation === undefined ? (
                  'not known here'
                ) : (
                  <span key="a" className="mono">
                    {group.allocation.address}
                  </span>
                ),
              ],
              [
                'Size',
                <span key="s" title={formatBytes(group.bytes)}>
                  {formatSize(group.bytes)}
                </span>,
              ],
              ['Block', group.allocation?.blockBytes == null ? undefined : formatSize(group.allocation.blockBytes)],
              ['Element type', group.allocation?.dtype],
            ]}
          />
          {!orphan && peerRuns(exporter) && (
            <p className="note">
              More once it is open in Inspector: only who has a pointer can ask the driver about it.
            </p>
          )}
        </Section>
      )}
      {orphan && handle}
    </>
  );
}

/** The label of an event of the same process that will never be ready, when there is one and somebody has it open. */
function useWaitedFor(group: Group): string | undefined {
  return useLedger((ledger) => {
    if (group.owner !== 'gone') return undefined;
    return groupsOf(ledger).list.find(
      (other) =>
        other.kind === 'event' &&
        other.owner === 'gone' &&
        other.ownerId === group.ownerId &&
        other.references > 0 &&
        other.event?.status === 'not-ready',
    )?.label;
  });
}

const flagsText = (flags: number): string =>
  flags === 1 ? '1, lazy peer access' : flags === 0 ? '0' : `0x${flags.toString(16)}`;

function MappingSection({ mapping, group, own }: { mapping: Mapping; group: MemoryGroup; own: boolean }) {
  const peer = useLedger((ledger) => ledger.peers.get(mapping.peerId));
  const exported = liveExport(group);
  const part = mapping.offset !== 0 || mapping.bytes !== mapping.allocationBytes;
  return (
    <Section
      title="Mapping"
      aside={mapping.state === 'closed' ? 'closed' : undefined}
      actions={
        own &&
        exported !== undefined && (
          <Button size="small" icon="plus" onClick={() => void openBuffer(exported.id, mapping.device, group.label)}>
            Open again
          </Button>
        )
      }
    >
      <Facts
        facts={[
          ['Process', peer === undefined ? mapping.peerId : `${peer.name}, pid ${peer.pid ?? 'unknown'}`],
          [
            'Address',
            <span key="a" className="mono">
              {mapping.address}
            </span>,
          ],
          ['Size', `${formatSize(mapping.bytes)}${part ? ` of ${formatSize(mapping.allocationBytes)}` : ''}`],
          ['Offset', part ? formatCount(mapping.offset) : undefined],
          ['References', mapping.references],
          ['Flags', flagsText(mapping.flags)],
        ]}
      />
    </Section>
  );
}
