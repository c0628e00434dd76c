import './demo.css';
import { type ReactNode, useEffect, useRef } from 'react';
import { formatAge } from '#contract/units';
import { useApp } from '../../lib/app-store';
import { useNow } from '../../lib/clock';
import { formatClock } from '../../lib/format';
import { Banner } from '../Banner';
import { Button } from '../Button';
import { Chip } from '../Chip';
import { cx } from '../cx';
import { ErrorText } from '../ErrorText';
import { Icon } from '../Icon';
import { Tooltip } from '../Tooltip';
import { CrashBar } from './CrashBar';
import { crashProcess, isGone, restartProcess, useProcess, useSelf } from './process';
import { ended } from './words';

export interface DemoWindowProps {
  readonly kind: 'producer' | 'consumer';
  readonly strip: ReactNode;
  /** The list items of the steps. */
  readonly steps: ReactNode;
  /** What the end of this process means for what it shared or had open: sentences in the banner that says it ended. */
  readonly aftermath: ReactNode;
  /** One thing to say while the process lives: an exporter is gone, somebody still holds what was there before. */
  readonly notice?: ReactNode;
  /** What a crash does to others, beside the button. */
  readonly consequence: string;
}

/**
 * The frame of a demo window: who this is, the bytes, the steps, and the crash. The steps scroll; the bytes and the
 * crash stay. When the process is gone the window stays, says so, and offers a new one.
 */
export function DemoWindow({ kind, strip, steps, aftermath, notice, consequence }: DemoWindowProps) {
  const self = useSelf();
  const info = useApp((app) => app.info);
  const { restarting, error } = useProcess();
  const gone = isGone(self);
  const name = info?.self.name ?? (kind === 'producer' ? 'Producer' : 'Consumer');
  useEffect(() => {
    document.title = name;
  }, [name]);

  return (
    <main className={cx('demo', kind)}>
      <header className="demo-top">
        <span className={cx('demo-badge', kind === 'producer' ? 'exporter' : 'importer')}>
          <Icon name={kind === 'producer' ? 'exporter' : 'importer'} size={20} />
        </span>
        <div className="demo-who">
          <h1 className="cut">{name}</h1>
          <p className="num cut">
            {who(self?.pid ?? info?.self.pid ?? undefined, self?.device ?? undefined, self?.state)}
          </p>
        </div>
        <DriverChip />
      </header>
      <div className="demo-says">
        {gone && self !== undefined ? (
          <GoneBanner
            title={`${name} ${ended(self)}${self.endedAt === undefined ? '' : ` at ${formatClock(self.endedAt)}`}`}
            busy={restarting}
          >
            {aftermath}
          </GoneBanner>
        ) : self?.hanging !== undefined ? (
          <HangingBanner call={self.hanging.call} since={self.hanging.since} />
        ) : (
          notice
        )}
        {error !== undefined && (
          <div className="demo-error">
            <ErrorText error={error} />
          </div>
        )}
      </div>
      {strip}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <section className="steps" aria-label="Steps" tabIndex={0}>
        <ol inert={gone || self === undefined}>{steps}</ol>
      </section>
      <CrashBar
        pid={gone || self?.state !== 'alive' ? undefined : (self.pid ?? undefined)}
        consequence={consequence}
        onCrash={() => void crashProcess()}
      />
    </main>
  );
}

function who(pid: number | undefined, device: number | undefined, state: string | undefined): string {
  if (state === 'lost' || state === 'exited') return `pid ${pid ?? 'unknown'} is gone`;
  if (pid === undefined || state === 'starting') return 'its process is starting';
  return `pid ${pid}, GPU ${device ?? 0}, a process of its own`;
}

/** Real or simulated, with the reason on hover. */
function DriverChip() {
  const driver = useApp((app) => app.info?.driver);
  if (driver === undefined) return null;
  if (driver.kind === 'real') {
    return <Chip icon="gpu">Real GPU</Chip>;
  }
  return (
    <Tooltip text={driver.reason ?? 'The driver is a simulation.'}>
      <span>
        <Chip tone="simulated" icon="gpu">
          Simulated GPU
        </Chip>
      </span>
    </Tooltip>
  );
}

/** The process ended: when and how, what is left of it, and a new one for the asking. */
function GoneBanner({ title, busy, children }: { title: string; busy: boolean; children: ReactNode }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that had the focus (Crash) may just have been disabled: without this, keyboard users start over.
    const { activeElement } = document;
    if (activeElement === null || activeElement === document.body || activeElement.matches(':disabled'))
      button.current?.focus();
  }, []);
  return (
    <Banner
      icon="warn"
      tone="error"
      role="alert"
      title={title}
      action={
        <Button ref={button} look="primary" icon="restart" disabled={busy} onClick={() => void restartProcess()}>
          {busy ? 'Restarting' : 'Restart'}
        </Button>
      }
    >
      {children}
    </Banner>
  );
}

/** A call is only called hanging after this long; the clock of the window may be a second behind. */
const HANGING_MS = 2000;

/** A driver call that does not return. The window works on; only calls of this process wait. */
function HangingBanner({ call, since }: { call: string; since: number }) {
  const now = useNow();
  return (
    <Banner
      icon="wait"
      tone="event"
      label={`${call} has not returned`}
      title={
        <>
          <span className="mono">{call}</span> has not returned
          {/* Counts up every second: to be seen, not to be read out each time. */}
          <span aria-hidden="true"> for {formatAge(Math.max(HANGING_MS, now - since))}</span>
        </>
      }
    >
      Other calls of this process wait behind it. Crash this process to end it.
    </Banner>
  );
}
