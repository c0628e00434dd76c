import type { ReactNode } from 'react';
import type { IpcError } from '#contract/result';
import { IconButton } from '../Button';
import { Icon } from '../Icon';
import { shortResult } from './words';

/** What went wrong in a step: the message, the driver's result with its number, and what to do. */
export function Failure({
  error,
  onDismiss,
  children,
}: {
  error: IpcError | undefined;
  onDismiss?: () => void;
  children?: ReactNode;
}) {
  if (error === undefined) return null;
  return (
    <div className="failure" role="alert">
      <Icon name="warn" size={14} tone="error" />
      <div className="failure-w">
        <p>
          <b>{error.message}</b>
          {error.cuda !== undefined && (
            <span className="failure-r mono" title={`${error.cuda.name} (${error.cuda.result}): ${error.cuda.text}`}>
              {shortResult(error.cuda.name)} {error.cuda.result}
            </span>
          )}
        </p>
        {error.hint !== undefined && <p className="soft">{error.hint}</p>}
        {children}
      </div>
      {onDismiss !== undefined && <IconButton icon="cross" iconSize={12} label="Dismiss" onClick={onDismiss} />}
    </div>
  );
}
