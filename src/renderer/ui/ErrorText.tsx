import './ErrorText.css';
import type { IpcError } from '#contract/result';
import { shortResult } from '../lib/format';
import { Icon } from './Icon';

/** A failure in the place where it happened: what, what to do, and what the driver answered. */
export function ErrorText({ error, doing }: { error: IpcError; doing?: string }) {
  return (
    <div className="err" role="alert">
      <Icon name="warn" size={14} tone="error" />
      <div className="selectable">
        {doing !== undefined && <b>{doing} failed</b>}
        <p>{error.message}</p>
        {error.hint !== undefined && <p className="soft">{error.hint}</p>}
        {error.cuda !== undefined && !error.message.includes(shortResult(error.cuda.name, error.cuda.result)) && (
          <p className="mono err-cuda" title={error.cuda.text}>
            {error.call !== undefined && `${error.call}: `}
            {shortResult(error.cuda.name, error.cuda.result)}
          </p>
        )}
      </div>
    </div>
  );
}
