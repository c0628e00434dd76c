import type { ReactNode } from 'react';
import type { Call } from '#contract/records';
import { formatDuration } from '#contract/units';
import { Icon } from '../Icon';

/** The driver call that did it, and how long it took: `✓ cuMemAlloc_v2 41.0 µs, the same address both times`. */
export function CallLine({ call, note }: { call: Call | undefined; note?: ReactNode }) {
  if (call === undefined) return null;
  return (
    <p className="step-note num">
      <Icon name="check" size={12} />
      <span className="mono">{call.name}</span>
      <span className="cut">
        {formatDuration(call.us)}
        {note ? <>, {note}</> : null}
      </span>
    </p>
  );
}
