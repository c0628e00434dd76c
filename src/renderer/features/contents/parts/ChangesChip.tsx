import { formatFreshness } from '../../../lib/bytes-format';
import { count } from '../../../lib/format';
import { IconButton } from '../../../ui/Button';
import { Chip } from '../../../ui/Chip';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';

/** Nothing has changed for this long: said, instead of an empty place. */
const QUIET_MS = 5000;

/** How many bytes carry the cue of a change, and the way through them. */
export function ChangesChip({ session, ownerGone }: ViewProps & { ownerGone: boolean }) {
  const changed = useSignal(session.onStatus, () => session.changedCount);
  const any = useSignal(session.onStatus, () => session.hasChanges);
  const quiet = useSignal(session.onStatus, () => {
    if (session.lastChangeAt === undefined || session.paused || session.ended || session.takenAt === undefined)
      return '';
    const since = session.takenAt - session.lastChangeAt;
    return since < QUIET_MS ? '' : `No change for ${formatFreshness(Math.floor(since / 1000) * 1000)}`;
  });
  return (
    <>
      {changed > 0 ? (
        <Chip tone="changed">{count(changed, 'byte')} changed</Chip>
      ) : (
        quiet !== '' && <Chip tone={ownerGone ? 'gone' : 'stale'}>{quiet}</Chip>
      )}
      <Tooltip text="Previous change (Shift+C)">
        <IconButton icon="up" label="Previous change" disabled={!any} onClick={() => session.goToChange(-1)} />
      </Tooltip>
      <Tooltip text="Next change (C)">
        <IconButton icon="down" label="Next change" disabled={!any} onClick={() => session.goToChange(1)} />
      </Tooltip>
    </>
  );
}
