import { formatBytes, formatSize } from '#contract/units';
import { useSelfId } from '../../../lib/app-store';
import { openDialog } from '../../../lib/dialogs';
import { count } from '../../../lib/format';
import { useGranularity } from '../../../lib/granularity';
import type { PhysicalGroup } from '../../../lib/groups';
import { useLedgerStore } from '../../../lib/ledger-store';
import { objectMenu, ownPhysicalId } from '../../../lib/object-menu';
import { Button } from '../../../ui/Button';
import { DescriptorSection } from '../DescriptorSection';
import { GoneNotice } from '../GoneNotice';
import { Header } from '../Header';
import { HoldersSection } from '../HoldersSection';
import { Facts, Section } from '../Section';
import { PhysicalPicture } from './PhysicalPicture';

const shareableWords = { none: 'not at all', fd: 'by file descriptor', fabric: 'by fabric handle' } as const;

/** Physical memory: where it is mapped, how it travels, who has it. */
export function PhysicalDetails({ group, selectedId }: { group: PhysicalGroup; selectedId: string }) {
  const selfId = useSelfId();
  const ledger = useLedgerStore((store) => store.ledger);
  const exporter = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const granularity = useGranularity(group.device);
  const imported = selectedId !== group.id;
  const own = ownPhysicalId(group, selectedId, selfId);
  const made = group.physical;
  return (
    <>
      <Header
        icon="physical"
        title={group.label}
        kind={imported ? 'imported memory' : 'physical memory'}
        items={objectMenu(ledger, selectedId, selfId)}
      />
      <GoneNotice group={group} exporter={exporter} />
      <Section
        title="Where it is mapped"
        aside={count(group.places.length, 'place')}
        actions={
          own !== undefined && (
            <Button size="small" icon="plus" onClick={() => openDialog({ kind: 'map', physicalId: own })}>
              Map…
            </Button>
          )
        }
      >
        <PhysicalPicture group={group} />
      </Section>
      <DescriptorSection group={group} own={group.ownerId === selfId} />
      <HoldersSection group={group} selectedId={selectedId} selfId={selfId} />
      <Section title="Memory">
        <Facts
          facts={[
            [
              'Size',
              <span key="s" title={formatBytes(group.bytes)}>
                {formatSize(group.bytes)}
              </span>,
            ],
            [
              'Asked for',
              made === undefined || made.requestedBytes === made.bytes
                ? undefined
                : `${formatSize(made.requestedBytes)}, rounded up`,
            ],
            ['Granularity', granularity.value === undefined ? undefined : formatSize(granularity.value.minimum)],
            ['Shareable', made === undefined ? 'as its exporter made it' : shareableWords[made.shareable]],
            ['Device', `GPU ${group.device}`],
          ]}
        />
        {imported && (
          <p className="note">Imported memory cannot be exported again from here: the driver refuses that.</p>
        )}
      </Section>
    </>
  );
}
