import type { Allocation, Mapping } from '#contract/records';
import { formatSize } from '#contract/units';
import type { Access } from '#contract/values';
import { act } from '../../../lib/act';
import { unmap } from '../../../lib/actions';
import { request } from '../../../lib/api';
import { useApp, useSelfId } from '../../../lib/app-store';
import { openDialog } from '../../../lib/dialogs';
import { count } from '../../../lib/format';
import { useGranularity } from '../../../lib/granularity';
import type { MemoryGroup } from '../../../lib/groups';
import { Button } from '../../../ui/Button';
import { Segmented } from '../../../ui/Segmented';
import { Facts, Section } from '../Section';
import { RangePicture } from './RangePicture';

/** A range of addresses: what is mapped where, with what can be done about it, and which device may use it. */
export function RangeSection({ group, range }: { group: MemoryGroup; range: Allocation | Mapping }) {
  const selfId = useSelfId();
  const chunks = range.chunks ?? [];
  const mine = range.peerId === selfId && 'memory' in range && range.state === 'live';
  const granularity = useGranularity(range.device);
  const over = range.state !== 'live' && range.state !== 'open';
  return (
    <Section
      title="Virtual memory"
      aside={count(chunks.length, 'piece')}
      actions={
        mine && (
          <>
            {chunks.length > 1 && (
              <Button size="small" onClick={() => void unmap(range.id, undefined, range.label)}>
                Unmap all
              </Button>
            )}
            <Button
              size="small"
              icon="plus"
              onClick={() => openDialog({ kind: 'map', rangeId: range.id, physicalId: undefined })}
            >
              Map…
            </Button>
          </>
        )
      }
    >
      {over ? (
        <p className="note">Its addresses were given back.</p>
      ) : (
        <RangePicture
          group={group}
          range={{ ...range, label: range.label || group.label, chunks }}
          onMap={mine ? (offset) => openDialog({ kind: 'map', rangeId: range.id, offset }) : undefined}
          onUnmap={mine ? (offset) => void unmap(range.id, offset, range.label) : undefined}
        />
      )}
      {!over && chunks.length > 0 && <AccessRows range={range} changeable={mine} />}
      <Facts
        facts={[
          ['Granularity', granularity.value === undefined ? undefined : formatSize(granularity.value.minimum)],
          [
            'Asked for',
            group.physical !== undefined && group.physical.requestedBytes !== group.physical.bytes
              ? `${formatSize(group.physical.requestedBytes)}, rounded up`
              : undefined,
          ],
        ]}
      />
    </Section>
  );
}

const accesses: ReadonlyArray<{ readonly value: Access; readonly label: string }> = [
  { value: 'none', label: 'None' },
  { value: 'read', label: 'Read' },
  { value: 'read-write', label: 'Read, write' },
];

/** What each device may do with everything that is mapped. */
function AccessRows({ range, changeable }: { range: Allocation | Mapping; changeable: boolean }) {
  const devices = useApp((store) => store.devices);
  const set = (device: number, access: Access) =>
    void act(
      `Set the access of GPU ${device} to ${range.label}`,
      () => request('virtual.access', { id: range.id, device, access }),
      `GPU ${device} has ${access === 'none' ? 'no' : access} access`,
    );
  return (
    <div className="vm-acc" role="group" aria-label="Access">
      {devices.map(({ ordinal }) => {
        const access = range.access?.find((one) => one.device === ordinal)?.access ?? 'none';
        return (
          <div key={ordinal} className="vm-acc-r">
            <span className="dim">GPU {ordinal}</span>
            {changeable ? (
              <Segmented
                label={`Access of GPU ${ordinal}`}
                value={access}
                options={accesses}
                onChange={(next) => set(ordinal, next)}
              />
            ) : (
              <span>{accesses.find(({ value }) => value === access)?.label}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}
