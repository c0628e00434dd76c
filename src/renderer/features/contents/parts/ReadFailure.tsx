import { Banner } from '../../../ui/Banner';
import { Button } from '../../../ui/Button';
import { useSignal } from '../model/use-signal';
import type { ViewProps } from '../views';

/** The last read failed although the memory should be there. */
export function ReadFailure({ session }: ViewProps) {
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
