import './contents.css';
import { useMemo } from 'react';
import { useSelfId } from '../../lib/app-store';
import { groupsOf } from '../../lib/groups';
import { useLedgerStore } from '../../lib/ledger-store';
import { useSelectedObject } from '../../lib/selection-store';
import { type Target, targetOf } from '../../lib/target';
import { EmptyState } from '../../ui/EmptyState';
import { EventContents } from './EventContents';
import { type Explanation, explain } from './explain';
import { MemoryContents } from './MemoryContents';
import type { MemorySource } from './model/live-memory';
import type { MemorySession } from './model/memory-session';
import { lastSessionOf, sessionOf } from './model/sessions';
import { NextStepButton } from './parts/NextStepButton';

/** What is inside the selected row: its bytes, live, or why they cannot be seen here and what to do. */
export function ContentsPane() {
  const objectId = useSelectedObject();
  const selfId = useSelfId();
  // One string for everything this pane depends on: reads make calls, and calls make ledgers many times a second.
  const key = useLedgerStore(({ ledger }) => (objectId === undefined ? '' : keyOf(ledger, objectId, selfId)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for the parts of the ledger that matter
  const state = useMemo(() => resolve(objectId, selfId), [key, objectId, selfId]);

  if (state.kind === 'memory') {
    return (
      <MemoryContents
        key={state.session.source.id}
        session={state.session}
        label={state.label}
        ended={state.ended}
        ownerGone={state.ownerGone}
      />
    );
  }
  return (
    <section className="contents" aria-label="Contents" data-area="contents">
      {state.kind === 'event' && (
        <>
          <div className="tabs">
            <span className="what">
              <span className="cut">{state.group.label || 'Event'}</span>
            </span>
          </div>
          <EventContents group={state.group} objectId={state.objectId} selfId={selfId} />
        </>
      )}
      {state.kind === 'explained' && (
        <EmptyState
          icon={state.explanation.over ? 'ring' : 'eye'}
          title={state.explanation.title}
          action={state.explanation.next && <NextStepButton step={state.explanation.next} />}
        >
          {state.explanation.text}
        </EmptyState>
      )}
      {state.kind === 'nothing' && (
        <EmptyState icon="buffer" title="Select a buffer or a mapping">
          Its bytes appear here and follow the memory.
        </EmptyState>
      )}
    </section>
  );
}

type State =
  | {
      readonly kind: 'memory';
      readonly session: MemorySession;
      readonly label: string;
      /** Why the bytes are the last ones, when they are. */
      readonly ended: Explanation | undefined;
      readonly ownerGone: boolean;
    }
  | { readonly kind: 'explained'; readonly explanation: Explanation }
  | { readonly kind: 'event'; readonly group: EventGroupOf; readonly objectId: string }
  | { readonly kind: 'nothing' };

type EventGroupOf = Parameters<typeof EventContents>[0]['group'];
type LedgerOf = ReturnType<typeof useLedgerStore.getState>['ledger'];

function resolve(objectId: string | undefined, selfId: string): State {
  if (objectId === undefined || selfId === '') return { kind: 'nothing' };
  const { ledger } = useLedgerStore.getState();
  const group = groupsOf(ledger).of.get(objectId);
  if (group?.kind === 'event') return { kind: 'event', group, objectId };
  const target = targetOf(ledger, objectId, selfId);
  if (target.kind === 'readable') {
    const session = sessionOf(objectId, sourceOf(ledger, target, selfId));
    const ownerGone = target.group.owner === 'gone' || target.group.owner === 'freed';
    return { kind: 'memory', session, label: target.label || 'Memory', ended: undefined, ownerGone };
  }
  const explanation = explain(ledger, objectId, target, selfId);
  if (explanation === undefined) return { kind: 'nothing' };
  const session = explanation.over ? lastSessionOf(objectId) : undefined;
  if (session === undefined) return { kind: 'explained', explanation };
  session.end();
  return { kind: 'memory', session, label: group?.label || 'Memory', ended: explanation, ownerGone: true };
}

function sourceOf(ledger: LedgerOf, target: Extract<Target, { kind: 'readable' }>, selfId: string): MemorySource {
  const { group } = target;
  const own = group.ownerId === selfId && group.allocation?.id === target.id;
  const owner = group.ownerId === undefined ? undefined : ledger.peers.get(group.ownerId);
  return {
    id: target.id,
    bytes: target.bytes,
    address: target.address,
    label: target.label,
    dtype: target.dtype,
    data: target.data,
    importedFrom: own ? undefined : (owner?.name ?? 'another process'),
  };
}

/** Changes exactly when what the pane shows of the ledger changes. */
function keyOf(ledger: LedgerOf, objectId: string, selfId: string): string {
  const group = groupsOf(ledger).of.get(objectId);
  if (group === undefined) return 'none';
  if (group.kind === 'event') return JSON.stringify([group, ledger.peers.get(group.ownerId ?? '')?.state]);
  const target = targetOf(ledger, objectId, selfId);
  const why = explain(ledger, objectId, target, selfId);
  return JSON.stringify([target.kind, target.kind === 'readable' && target.id, group.label, group.owner, why]);
}
