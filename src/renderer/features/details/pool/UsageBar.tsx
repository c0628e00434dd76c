import type { Pool } from '#contract/records';
import { formatSize } from '#contract/units';

type Usage = NonNullable<Pool['usage']>;

/** Used inside reserved, with a mark at the highest of each, on a scale to the limit or to the highest. */
export function UsageBar({ usage, maxBytes }: { usage: Usage; maxBytes: number | null }) {
  const whole = Math.max(1, usage.reservedHigh, usage.reserved, maxBytes ?? 0);
  const percent = (bytes: number) => `${Math.min(100, (bytes / whole) * 100)}%`;
  const words = `${formatSize(usage.used)} used of ${formatSize(usage.reserved)} reserved; at most ${formatSize(usage.usedHigh)} were used and ${formatSize(usage.reservedHigh)} reserved`;
  return (
    <div
      className="usage"
      role="meter"
      aria-label="Memory of the pool"
      aria-valuemin={0}
      aria-valuemax={whole}
      aria-valuenow={usage.used}
      aria-valuetext={words}
      title={words}
    >
      <span className="r" style={{ width: percent(usage.reserved) }} />
      <span className="u" style={{ width: percent(usage.used) }} />
      <i className="h" style={{ left: percent(usage.usedHigh) }} />
    </div>
  );
}
