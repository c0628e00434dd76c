import type { Peer } from '#contract/records';
import { formatAge, formatSize } from '#contract/units';
import { focusPeer, killPeer, restartPeer } from '../../lib/actions';
import { useNow } from '../../lib/clock';
import { count, formatClock } from '../../lib/format';
import { exists, type Group, groupsOf } from '../../lib/groups';
import { groupIcon } from '../../lib/kinds';
import { useLedger } from '../../lib/ledger-store';
import { selectObject } from '../../lib/selection-store';
import { groupState, peerEnding, peerRuns, peerState } from '../../lib/states';
import { Notice } from '../../ui/Banner';
import { Button } from '../../ui/Button';
import { Icon } from '../../ui/Icon';
import type { MenuItems } from '../../ui/Menu';
import { StateMark } from '../../ui/StateMark';
import { Header } from './Header';
import { Facts, Section } from './Section';

const words = { inspector: 'this app', producer: 'producer', consumer: 'consumer', outside: 'outside of this app' };
const icons = { inspector: 'inspector', producer: 'exporter', consumer: 'importer', outside: 'outside' } as const;
const tones = { inspector: undefined, producer: 'exporter', consumer: 'importer', outside: 'exporter' } as const;

/** A process: what it is, what it owns and what it has open. */
export function PeerDetails({ peer }: { peer: Peer }) {
  const groups = useLedger((ledger) => groupsOf(ledger).list);
  const now = useNow();
  const owns = groups.filter((group) => exists(group) && group.ownerId === peer.id);
  const opens = groups.filter((group) =>
    group.children.some(({ record }) => record.peerId === peer.id && record.state === 'open'),
  );
  const state = peerState(peer);
  const runs = peerRuns(peer);
  const demo = peer.role === 'producer' || peer.role === 'consumer';
  const items: MenuItems =
    demo && runs
      ? [
          { label: 'Show window', icon: 'screen', onSelect: () => void focusPeer(peer.id) },
          { label: `Kill ${peer.name}`, icon: 'bolt', danger: true, onSelect: () => void killPeer(peer.id, peer.name) },
        ]
      : [];
  return (
    <>
      <Header icon={icons[peer.role]} tone={tones[peer.role]} title={peer.name} kind={words[peer.role]} items={items} />
      {peer.hanging !== undefined && (
        <Notice
          icon="wait"
          tone="event"
          label="A call hangs"
          title={`${peer.hanging.call} has not returned for ${formatAge(now - peer.hanging.since)}`}
        >
          {peer.name} waits for the driver. Everything else keeps working.
        </Notice>
      )}
      {!runs && peer.role !== 'outside' && (
        <Notice
          icon="broken"
          tone="gone"
          label="Process gone"
          title={`${peer.name} ${peerEnding(peer)}${peer.endedAt === undefined ? '' : ` at ${formatClock(peer.endedAt)}`}`}
          actions={
            peer.replacedBy === undefined && peer.role !== 'inspector' ? (
              <Button look="line" icon="restart" onClick={() => void restartPeer(peer.id, peer.name)}>
                Restart {peer.name}
              </Button>
            ) : undefined
          }
        >
          {peer.replacedBy === undefined
            ? 'What others have open of it stays until they close it.'
            : 'A new process took over.'}
        </Notice>
      )}
      <Section title="Process">
        <Facts
          facts={[
            [
              'State',
              <StateMark key="s" mark={state.mark} tone={state.tone}>
                {state.word}
              </StateMark>,
            ],
            ['Pid', peer.pid ?? 'none yet'],
            ['Device', peer.device === null ? undefined : `GPU ${peer.device}`],
            ['Since', `${formatClock(peer.startedAt)}, ${formatAge((peer.endedAt ?? now) - peer.startedAt)}`],
            ['Ended', peer.ending],
          ]}
        />
      </Section>
      <Objects title="Owns" groups={owns} none="No memory and no events." />
      <Objects title="Has open" groups={opens} none="Nothing of other processes." />
    </>
  );
}

function Objects({ title, groups, none }: { title: string; groups: readonly Group[]; none: string }) {
  return (
    <Section title={title} aside={groups.length === 0 ? undefined : count(groups.length, 'object')}>
      {groups.length === 0 && <p className="note">{none}</p>}
      <ul className="objects">
        {groups.map((group) => (
          <li key={group.id}>
            <button type="button" className="object" onClick={() => selectObject(group.id)}>
              <Icon name={groupIcon(group)} size={14} />
              <span className="cut">{group.label}</span>
              <span className="dim num cut">{'bytes' in group ? formatSize(group.bytes) : groupState(group).word}</span>
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
}
