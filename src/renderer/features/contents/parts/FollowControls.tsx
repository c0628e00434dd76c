import { FOLLOW_RATES } from '../../../lib/bytes-follow';
import { formatFreshness } from '../../../lib/bytes-format';
import { setSettings, useSettings } from '../../../lib/settings-store';
import { IconButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Pick } from '../../../ui/Pick';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';

const rates = FOLLOW_RATES.map((value) => ({ value: value as number, label: `${value} Hz` }));

/** How fresh the bytes are, pause, one read, and how often to read. */
export function FollowControls({ session }: ViewProps) {
  const hz = useSettings((settings) => settings.followHz);
  const paused = useSignal(session.onStatus, () => session.paused);
  const options = rates.some(({ value }) => value === hz) ? rates : [...rates, { value: hz, label: `${hz} Hz` }];
  return (
    <div className="live">
      <Freshness session={session} />
      <Tooltip text={paused ? 'Follow (Space)' : 'Pause (Space)'}>
        <IconButton
          icon={paused ? 'play' : 'pause'}
          label={paused ? 'Follow' : 'Pause'}
          onClick={() => (paused ? session.follow() : session.pause())}
        />
      </Tooltip>
      <Tooltip text="Read once (.)">
        <IconButton icon="step" label="Read once" disabled={!paused} onClick={() => session.step()} />
      </Tooltip>
      <Pick
        label="Follow"
        value={hz}
        options={options}
        onChange={(followHz) => {
          void setSettings({ followHz });
          session.follow();
        }}
      />
    </div>
  );
}

/** Renewed four times a second: reads come faster than anyone reads figures. */
function Freshness({ session }: ViewProps) {
  const known = useSignal(session.onStatus, () => session.hasBytes);
  const age = useSignal(session.onStatus, () => session.age);
  const text = known ? `${formatFreshness(age)} ago` : '';
  const stale = useSignal(session.onStatus, () => session.stale);
  const paused = useSignal(session.onStatus, () => session.paused);
  return (
    <span className={cx('fresh num', stale ? 'stale' : 'dim')}>
      {paused && text !== '' ? 'Paused, ' : stale && text !== '' ? 'Stale, ' : ''}
      {text}
    </span>
  );
}
