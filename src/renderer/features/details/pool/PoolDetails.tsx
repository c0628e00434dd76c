import { useState } from 'react';
import type { Pool } from '#contract/records';
import { formatAge, formatBytes, formatSize } from '#contract/units';
import { act } from '../../../lib/act';
import { request } from '../../../lib/api';
import { useApp, useSelfId } from '../../../lib/app-store';
import { useNow } from '../../../lib/clock';
import { openDialog } from '../../../lib/dialogs';
import { count } from '../../../lib/format';
import { type Group, groupsOf, type PoolGroup } from '../../../lib/groups';
import { useLedgerStore } from '../../../lib/ledger-store';
import { objectMenu } from '../../../lib/object-menu';
import { selectObject } from '../../../lib/selection-store';
import { groupState } from '../../../lib/states';
import { Button } from '../../../ui/Button';
import { Icon } from '../../../ui/Icon';
import { Segmented } from '../../../ui/Segmented';
import { DescriptorSection } from '../DescriptorSection';
import { GoneNotice } from '../GoneNotice';
import { Header } from '../Header';
import { HoldersSection } from '../HoldersSection';
import { Facts, Section } from '../Section';
import { UsageBar } from './UsageBar';

/** A pool: what it reserves and uses, what is allocated in it, who imported it. An import shows its own side. */
export function PoolDetails({ group, selectedId }: { group: PoolGroup; selectedId: string }) {
  const selfId = useSelfId();
  const ledger = useLedgerStore((store) => store.ledger);
  const exporter = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const pool = ledger.pools.get(selectedId) ?? group.pool;
  const mine = pool?.peerId === selfId && pool.state === 'live';
  return (
    <>
      <Header
        icon="pool"
        title={group.label}
        kind={pool?.imported === true ? 'imported pool' : 'pool'}
        items={objectMenu(ledger, selectedId, selfId)}
      />
      <GoneNotice group={group} exporter={exporter} />
      {pool !== undefined && !pool.imported && <UsageSection pool={pool} mine={mine} />}
      {pool?.imported === true && <ImportSection pool={pool} mine={mine} />}
      <InPool group={group} pool={pool} mine={mine} />
      {pool !== undefined && <AccessSection pool={pool} mine={mine} />}
      <DescriptorSection group={group} own={group.ownerId === selfId} />
      <HoldersSection group={group} selectedId={selectedId} selfId={selfId} />
    </>
  );
}

function UsageSection({ pool, mine }: { pool: Pool; mine: boolean }) {
  const now = useNow();
  const [busy, setBusy] = useState(false);
  const { usage, maxBytes } = pool;
  const ask = async (doing: string, question: () => Promise<unknown>) => {
    setBusy(true);
    await act(doing, question);
    setBusy(false);
  };
  return (
    <Section
      title="Usage"
      aside={usage === null ? undefined : `${formatAge(now - usage.takenAt)} ago`}
      actions={
        mine && (
          <>
            <Button
              size="small"
              disabled={busy}
              title="Gives memory back to the device that is reserved and not used"
              onClick={() => void ask(`Trim ${pool.label}`, () => request('pools.trim', { id: pool.id }))}
            >
              Trim
            </Button>
            <Button
              size="small"
              icon="restart"
              disabled={busy}
              onClick={() => void ask(`Ask what ${pool.label} uses`, () => request('pools.usage', { id: pool.id }))}
            >
              Refresh
            </Button>
          </>
        )
      }
    >
      {usage === null ? (
        <p className="note">Not asked yet{mine ? ': Refresh asks the driver.' : '.'}</p>
      ) : (
        <>
          <UsageBar usage={usage} maxBytes={maxBytes} />
          <Facts
            facts={[
              ['Used', <Bytes key="u" now={usage.used} high={usage.usedHigh} />],
              ['Reserved', <Bytes key="r" now={usage.reserved} high={usage.reservedHigh} />],
            ]}
          />
        </>
      )}
      <Facts
        facts={[
          ['Limit', maxBytes === null ? 'no limit of its own' : formatSize(maxBytes)],
          ['Shareable', pool.shareable ? 'by file descriptor' : 'no, created so'],
          ['Device', `GPU ${pool.device}`],
        ]}
      />
    </Section>
  );
}

const Bytes = ({ now, high }: { now: number; high: number }) => (
  <span title={`${formatBytes(now)} now, ${formatBytes(high)} at the highest`}>
    {formatSize(now)} <span className="dim">highest {formatSize(high)}</span>
  </span>
);

/** What an importer can do with a pool, and what it cannot. */
function ImportSection({ pool, mine }: { pool: Pool; mine: boolean }) {
  const limits: ReadonlyArray<readonly [boolean, string]> = [
    [true, 'Open what its exporter allocated in it and exported'],
    [true, 'Give other devices access to that, in this process'],
    [false, 'Allocate in it: the driver refuses'],
    [false, 'Export it on'],
    [false, 'Ask what it reserves, or destroy it, while memory of it is open here'],
  ];
  return (
    <Section
      title="Import"
      aside={pool.state === 'live' ? undefined : pool.state}
      actions={
        mine && (
          <Button
            size="small"
            title="Refused by the driver while memory of it is open here"
            onClick={() =>
              void act(
                `Destroy the import of ${pool.label}`,
                () => request('pools.destroy', { id: pool.id }),
                'The import is destroyed',
              )
            }
          >
            Destroy the import
          </Button>
        )
      }
    >
      <ul className="why">
        {limits.map(([can, what]) => (
          <li key={what}>
            <Icon name={can ? 'check' : 'minus'} size={14} tone={can ? undefined : 'dim'} />
            <span className={can ? undefined : 'soft'}>
              <span className="sr">{can ? 'Possible: ' : 'Not possible: '}</span>
              {what}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Memory of the pool: of an own one its allocations, of an import what is open here. */
function InPool({ group, pool, mine }: { group: PoolGroup; pool: Pool | undefined; mine: boolean }) {
  const ledger = useLedgerStore((store) => store.ledger);
  const imported = pool?.imported === true;
  const { list } = groupsOf(ledger);
  const open: readonly Group[] = imported
    ? list.filter(({ children }) =>
        children.some(({ type, record }) => type === 'mapping' && record.poolId === pool.id && record.state === 'open'),
      )
    : group.allocations;
  const left = open.filter(({ owner }) => owner !== 'live');
  return (
    <Section
      title={imported ? 'Open here' : 'Allocated in it'}
      aside={open.length === 0 ? undefined : count(open.length, 'allocation')}
      actions={
        mine &&
        !imported && (
          <Button size="small" icon="plus" onClick={() => openDialog({ kind: 'new-buffer', poolId: group.id })}>
            New buffer…
          </Button>
        )
      }
    >
      {open.length === 0 && (
        <p className="note">{imported ? 'Nothing of it is open in this process.' : 'Nothing is allocated in it.'}</p>
      )}
      <ul className="objects">
        {open.map((each) => (
          <li key={each.id}>
            <button type="button" className="object" onClick={() => selectObject(each.id)}>
              <Icon name="buffer" size={14} />
              <span className="cut">{each.label}</span>
              <span className="dim num cut">
                {groupState(each).word}, {'bytes' in each ? formatSize(each.bytes) : ''}
              </span>
            </button>
          </li>
        ))}
      </ul>
      {!imported && left.length > 0 && (
        <p className="note details-note">
          {count(left.length, 'allocation')} freed here {left.length === 1 ? 'is' : 'are'} still open elsewhere: the
          pool counts {left.length === 1 ? 'it' : 'them'} as free, but the device gets the memory back only when the
          importers close. The right order is: importers close, then the exporter frees.
        </p>
      )}
    </Section>
  );
}

/** Which devices may use memory of the pool. Its own always may. */
function AccessSection({ pool, mine }: { pool: Pool; mine: boolean }) {
  const devices = useApp((store) => store.devices);
  const others = devices.filter(({ ordinal }) => ordinal !== pool.device);
  return (
    <Section title="Access">
      <div className="vm-acc" role="group" aria-label="Access of devices">
        <div className="vm-acc-r">
          <span className="dim">GPU {pool.device}</span>
          <span>Read, write: its own device</span>
        </div>
        {others.map(({ ordinal }) => {
          const may = pool.access.some((one) => one.device === ordinal && one.access !== 'none');
          return (
            <div key={ordinal} className="vm-acc-r">
              <span className="dim">GPU {ordinal}</span>
              {mine ? (
                <Segmented
                  label={`Access of GPU ${ordinal}`}
                  value={may ? 'read-write' : 'none'}
                  options={[
                    { value: 'none', label: 'None' },
                    { value: 'read-write', label: 'Read, write' },
                  ]}
                  onChange={(access) =>
                    void act(`Set the access of GPU ${ordinal} to ${pool.label}`, () =>
                      request('pools.access', { id: pool.id, device: ordinal, access }),
                    )
                  }
                />
              ) : (
                <span>{may ? 'Read, write' : 'None'}</span>
              )}
            </div>
          );
        })}
      </div>
      {others.length === 0 && <p className="note">There is no other device that could be given access.</p>}
    </Section>
  );
}
