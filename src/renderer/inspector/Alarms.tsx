import { useState } from 'react';
import { formatAge } from '#contract/units';
import { restartPeer } from '../lib/actions';
import { useApp } from '../lib/app-store';
import { useNow } from '../lib/clock';
import { useLedger, useLedgerStore } from '../lib/ledger-store';
import { peerRuns } from '../lib/states';
import { Banner } from '../ui/Banner';
import { Button } from '../ui/Button';
import { ErrorText } from '../ui/ErrorText';

/** What concerns the whole window, one at a time, the worst first: no ledger, no driver process, a call that hangs. */
export function Alarms() {
  const status = useLedgerStore((store) => store.status);
  const error = useLedgerStore((store) => store.error);
  const device = useApp((store) => store.info?.driver);
  const [read, setRead] = useState<string | undefined>(undefined);
  const own = useLedger((ledger) => ledger.peers);
  const mine = [...own.values()].filter(({ role }) => role === 'inspector').sort((a, b) => a.startedAt - b.startedAt);
  const now = mine.at(-1);
  const lost = mine.findLast((peer) => !peerRuns(peer) && peer.state === 'lost');
  if (status === 'failed' && error !== undefined) {
    return (
      <Banner icon="warn" tone="error" role="alert" title="The list of handles could not be read">
        <ErrorText error={error} />
      </Banner>
    );
  }
  if (now !== undefined && !peerRuns(now)) {
    return (
      <Banner
        icon="warn"
        tone="error"
        role="alert"
        title="CUDA in this process has ended"
        action={
          <Button look="line" icon="restart" onClick={() => void restartPeer(now.id, 'the Inspector’s driver process')}>
            Restart
          </Button>
        }
      >
        {now.ending ?? 'It is gone'}. What the Inspector had open is closed; other processes keep theirs.
      </Banner>
    );
  }
  if (now?.hanging !== undefined)
    return <Hanging call={now.hanging.call} since={now.hanging.since} device={now.device} />;
  if (lost !== undefined && lost.id !== read) {
    return (
      <Banner
        icon="warn"
        tone="error"
        role="alert"
        title="CUDA in this process has ended"
        action={
          <Button look="line" onClick={() => setRead(lost.id)}>
            Dismiss
          </Button>
        }
      >
        {lost.ending ?? 'It is gone'}. A new process took over
        {device === undefined ? '' : ` with ${device.kind === 'real' ? 'the real GPU' : 'the simulated GPU'}`}.
      </Banner>
    );
  }
  return null;
}

function Hanging({ call, since, device }: { call: string; since: number; device: number | null }) {
  const now = useNow();
  return (
    <Banner
      icon="wait"
      tone="event"
      label="A driver call hangs"
      title={`${call} has not returned for ${formatAge(Math.max(1000, now - since))}`}
    >
      Inspector waits for {device === null ? 'the driver' : `GPU ${device}`}. Everything else keeps working.
    </Banner>
  );
}
