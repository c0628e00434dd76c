import { useEffect, useRef, useState } from 'react';
import { formatAge } from '#contract/units';
import type { EventStatus } from '#contract/values';
import { act } from '../../lib/act';
import { recordEvent } from '../../lib/actions';
import { announce } from '../../lib/announce';
import { request } from '../../lib/api';
import { useSelfId } from '../../lib/app-store';
import { useNow } from '../../lib/clock';
import { formatClock } from '../../lib/format';
import type { EventGroup } from '../../lib/groups';
import { useLedgerStore } from '../../lib/ledger-store';
import { objectMenu, ownEventId } from '../../lib/object-menu';
import { childState, groupState } from '../../lib/states';
import { Button } from '../../ui/Button';
import { Pick } from '../../ui/Pick';
import { StateMark } from '../../ui/StateMark';
import { GoneNotice, WorksNow } from './GoneNotice';
import { HandleSection } from './HandleSection';
import { Header } from './Header';
import { HoldersSection } from './HoldersSection';
import { Facts, Section } from './Section';

/** An event, selected by its own row or by that of one of its imports. */
export function EventDetails({ group, selectedId }: { group: EventGroup; selectedId: string }) {
  const selfId = useSelfId();
  const ledger = useLedgerStore((store) => store.ledger);
  const exporter = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  const imported = group.children.find(({ record }) => record.id === selectedId);
  const own = ownEventId(group, selectedId, selfId);
  const state = imported === undefined ? groupState(group) : childState(imported);
  const orphan = group.owner === 'gone' || group.owner === 'freed';
  const handle = <HandleSection group={group} own={group.ownerId === selfId} />;
  return (
    <>
      <Header
        icon="event"
        title={group.label}
        kind={imported === undefined ? 'event' : 'import'}
        items={objectMenu(ledger, selectedId, selfId)}
      />
      <GoneNotice group={group} exporter={exporter} />
      <Section title="Status" actions={own !== undefined && <StatusActions id={own} label={group.label} />}>
        <Facts
          facts={[
            [
              'State',
              <StateMark key="s" mark={state.mark} tone={state.tone}>
                {state.word}
              </StateMark>,
            ],
            ['Recorded', group.event?.recordedAt === undefined ? undefined : formatClock(group.event.recordedAt, true)],
            ['Flags', group.event === undefined ? undefined : flagsText(group.event.flags)],
            ['Device', `GPU ${group.device}`],
          ]}
        />
        {own === undefined ? (
          <p className="note">Open it in Inspector to ask for it, record it or wait for it.</p>
        ) : (
          <Wait key={own} id={own} label={group.label} />
        )}
      </Section>
      {!orphan && handle}
      <HoldersSection group={group} selectedId={selectedId} selfId={selfId} />
      <WorksNow group={group} />
      {orphan && handle}
    </>
  );
}

/** CU_EVENT_BLOCKING_SYNC 1, DISABLE_TIMING 2, INTERPROCESS 4. */
function flagsText(flags: number): string {
  const words = [
    (flags & 4) !== 0 && 'interprocess',
    (flags & 2) !== 0 && 'no timing',
    (flags & 1) !== 0 && 'blocking',
  ].filter(Boolean);
  return `${flags}${words.length > 0 ? `, ${words.join(', ')}` : ''}`;
}

const statusWord: Readonly<Record<EventStatus, string>> = { ready: 'ready', 'not-ready': 'not ready' };

function StatusActions({ id, label }: { id: string; label: string }) {
  const query = async () => {
    const status = await act(`Ask for ${label}`, () => request('events.query', { id }));
    if (status !== undefined) announce(`${label} is ${statusWord[status]}`);
  };
  return (
    <>
      <Button size="small" onClick={() => void query()}>
        Query
      </Button>
      <Button size="small" icon="event" onClick={() => void recordEvent(id, label)}>
        Record
      </Button>
    </>
  );
}

const timeouts = [1, 5, 30, 300].map((seconds) => ({ value: seconds, label: formatAge(seconds * 1000) }));

/** Waits for the event with a deadline; the Inspector goes on meanwhile, and the wait can be given up. */
function Wait({ id, label }: { id: string; label: string }) {
  const [seconds, setSeconds] = useState(5);
  const [since, setSince] = useState<number | undefined>(undefined);
  const [outcome, setOutcome] = useState<string | undefined>(undefined);
  const onScreen = useRef(true);
  useEffect(() => {
    onScreen.current = true;
    return () => {
      onScreen.current = false;
    };
  }, []);
  const wait = async () => {
    const start = performance.now();
    setSince(Date.now());
    setOutcome(undefined);
    const status = await act(`Wait for ${label}`, async () => {
      try {
        return await request('events.wait', { id, timeoutMs: seconds * 1000 });
      } catch (thrown) {
        if (isCancelled(thrown)) return 'cancelled' as const;
        throw thrown;
      }
    });
    const took = ((performance.now() - start) / 1000).toFixed(1);
    const said =
      status === undefined
        ? undefined
        : status === 'cancelled'
          ? `Given up after ${took} s`
          : status === 'ready'
            ? `Ready after ${took} s`
            : `Still not ready after ${took} s`;
    if (said !== undefined) announce(`${label}: ${said}`);
    if (!onScreen.current) return;
    setSince(undefined);
    setOutcome(said);
  };
  return (
    <div className="wait">
      {since === undefined ? (
        <>
          <Button look="line" size="small" icon="wait" onClick={() => void wait()}>
            Wait
          </Button>
          <Pick label="At most" value={seconds} options={timeouts} onChange={setSeconds} />
          {outcome !== undefined && <span className="soft num">{outcome}</span>}
        </>
      ) : (
        <>
          <Waiting since={since} seconds={seconds} />
          <Button
            size="small"
            icon="stop"
            onClick={() => void act('Give up waiting', () => request('events.cancelWait', { id }))}
          >
            Give up
          </Button>
        </>
      )}
    </div>
  );
}

const isCancelled = (thrown: unknown): boolean =>
  typeof thrown === 'object' &&
  thrown !== null &&
  'error' in thrown &&
  (thrown.error as { code?: string }).code === 'cancelled';

function Waiting({ since, seconds }: { since: number; seconds: number }) {
  const now = useNow();
  return (
    <StateMark mark="wait">
      Waiting for {Math.max(0, Math.floor((now - since) / 1000))} of {seconds} s
    </StateMark>
  );
}
