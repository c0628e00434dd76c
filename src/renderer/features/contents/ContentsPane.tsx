import './contents.css';
import { type KeyboardEvent, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { act } from '../../lib/act';
import { useSelfId } from '../../lib/app-store';
import { GLYPHS, hexText } from '../../lib/bytes-format';
import { copyText } from '../../lib/clipboard';
import { type Command, useCommands } from '../../lib/commands';
import { count } from '../../lib/format';
import { groupsOf } from '../../lib/groups';
import { useLedgerStore } from '../../lib/ledger-store';
import { useMedia } from '../../lib/media';
import { useSelectedObject } from '../../lib/selection-store';
import { useSettings } from '../../lib/settings-store';
import { type Target, targetOf } from '../../lib/target';
import { Banner } from '../../ui/Banner';
import { Button, IconButton } from '../../ui/Button';
import { EmptyState } from '../../ui/EmptyState';
import { Tooltip } from '../../ui/Tooltip';
import { EventContents } from './EventContents';
import { type Explanation, explain } from './explain';
import type { MemorySession, MemorySource } from './model/memory-session';
import { lastSessionOf, meter, sessionOf } from './model/sessions';
import { useSignal } from './model/use-signal';
import { ChangesChip } from './parts/ChangesChip';
import { EditBar } from './parts/EditBar';
import { FollowControls } from './parts/FollowControls';
import { Foot } from './parts/Foot';
import { takeFocusWish } from './parts/focus-wish';
import { focusGoto, GotoField } from './parts/GotoField';
import { NextStepButton } from './parts/NextStepButton';
import { ValueCard } from './parts/ValueCard';
import { views } from './views';

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
    dtype: target.dtype,
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

interface MemoryProps {
  readonly session: MemorySession;
  readonly label: string;
  readonly ended: Explanation | undefined;
  readonly ownerGone: boolean;
}

/** The views outlive a change of what is selected: the same tab stays open. */
let lastView = views[0]?.id ?? '';

function MemoryContents({ session, label, ended, ownerGone }: MemoryProps) {
  const pane = useRef<HTMLElement>(null);
  const [viewId, setViewId] = useState(lastView);
  const view = views.find(({ id }) => id === viewId) ?? views[0];
  const hz = useSettings((settings) => settings.followHz);
  const offsets = useSettings((settings) => settings.offsets);
  const base = offsets === 'decimal' ? 'decimal' : 'hex';
  const reduced = useMedia('(prefers-reduced-motion: reduce)');
  const paused = useSignal(session.onStatus, () => session.paused);
  const canGoBack = useSignal(session.onCursor, () => session.history.canGoBack);
  const canGoForward = useSignal(session.onCursor, () => session.history.canGoForward);
  const editing = useSignal(session.onEdits, () => session.editing);

  const focusGrid = useCallback(() => pane.current?.querySelector<HTMLElement>('[role="grid"]')?.focus(), []);
  const open = useCallback((id: string) => {
    lastView = id;
    setViewId(id);
  }, []);

  useEffect(() => {
    if (takeFocusWish()) focusGrid();
  }, [focusGrid]);
  useEffect(() => session.setHz(hz), [session, hz]);
  useEffect(() => session.setReducedMotion(reduced), [session, reduced]);
  useEffect(() => {
    session.wake();
    return () => session.sleep();
  }, [session]);
  useEffect(() => meter.setHz(ended === undefined && !paused ? hz : undefined), [ended, paused, hz]);
  useEffect(() => () => meter.stop(), []);
  useSlowWhenHidden(session, pane);
  useCommands(useMemo(() => commandsOf(session, focusGrid, open), [session, focusGrid, open]));

  if (view === undefined) return null;
  return (
    <section ref={pane} className="contents" aria-label="Contents" data-area="contents">
      <div className="tabs">
        <span className="what">
          <span className="cut" title={label}>
            {label}
          </span>
        </span>
        <Tabs open={view.id} onOpen={open} />
        {ended === undefined && <FollowControls session={session} />}
      </div>
      {ended !== undefined && (
        <Banner
          icon="ring"
          tone="stale"
          title={ended.title}
          action={ended.next && <NextStepButton step={ended.next} look="line" />}
        >
          {ended.text} These are the last bytes read.
        </Banner>
      )}
      {ended === undefined && <ReadFailure session={session} />}
      <div className="tools" role="toolbar" aria-label={view.title}>
        <Tooltip text="Back (Alt+←)">
          <IconButton icon="back" label="Back" disabled={!canGoBack} onClick={() => session.goBack()} />
        </Tooltip>
        <Tooltip text="Forward (Alt+→)">
          <IconButton icon="fwd" label="Forward" disabled={!canGoForward} onClick={() => session.goForward()} />
        </Tooltip>
        <GotoField session={session} base={base} onDone={focusGrid} />
        <view.Tools session={session} />
        <span className="grow" />
        <ChangesChip session={session} ownerGone={ownerGone} />
        {view.id === 'bytes' && ended === undefined && (
          <Tooltip text="Type over bytes (E)">
            <Button
              size="small"
              aria-pressed={editing}
              onClick={() => {
                session.setEditing(!editing);
                focusGrid();
              }}
            >
              Edit
            </Button>
          </Tooltip>
        )}
      </div>
      <div className="view">
        <div role="tabpanel" id={`view-${view.id}`} aria-labelledby={`tab-${view.id}`}>
          <view.Body session={session} />
        </div>
        <ValueCard session={session} />
      </div>
      <EditBar session={session} focusGrid={focusGrid} />
      <Foot session={session} base={base} />
    </section>
  );
}

/** One tab stop; arrows move and open. */
function Tabs({ open, onOpen }: { open: string; onOpen: (id: string) => void }) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const at = views.findIndex(({ id }) => id === open);
    const next = views[(at + step + views.length) % views.length];
    if (next === undefined) return;
    onOpen(next.id);
    list.current?.querySelector<HTMLElement>(`#tab-${next.id}`)?.focus();
  };
  return (
    <div ref={list} className="tab-list" role="tablist" aria-label="Views of the contents">
      {views.map(({ id, title }) => (
        <button
          key={id}
          id={`tab-${id}`}
          type="button"
          role="tab"
          className="tab"
          aria-selected={id === open}
          aria-controls={id === open ? `view-${id}` : undefined}
          tabIndex={id === open ? 0 : -1}
          onClick={() => onOpen(id)}
          onKeyDown={move}
        >
          {title}
        </button>
      ))}
    </div>
  );
}

/** The last read failed although the memory should be there. */
function ReadFailure({ session }: { session: MemorySession }) {
  const error = useSignal(session.onStatus, () => session.error);
  if (error === undefined) return null;
  return (
    <Banner
      icon="warn"
      tone="error"
      role="alert"
      title={error.message}
      action={
        <Button look="line" icon="restart" onClick={() => session.step()}>
          Read again
        </Button>
      }
    >
      {error.hint ?? (session.hasBytes ? 'What is shown is what was read last.' : 'Nothing could be read yet.')}
      {error.cuda !== undefined && (
        <span className="mono dim">
          {' '}
          {error.call}: {error.cuda.name}
        </span>
      )}
    </Banner>
  );
}

/** Reads rarely while the window is hidden or the pane is folded away. */
function useSlowWhenHidden(session: MemorySession, pane: { readonly current: HTMLElement | null }): void {
  useEffect(() => {
    let folded = false;
    const tell = () => session.setSlowed(document.hidden || folded);
    const seen = new IntersectionObserver(([entry]) => {
      folded = entry?.isIntersecting === false;
      tell();
    });
    if (pane.current) seen.observe(pane.current);
    document.addEventListener('visibilitychange', tell);
    tell();
    return () => {
      seen.disconnect();
      document.removeEventListener('visibilitychange', tell);
    };
  }, [session, pane]);
}

/** More than this is not copied as text. */
const MOST_COPIED = 1024 * 1024;

async function copySelection(session: MemorySession): Promise<void> {
  const { start, end } = session.selection;
  await act(
    'Copy the selection',
    async () => {
      if (end - start > MOST_COPIED) throw new Error('At most 1 MiB is copied as text. Select less.');
      const result = await session.bytesOf({ offset: start, length: end - start });
      if (!result.ok) throw new Error(result.error.message);
      const text =
        session.side === 'text' ? Array.from(result.value, (byte) => GLYPHS[byte]).join('') : hexText(result.value);
      await copyText(text);
    },
    `${count(end - start, 'byte')} copied`,
  );
}

function commandsOf(session: MemorySession, focusGrid: () => void, open: (id: string) => void): readonly Command[] {
  const group = 'Contents';
  const live = () => !session.ended;
  const plain = () => !session.editing;
  return [
    {
      id: 'contents.pause',
      title: 'Pause or follow the bytes',
      group,
      icon: 'pause',
      keys: ['Space'],
      area: 'memory',
      when: () => live() && plain(),
      run: () => (session.paused ? session.follow() : session.pause()),
    },
    {
      id: 'contents.step',
      title: 'Read the bytes once',
      group,
      icon: 'step',
      keys: ['.'],
      area: 'memory',
      when: () => live() && plain(),
      run: () => session.step(),
    },
    { id: 'contents.goto', title: 'Go to offset, element or expression', group, keys: ['Ctrl+G'], run: focusGoto },
    {
      id: 'contents.back',
      title: 'Back to the offset before',
      group,
      icon: 'back',
      keys: ['Alt+←'],
      when: () => session.history.canGoBack,
      run: () => session.goBack(),
    },
    {
      id: 'contents.forward',
      title: 'Forward to the next offset',
      group,
      icon: 'fwd',
      keys: ['Alt+→'],
      when: () => session.history.canGoForward,
      run: () => session.goForward(),
    },
    {
      id: 'contents.next-change',
      title: 'Go to the next change',
      group,
      icon: 'down',
      keys: ['C'],
      area: 'memory',
      when: () => session.hasChanges && plain(),
      run: () => session.goToChange(1),
    },
    {
      id: 'contents.previous-change',
      title: 'Go to the previous change',
      group,
      icon: 'up',
      keys: ['Shift+C'],
      area: 'memory',
      when: () => session.hasChanges && plain(),
      run: () => session.goToChange(-1),
    },
    {
      id: 'contents.edit',
      title: 'Edit bytes',
      group,
      keys: ['E'],
      area: 'memory',
      when: () => live() && plain(),
      run: () => {
        open('bytes');
        session.setEditing(true);
        focusGrid();
      },
    },
    {
      id: 'contents.copy',
      title: 'Copy the selected bytes',
      group,
      icon: 'copy',
      keys: ['Ctrl+C'],
      area: 'memory',
      run: () => void copySelection(session),
    },
    ...views.map(({ id, title, order }) => ({
      id: `contents.view.${id}`,
      title: `Show ${title.toLowerCase()}`,
      group,
      keys: [String(order)],
      area: 'memory',
      when: plain,
      run: () => {
        open(id);
        requestAnimationFrame(focusGrid);
      },
    })),
  ];
}
