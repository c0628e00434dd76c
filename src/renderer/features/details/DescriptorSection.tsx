import { formatSize } from '#contract/units';
import { openDialog } from '../../lib/dialogs';
import { formatClock } from '../../lib/format';
import { type Group, liveExport } from '../../lib/groups';
import { mechanismName } from '../../lib/kinds';
import { useLedger } from '../../lib/ledger-store';
import { exportable, exportOwn } from '../../lib/object-menu';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import { Facts, Section } from './Section';

/** How something travels that has no 64 bytes of its own: descriptors that its process holds open. */
export function DescriptorSection({ group, own }: { group: Group; own: boolean }) {
  const exported = liveExport(group);
  const last = exported ?? group.exports.at(-1);
  const peer = useLedger((ledger) => (last === undefined ? undefined : ledger.peers.get(last.peerId)));
  const can = own && exported === undefined && exportable(group);
  const never = own && group.owner === 'live' && !exportable(group);
  if (last === undefined && !can && !never) return null;
  return (
    <Section
      title={
        group.kind === 'memory' && group.allocation?.memory !== 'virtual' && last === undefined
          ? 'Handle'
          : 'Descriptor'
      }
      aside={
        exported !== undefined
          ? undefined
          : last === undefined
            ? 'not exported'
            : last.state === 'closed'
              ? 'closed'
              : 'no longer opens'
      }
      actions={
        can ? (
          <Button look="line" size="small" icon="fd" onClick={() => exportOwn(group)}>
            {last === undefined ? 'Export' : 'Export again'}
          </Button>
        ) : (
          exported !== undefined && (
            <Button size="small" onClick={() => openDialog({ kind: 'descriptors' })}>
              All descriptors…
            </Button>
          )
        )
      }
    >
      {exported !== undefined && (
        <>
          <ul className="fds num">
            {(exported.descriptors ?? []).map(({ fd, bytes }) => (
              <li key={fd}>
                <Icon name="fd" size={14} />
                <b>fd {fd}</b>
                <span className="soft">
                  in {peer === undefined ? exported.peerId : `${peer.name}, pid ${peer.pid ?? 'unknown'}`}
                </span>
                <span className="dim">{bytes === null ? '' : `pins ${formatSize(bytes)}`}</span>
              </li>
            ))}
          </ul>
          <Facts
            facts={[
              ['Travels', mechanismName[exported.mechanism]],
              ['Since', formatClock(exported.createdAt)],
            ]}
          />
        </>
      )}
      {can && (
        <p className="note">
          An export gives a file descriptor that stays open in this process. Another process gets a copy of it over a
          socket, and can then read and write {group.kind === 'pool' ? 'what is allocated in the pool' : 'the memory'}.
        </p>
      )}
      {never && <p className="note">{why(group)}</p>}
      {exported === undefined && last?.state === 'closed' && (
        <p className="note">Its descriptors were closed: nobody can open it any more. Whoever has it open keeps it.</p>
      )}
    </Section>
  );
}

function why(group: Group): string {
  if (group.kind === 'pool') return 'It was created not shareable: the driver exports neither it nor memory of it.';
  if (group.kind === 'physical') return 'It was created not shareable: the driver does not export it.';
  if (group.kind === 'memory' && group.allocation?.memory === 'virtual')
    return 'Nothing is mapped yet: there is no memory that could be exported.';
  return 'Memory of this kind cannot be shared with another process.';
}
