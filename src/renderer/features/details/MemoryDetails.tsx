import type { Mapping } from '#contract/records';
import { formatBytes, formatCount, formatSize } from '#contract/units';
import { openBuffer } from '../../lib/actions';
import { useSelfId } from '../../lib/app-store';
import type { Group, MemoryGroup } from '../../lib/groups';
import { groupsOf, liveExport } from '../../lib/groups';
import { kindWord, mechanismName } from '../../lib/kinds';
import { useLedger, useLedgerStore } from '../../lib/ledger-store';
import { objectMenu } from '../../lib/object-menu';
import { selectObject } from '../../lib/selection-store';
import { peerRuns } from '../../lib/states';
import { targetOf } from '../../lib/target';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import { GoneNotice, WorksNow } from './GoneNotice';
import { HandleSection } from './HandleSection';
import { Header } from './Header';
import { HoldersSection } from './HoldersSection';
import { PointerSections } from './PointerSections';
import { Facts, Section } from './Section';
import { SharingSection } from './sharing/SharingSection';
import { RangeSection } from './virtual/RangeSection';

/** Memory, selected by its own row or by that of one of its mappings. */
export function MemoryDetails({ group, selectedId }: { group: MemoryGroup; selectedId: string }) {
  const selfId = useSelfId();
  const ledger = useLedgerStore((store) => store.ledger);
  const exporter = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const mapping = ledger.mappings.get(selectedId);
  const target = targetOf(ledger, selectedId, selfId);
  const orphan = group.owner === 'gone' || group.owner === 'freed';
  // Only who is there can ask the driver about it.
  const asked = mapping ?? group.allocation;
  const subject =
    asked !== undefined &&
    peerRuns(ledger.peers.get(asked.peerId)) &&
    (asked.state === 'live' || asked.state === 'open')
      ? asked.id
      : undefined;
  const range = mapping ?? group.allocation;
  const ranged = range?.chunks !== undefined;
  const handle = <HandleSection group={group} own={group.ownerId === selfId} />;
  return (
    <>
      <Header
        icon="buffer"
        title={group.label}
        kind={[kindWord(group), mapping === undefined ? 'buffer' : 'mapping'].filter(Boolean).join(' ')}
        items={objectMenu(ledger, selectedId, selfId)}
      />
      <GoneNotice group={group} exporter={exporter} />
      {mapping !== undefined && <MappingSection mapping={mapping} group={group} own={mapping.peerId === selfId} />}
      {ranged && <RangeSection group={group} range={range} />}
      {group.allocation?.poolId !== undefined && <InPool poolId={group.allocation.poolId} />}
      {!orphan && handle}
      <HoldersSection group={group} selectedId={selectedId} selfId={selfId} />
      <WorksNow group={group} waitedFor={useWaitedFor(group)} />
      {target.kind === 'readable' ? (
        <PointerSections
          key={target.id}
          target={target}
          version={`${group.exports.length} ${group.owner} ${group.allocation?.chunks?.length ?? 0}`}
          subject={subject}
        />
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
              More once it is open in Inspector: only a process that has a pointer can ask the driver about it.
            </p>
          )}
        </Section>
      )}
      {target.kind !== 'readable' && subject !== undefined && <SharingSection key={subject} id={subject} />}
      {orphan && handle}
    </>
  );
}

/** The pool that it comes from. */
function InPool({ poolId }: { poolId: string }) {
  const pool = useLedger((ledger) => ledger.pools.get(poolId));
  if (pool === undefined) return null;
  return (
    <Section title="Pool">
      <button type="button" className="object" onClick={() => selectObject(pool.id)}>
        <Icon name="pool" size={14} />
        <span className="cut">{pool.label}</span>
        <span className="dim cut">
          {pool.state === 'live' ? (pool.shareable ? 'shareable' : 'not shareable') : pool.state}
        </span>
      </button>
    </Section>
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
  const { data } = mapping;
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
          ['Opened', mapping.mechanism === 'legacy' ? undefined : mechanismName[mapping.mechanism]],
          ['Process', peer === undefined ? mapping.peerId : `${peer.name}, pid ${peer.pid ?? 'unknown'}`],
          [
            'Address',
            <span key="a" className="mono">
              {mapping.address}
            </span>,
          ],
          ['Size', `${formatSize(mapping.bytes)}${part ? ` of ${formatSize(mapping.allocationBytes)}` : ''}`],
          ['Offset', part ? formatCount(mapping.offset) : undefined],
          ['Element type', data && (data.byteOrder === 'big' ? `${data.dtype}, big-endian` : data.dtype)],
          ['Shape', data?.shape && (data.shape.length === 0 ? 'one value' : data.shape.join(' × '))],
          ['References', mapping.references],
          ['Flags', mapping.mechanism === 'legacy' ? flagsText(mapping.flags) : undefined],
        ]}
      />
    </Section>
  );
}
