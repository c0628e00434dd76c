import { Button } from '../../../ui/Button';
import { ErrorText } from '../../../ui/ErrorText';
import { Later } from '../../../ui/Later';
import type { Verdict as QuickVerdict } from '../pointer-facts';
import { Section } from '../Section';
import { Verdicts } from '../Verdicts';
import { useVerdict } from './use-verdict';
import { VerdictView } from './VerdictView';

/**
 * How an allocation or mapping can be shared. What its attributes say is there at once (`first`); the whole verdict is
 * asked on request, because the driver is asked for it and what it refuses is in the call log.
 */
export function SharingSection({ id, first }: { id: string; first?: readonly QuickVerdict[] }) {
  const { busy, verdict, error, at, ask } = useVerdict();
  return (
    <Section
      title="How can this be shared?"
      actions={
        <Button
          size="small"
          look={verdict === undefined ? 'line' : 'quiet'}
          icon={verdict === undefined ? undefined : 'restart'}
          disabled={busy}
          onClick={() => void ask({ id })}
        >
          {verdict === undefined ? 'Ask the driver' : 'Ask again'}
        </Button>
      }
    >
      {verdict === undefined && first !== undefined && <Verdicts verdicts={first} />}
      {verdict === undefined && first === undefined && error === undefined && (
        <p className="note">A verdict for each way of sharing, with its reason, and a trial of it if you want.</p>
      )}
      {busy && (
        <Later>
          <p className="note" role="status">
            Asking the driver…
          </p>
        </Later>
      )}
      {error !== undefined && <ErrorText error={error} />}
      {verdict !== undefined && <VerdictView key={at} verdict={verdict} at={at} id={id} />}
    </Section>
  );
}
