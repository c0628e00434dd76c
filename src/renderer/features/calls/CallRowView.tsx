import { memo } from 'react';
import type { Call, Peer } from '#contract/records';
import { formatDuration } from '#contract/units';
import { useNow } from '../../lib/clock';
import { formatClock, shortResult } from '../../lib/format';
import { useLedger } from '../../lib/ledger-store';
import { Chip } from '../../ui/Chip';
import { cx } from '../../ui/cx';
import { Icon } from '../../ui/Icon';
import { type PeerRole, RoleGlyph } from '../../ui/RoleGlyph';
import { type CallRow, type Ending, isFailure, isWaiting } from './call-rows';

export interface CallRowViewProps {
  readonly row: CallRow;
  readonly domId: string;
  readonly number: number;
  readonly top: number;
  readonly active: boolean;
  /** Name of the process, also of one that has left the ledger. */
  readonly peerName: string;
  readonly peerRole: PeerRole;
  /** Durations are left out in narrow windows. */
  readonly narrow: boolean;
}

/** One line of the log; a failure has a second one that says what it means and what to do. */
export const CallRowView = memo(function CallRowView({
  row,
  domId,
  number,
  top,
  active,
  peerName,
  peerRole,
  narrow,
}: CallRowViewProps) {
  const fail = row.type === 'call' && isFailure(row.call);
  return (
    <div
      id={domId}
      role="row"
      aria-rowindex={number}
      aria-selected={active}
      data-row={row.key}
      className={cx('tr', fail && 'fail', active && 'on active')}
      style={{ transform: `translateY(${top}px)` }}
    >
      <div role="gridcell" className="num dim">
        {formatClock(row.at, true)}
      </div>
      <div role="gridcell">
        <span className="own">
          <RoleGlyph role={peerRole} />
          <span className="cut">{peerName}</span>
        </span>
      </div>
      {row.type === 'call' && <CallCells call={row.call} narrow={narrow} />}
      {row.type === 'running' && <RunningCells name={row.name} peer={row.peer} narrow={narrow} />}
      {row.type === 'ending' && <EndingCell ending={row.ending} />}
    </div>
  );
});

function CallCells({ call, narrow }: { call: Call; narrow: boolean }) {
  const fail = isFailure(call);
  const waiting = isWaiting(call);
  return (
    <>
      <div role="gridcell" className="mono">
        {call.name}
      </div>
      <div role="gridcell" title={call.args}>
        <span className="mono soft">{call.args}</span>
        {call.count > 1 && <Chip className="times">× {call.count}</Chip>}
      </div>
      <div role="gridcell" className="c-res" title={`${call.resultName} (${call.result})`}>
        <span className={cx('res mono', fail ? 'error' : waiting ? 'event' : 'soft')}>
          <Icon name={fail ? 'warn' : waiting ? 'wait' : 'check'} size={12} />
          {shortResult(call.resultName, call.result)}
        </span>
      </div>
      {!narrow && (
        <div role="gridcell" className="r num soft">
          {formatDuration(call.us)}
        </div>
      )}
      {fail && call.hint !== undefined && (
        <div role="gridcell" className="hint cut" title={call.hint}>
          {call.hint}
        </div>
      )}
    </>
  );
}

function RunningCells({ name, peer, narrow }: { name: string; peer: Peer; narrow: boolean }) {
  const now = useNow();
  const since = useLedger((ledger) => ledger.peers.get(peer.id)?.hanging?.since ?? peer.hanging?.since ?? 0);
  return (
    <>
      <div role="gridcell" className="mono">
        {name}
      </div>
      <div role="gridcell" />
      <div role="gridcell" className="c-res">
        <span className="res mono event">
          <Icon name="wait" size={12} />
          running
        </span>
      </div>
      {!narrow && (
        <div role="gridcell" className="r num soft">
          {formatDuration(Math.max(0, now - since) * 1000)}
        </div>
      )}
    </>
  );
}

function EndingCell({ ending }: { ending: Ending }) {
  return (
    <div role="gridcell" className={cx('ending cut', ending.lost ? 'gone' : 'soft')}>
      <Icon name={ending.lost ? 'broken' : 'ring'} size={12} /> Process ended: {ending.how}. {ending.left}
    </div>
  );
}
