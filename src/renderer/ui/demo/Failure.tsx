import type { IpcError } from '#contract/result';
import { IconButton } from '../Button';
import { ErrorText } from '../ErrorText';

/** What went wrong in a step, in the step: the message, the driver's result, and what to do. It stays until the next try. */
export function Failure({ error, onDismiss }: { error: IpcError | undefined; onDismiss?: () => void }) {
  if (error === undefined) return null;
  return (
    <div className="step-failure">
      <ErrorText error={error} />
      {onDismiss !== undefined && <IconButton icon="cross" iconSize={14} label="Dismiss" onClick={onDismiss} />}
    </div>
  );
}
