import { useCallback, useEffect, useMemo, useRef } from 'react';
import { useCommands } from '../../lib/commands';
import { useLedgerStore } from '../../lib/ledger-store';
import { useMedia } from '../../lib/media';
import { useSettings } from '../../lib/settings-store';
import { Banner } from '../../ui/Banner';
import { Button, IconButton } from '../../ui/Button';
import { cx } from '../../ui/cx';
import { Tooltip } from '../../ui/Tooltip';
import { commandsOf } from './contents-commands';
import type { Explanation } from './explain';
import { placeOf } from './model/memory-place';
import type { MemorySession } from './model/memory-session';
import { openView, useOpenView } from './model/open-view';
import { meter } from './model/sessions';
import { useSignal } from './model/use-signal';
import { ChangesChip } from './parts/ChangesChip';
import { EditBar } from './parts/EditBar';
import { FollowControls } from './parts/FollowControls';
import { Foot } from './parts/Foot';
import { focusViewAround } from './parts/focus-view';
import { takeFocusWish } from './parts/focus-wish';
import { GotoField } from './parts/GotoField';
import { GridMenu } from './parts/GridMenu';
import { MapStrip } from './parts/MapStrip';
import { NextStepButton } from './parts/NextStepButton';
import { takePlaceWish } from './parts/place-wish';
import { ReadFailure } from './parts/ReadFailure';
import { useSlowWhenHidden } from './parts/use-slow-when-hidden';
import { ValueCard } from './parts/ValueCard';
import { ViewTabs } from './parts/ViewTabs';
import { tools } from './tools';
import { views } from './views';

export interface MemoryProps {
  readonly session: MemorySession;
  readonly label: string;
  /** Why the bytes are the last ones, when they are. */
  readonly ended: Explanation | undefined;
  readonly ownerGone: boolean;
}

/** A memory in the view that is open: tabs, tools, the view with what stands beside it, the foot. */
export function MemoryContents({ session, label, ended, ownerGone }: MemoryProps) {
  const pane = useRef<HTMLElement>(null);
  const viewId = useOpenView();
  const view = views.find(({ id }) => id === viewId) ?? views[0];
  const base = useSettings(({ offsets }) => (offsets === 'decimal' ? 'decimal' : 'hex'));
  const canGoBack = useSignal(session.onCursor, () => session.history.canGoBack);
  const canGoForward = useSignal(session.onCursor, () => session.history.canGoForward);
  const editing = useSignal(session.onEdits, () => session.editing);

  const focusView = useCallback(() => focusViewAround(pane.current), []);
  useEffect(() => {
    const place = takePlaceWish(session.source.id);
    if (place !== undefined) {
      const offset = place.offset - placeOf(useLedgerStore.getState().ledger, session.source.id).base;
      if (offset >= 0 && offset < session.size) session.goTo(offset, place.bytes);
    }
    if (takeFocusWish()) focusView();
  }, [session, focusView]);
  // A view that leads to another one, as Enter on a value does, takes the focus along when it goes.
  const shownView = useRef(viewId);
  useEffect(() => {
    if (shownView.current === viewId) return;
    shownView.current = viewId;
    if (document.activeElement === document.body) focusView();
  }, [viewId, focusView]);
  // The buttons for back and forward that a mouse may have at its side.
  useEffect(() => {
    const element = pane.current;
    const press = ({ button }: MouseEvent) => {
      if (button === 3) session.goBack();
      else if (button === 4) session.goForward();
    };
    element?.addEventListener('mouseup', press);
    return () => element?.removeEventListener('mouseup', press);
  }, [session]);
  useLife(session, ended === undefined);
  useSlowWhenHidden(session, pane);
  useCommands(
    useMemo(
      () => [
        ...commandsOf(session, focusView),
        ...views.flatMap(({ commands }) => commands?.(session) ?? []),
        ...tools.flatMap(({ commands }) => commands?.(session, focusView) ?? []),
      ],
      [session, focusView],
    ),
  );

  if (view === undefined) return null;
  const has = (part: 'places' | 'map' | 'value') => view.without?.includes(part) !== true;
  return (
    <section ref={pane} className="contents" aria-label="Contents" data-area="contents">
      <div className="tabs">
        <span className="what">
          <span className="cut" title={label}>
            {label}
          </span>
        </span>
        <ViewTabs open={view.id} onOpen={openView} />
        {ended === undefined && (view.Live ? <view.Live session={session} /> : <FollowControls session={session} />)}
      </div>
      {ended !== undefined && (
        <Banner
          icon="ring"
          tone="stale"
          title={ended.title}
          action={ended.next && <NextStepButton step={ended.next} look="line" />}
        >
          {has('places') ? `${ended.text} These are the last bytes read.` : ended.text}
        </Banner>
      )}
      {ended === undefined && <ReadFailure session={session} />}
      <div className="tools" role="toolbar" aria-label={view.title}>
        {has('places') && (
          <>
            <Tooltip text="Back (Alt+←)">
              <IconButton icon="back" label="Back" disabled={!canGoBack} onClick={() => session.goBack()} />
            </Tooltip>
            <Tooltip text="Forward (Alt+→)">
              <IconButton icon="fwd" label="Forward" disabled={!canGoForward} onClick={() => session.goForward()} />
            </Tooltip>
            <GotoField session={session} base={base} onDone={focusView} />
          </>
        )}
        <view.Tools session={session} />
        {has('places') && (
          <>
            <span className="grow" />
            <ChangesChip session={session} ownerGone={ownerGone} />
            {tools.map(
              ({ id, Button: ToolButton }) =>
                ToolButton && <ToolButton key={id} session={session} viewId={view.id} focusView={focusView} />,
            )}
          </>
        )}
        {(view.id === 'bytes' || view.id === 'values' || view.id === 'tensor') && ended === undefined && (
          <Tooltip text={view.id === 'bytes' ? 'Type over bytes (E)' : 'Type over values (E)'}>
            <Button
              size="small"
              aria-pressed={editing}
              onClick={() => {
                session.setEditing(!editing);
                focusView();
              }}
            >
              Edit
            </Button>
          </Tooltip>
        )}
      </div>
      {tools.map(({ id, Bar }) => Bar && <Bar key={id} session={session} viewId={view.id} focusView={focusView} />)}
      <div className={cx('view', !has('value') && 'without-value', !has('map') && 'without-map')}>
        <GridMenu
          viewId={view.id}
          area={
            <div role="tabpanel" id={`view-${view.id}`} aria-labelledby={`tab-${view.id}`}>
              <view.Body session={session} />
            </div>
          }
        />
        {has('map') && <MapStrip session={session} />}
        {has('value') && <ValueCard session={session} />}
      </div>
      <EditBar session={session} focusGrid={focusView} />
      <Foot session={session} base={base} />
    </section>
  );
}

/** Follows the memory while it is on screen, at the rate and in the manner that are set. */
function useLife(session: MemorySession, live: boolean): void {
  const hz = useSettings((settings) => settings.followHz);
  const reduced = useMedia('(prefers-reduced-motion: reduce)');
  const paused = useSignal(session.onStatus, () => session.paused);
  useEffect(() => session.setHz(hz), [session, hz]);
  useEffect(() => session.setReducedMotion(reduced), [session, reduced]);
  useEffect(() => {
    session.wake();
    return () => session.sleep();
  }, [session]);
  useEffect(() => meter.setHz(live && !paused ? hz : undefined), [live, paused, hz]);
  useEffect(() => () => meter.stop(), []);
}
