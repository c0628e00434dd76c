import './inspector.css';
import { type CSSProperties, useMemo, useRef, useSyncExternalStore } from 'react';
import { CallsPane } from '../features/calls';
import { CodeDialog } from '../features/code';
import { ContentsPane } from '../features/contents';
import { DescriptorsDialog } from '../features/descriptors';
import { Details, VerdictDialog } from '../features/details';
import { Rail } from '../features/devices';
import { Dialogs } from '../features/dialogs';
import { FirstRun, SimulatedBanner } from '../features/first-run';
import { HandlesPane } from '../features/handles';
import { Palette } from '../features/palette';
import { ShortcutsDialog } from '../features/shortcuts';
import { StatusBar } from '../features/status';
import { focusNextArea } from '../lib/areas';
import { type Command, useCommands } from '../lib/commands';
import { openDialog } from '../lib/dialogs';
import { groupsOf } from '../lib/groups';
import { useLedger, useLedgerStore } from '../lib/ledger-store';
import { useMedia } from '../lib/media';
import { setSettings, useSettings } from '../lib/settings-store';
import { IconButton } from '../ui/Button';
import { Splitter } from '../ui/Splitter';
import { Alarms } from './Alarms';
import { useAutomaticSelection } from './automatic-selection';
import { useFocusHome } from './focus-home';
import { detailsLimits, detailsWidth, railLimits, railWidth, usePaneSize, useShare } from './layout';

/** Least heights in pixels: each with its head and a row. */
const HANDLES_MIN = 98;
const CALLS_MIN = 76;

/** The main window: what is shared, who holds it, what is inside. */
export function Inspector() {
  const centre = useRef<HTMLElement>(null);
  const rail = useRef<HTMLDivElement>(null);
  const details = useRef<HTMLDivElement>(null);
  const handles = useRef<HTMLDivElement>(null);
  const calls = useRef<HTMLDivElement>(null);
  const width = useWindowWidth();
  const railFolded = useMedia('(max-width: 1279px)');
  const low = useMedia('(max-height: 719px)');
  const detailsFolded = useSettings((settings) => settings.detailsFolded);
  const callsFolded = useSettings((settings) => settings.callsFolded);
  const railSize = usePaneSize('rail', railWidth(width), railLimits(width));
  const detailsSize = usePaneSize('details', detailsWidth(width), detailsLimits(width));
  const handlesSize = useShare('handles', centre);
  const callsSize = useShare('calls', centre);
  const first = useFirstRun();
  useAutomaticSelection();
  useFocusHome();
  useWindowCommands(detailsFolded);

  const style = {
    '--rail-own': railSize.pixels === undefined || railFolded ? undefined : `${railSize.pixels}px`,
    '--details-own': detailsSize.pixels === undefined ? undefined : `${detailsSize.pixels}px`,
    '--handles-own':
      handlesSize.percent === undefined || low ? undefined : `max(${HANDLES_MIN}px, ${handlesSize.percent}%)`,
    '--calls-own':
      callsSize.percent === undefined || callsFolded || low ? undefined : `max(${CALLS_MIN}px, ${callsSize.percent}%)`,
  } as CSSProperties;
  const unfold = detailsFolded && (
    <IconButton icon="back" label="Show Details" onClick={() => void setSettings({ detailsFolded: false })} />
  );
  return (
    <div className="app" data-details={detailsFolded ? 'folded' : undefined} style={style}>
      <div className="app-rail" ref={rail}>
        <Rail />
      </div>
      <main
        className="centre"
        ref={centre}
        data-first={first || undefined}
        data-calls={callsFolded || low ? 'folded' : undefined}
      >
        {!railFolded && (
          <Splitter
            label="Width of the devices"
            line="vertical"
            pane="before"
            size={() => rail.current?.offsetWidth ?? 0}
            min={railLimits(width).min}
            max={() => railLimits(window.innerWidth).max}
            onResize={railSize.onResize}
            onReset={railSize.onReset}
          />
        )}
        {!detailsFolded && (
          <Splitter
            label="Width of Details"
            line="vertical"
            pane="after"
            size={() => details.current?.offsetWidth ?? 0}
            min={detailsLimits(width).min}
            max={() => detailsLimits(window.innerWidth).max}
            onResize={detailsSize.onResize}
            onReset={detailsSize.onReset}
          />
        )}
        <Alarms />
        <div className="centre-handles" ref={handles}>
          <HandlesPane
            end={unfold}
            firstRun={
              first ? (
                <>
                  <SimulatedBanner />
                  <FirstRun />
                </>
              ) : undefined
            }
          />
        </div>
        {!first && (
          <>
            <Splitter
              label="Height of the handles"
              line="horizontal"
              pane="before"
              size={() => handles.current?.offsetHeight ?? 0}
              min={HANDLES_MIN}
              max={() => (centre.current?.offsetHeight ?? 0) * 0.75}
              onResize={handlesSize.onResize}
              onReset={handlesSize.onReset}
            />
            <ContentsPane />
          </>
        )}
        <Splitter
          label="Height of the driver calls"
          line="horizontal"
          pane="after"
          size={() => calls.current?.offsetHeight ?? 0}
          min={CALLS_MIN}
          max={() => (centre.current?.offsetHeight ?? 0) * 0.6}
          onResize={callsSize.onResize}
          onReset={callsSize.onReset}
        />
        <div className="centre-calls" ref={calls}>
          <CallsPane quiet={first} />
        </div>
      </main>
      {!detailsFolded && (
        <div className="app-details" ref={details}>
          <Details />
        </div>
      )}
      <div className="app-status">
        <StatusBar />
      </div>
      <Dialogs />
      <CodeDialog />
      <DescriptorsDialog />
      <VerdictDialog />
      <Palette />
      <ShortcutsDialog />
    </div>
  );
}

/** Whether there is nothing to list and nobody who could make something. */
function useFirstRun(): boolean {
  const ready = useLedgerStore((store) => store.status !== 'loading');
  const empty = useLedger((ledger) => groupsOf(ledger).list.length === 0);
  const alone = useLedger((ledger) => [...ledger.peers.values()].every(({ role }) => role === 'inspector'));
  return ready && empty && alone;
}

function useWindowWidth(): number {
  return useSyncExternalStore(
    (listener) => {
      window.addEventListener('resize', listener);
      return () => window.removeEventListener('resize', listener);
    },
    () => window.innerWidth,
  );
}

function useWindowCommands(detailsFolded: boolean): void {
  useCommands(
    useMemo((): readonly Command[] => {
      return [
        {
          id: 'window.palette',
          title: 'Search or run a command',
          group: 'Window',
          keys: ['Ctrl+K', 'Ctrl+Shift+P'],
          hidden: true,
          run: () => openDialog({ kind: 'palette' }),
        },
        {
          id: 'window.keys',
          title: 'Show the keyboard map',
          group: 'Window',
          keys: ['?'],
          run: () => openDialog({ kind: 'shortcuts' }),
        },
        {
          id: 'window.next',
          title: 'Go to the next area',
          group: 'Window',
          keys: ['F6'],
          hidden: true,
          run: () => focusNextArea(1),
        },
        {
          id: 'window.previous',
          title: 'Go to the area before',
          group: 'Window',
          keys: ['Shift+F6'],
          hidden: true,
          run: () => focusNextArea(-1),
        },
        {
          id: 'window.details',
          title: 'Fold or unfold Details',
          group: 'View',
          keys: ['Ctrl+I'],
          run: () => void setSettings({ detailsFolded: !detailsFolded }),
        },
        {
          id: 'window.sharing',
          title: 'How sharing works',
          group: 'Window',
          run: () => openDialog({ kind: 'sharing' }),
        },
      ];
    }, [detailsFolded]),
  );
}
