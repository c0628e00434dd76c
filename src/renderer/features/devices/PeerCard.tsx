import type { Peer } from '#contract/records';
import { focusPeer, killPeer, restartPeer } from '../../lib/actions';
import { formatClock } from '../../lib/format';
import { groupsOf } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { select } from '../../lib/selection-store';
import { peerRuns, peerState } from '../../lib/states';
import { Button, IconButton } from '../../ui/Button';
import { cx } from '../../ui/cx';
import { Menu } from '../../ui/Menu';
import { RoleGlyph } from '../../ui/RoleGlyph';
import { StateMark } from '../../ui/StateMark';
import { holdingsOf } from './holdings';

/** A process: role, name, state, one line of pid and holdings; Restart once it is gone. */
export function PeerCard({ peer, selected, tabStop }: { peer: Peer; selected: boolean; tabStop: boolean }) {
  const holdings = useLedger((ledger) => holdingsOf(peer, groupsOf(ledger).list));
  const state = peerState(peer);
  const runs = peerRuns(peer);
  const demo = peer.role === 'producer' || peer.role === 'consumer';
  const restartable = demo && !runs && peer.replacedBy === undefined;
  const ended = peer.endedAt === undefined ? '' : ` at ${formatClock(peer.endedAt)}`;
  const line = !runs && peer.ending === 'SIGKILL' ? `SIGKILL${ended}` : holdings;
  return (
    <li className={cx('peer', selected && 'on')} aria-label={peer.name}>
      <button
        type="button"
        className="peer-hit"
        data-rail-item
        tabIndex={tabStop ? 0 : -1}
        aria-current={selected || undefined}
        aria-label={`${peer.name}, ${peer.role === 'inspector' ? 'this app' : state.word}`}
        title={`${peer.name} · ${peer.pid ?? 'no process'} · ${line}`}
        onClick={() => select({ kind: 'peer', id: peer.id })}
      />
      <RoleGlyph role={peer.role} size={16} />
      <b className="cut">{peer.name}</b>
      {peer.role === 'inspector' && peer.hanging === undefined && runs ? (
        <span className="state dim">this app</span>
      ) : (
        <StateMark mark={state.mark} tone={state.tone}>
          {state.word}
        </StateMark>
      )}
      <p className="num cut">
        {peer.pid ?? 'starting'} · {line}
      </p>
      {demo && runs && (
        <span className="peer-menu">
          <Menu
            label={`Actions for ${peer.name}`}
            trigger={<IconButton icon="more" iconSize={14} tabIndex={-1} label={`Actions for ${peer.name}`} />}
            items={[
              { label: 'Show window', icon: 'screen', onSelect: () => void focusPeer(peer.id) },
              'line',
              {
                label: `Kill ${peer.name}`,
                icon: 'bolt',
                danger: true,
                detail: peer.pid,
                onSelect: () => void killPeer(peer.id, peer.name),
              },
            ]}
          />
        </span>
      )}
      {restartable && (
        <Button
          className="peer-restart"
          look="line"
          size="small"
          icon="restart"
          onClick={() => void restartPeer(peer.id, peer.name)}
        >
          Restart
        </Button>
      )}
    </li>
  );
}
