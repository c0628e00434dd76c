import type { Peer } from '#contract/records';
import { act } from '../../lib/act';
import { focusPeer, openEvent, recordEvent } from '../../lib/actions';
import { request } from '../../lib/api';
import { formatClock } from '../../lib/format';
import { type EventGroup, liveExport } from '../../lib/groups';
import { useLedger } from '../../lib/ledger-store';
import { ownEventId } from '../../lib/object-menu';
import { groupState, peerEnding, peerRuns } from '../../lib/states';
import { Button } from '../../ui/Button';
import { RoleGlyph } from '../../ui/RoleGlyph';
import { StateMark } from '../../ui/StateMark';

/** An event has no bytes: what it is, what it says now, and who waits for it. */
export function EventContents({ group, objectId, selfId }: { group: EventGroup; objectId: string; selfId: string }) {
  const peers = useLedger((ledger) => ledger.peers);
  const owner = group.ownerId === undefined ? undefined : peers.get(group.ownerId);
  const state = groupState(group);
  const mine = ownEventId(group, objectId, selfId);
  const exported = liveExport(group);
  const recordedAt = group.event?.recordedAt;
  const query = () =>
    act('Ask for the state', async () => {
      if (mine !== undefined) await request('events.query', { id: mine });
    });
  return (
    <div className="event-contents">
      <div className="event-state">
        <StateMark mark={state.mark} tone={state.tone}>
          {state.word}
        </StateMark>
        {recordedAt !== undefined && <span className="dim num">recorded at {formatClock(recordedAt, true)}</span>}
      </div>
      <p>
        An event holds no bytes. It marks a point in the work that {owner?.name ?? 'its owner'} queues on the GPU: ready
        when everything queued before the last record is done. Whoever opened it can wait for that point.
      </p>
      <p>{meaning(group, owner === undefined ? undefined : `${owner.name} ${peerEnding(owner)}`)}</p>
      {group.children.length > 0 && (
        <ul aria-label="Processes that opened it">
          {group.children.map(({ record }) => {
            const peer = peers.get(record.peerId);
            const waiting = 'waiting' in record && record.waiting !== undefined;
            return (
              <li key={record.id}>
                <RoleGlyph role={peer?.role ?? 'outside'} />
                {peer?.name ?? 'Unknown process'}
                <span className="dim">{record.state === 'closed' ? 'closed' : waiting ? 'waits for it' : 'open'}</span>
              </li>
            );
          })}
        </ul>
      )}
      <div className="acts">
        {mine !== undefined && (
          <Button look="line" icon="restart" onClick={() => void query()}>
            Ask again
          </Button>
        )}
        {mine !== undefined && (
          <Button look="line" icon="event" onClick={() => void recordEvent(mine, group.label)}>
            Record
          </Button>
        )}
        {mine === undefined && exported === undefined && owner !== undefined && isDemo(owner) && peerRuns(owner) && (
          <Button look="line" icon="screen" onClick={() => void focusPeer(owner.id)}>
            Show the window of {owner.name}
          </Button>
        )}
        {mine === undefined && exported !== undefined && (
          <Button
            look="primary"
            icon="import"
            onClick={() => void openEvent(exported.id, group.device, group.label || 'the event')}
          >
            Open in Inspector
          </Button>
        )}
      </div>
    </div>
  );
}

const isDemo = (peer: Peer): boolean => peer.role === 'producer' || peer.role === 'consumer';

function meaning(group: EventGroup, ending: string | undefined): string {
  if (group.owner === 'gone') {
    return group.references > 0
      ? `${ending ?? 'Its owner is gone'}. If the event was not ready then, it stays so for ever; else whoever has it open can go on with it.`
      : `${ending ?? 'Its owner is gone'}, and the event with it.`;
  }
  if (group.owner === 'freed')
    return 'It was destroyed by its owner. The driver still opens its handle, but gives its place to the owner’s next event.';
  const status = group.event?.status ?? group.children.map(({ record }) => 'status' in record && record.status)[0];
  if (status === 'ready') return 'As of the last question everything before it is done, or it was never recorded.';
  if (status === 'not-ready') return 'As of the last question the work before it is still running.';
  return 'Nobody has asked for its state yet. An event that was never recorded counts as ready.';
}
