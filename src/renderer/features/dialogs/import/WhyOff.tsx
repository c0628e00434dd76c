import type { Finding } from '#contract/calls/handles';
import { LinkButton } from '../../../ui/Button';
import { cx } from '../../../ui/cx';
import { Icon } from '../../../ui/Icon';
import { blocks, refusals } from './findings';

/**
 * Beside the button that is off: why, while that is out of sight in the body. Nothing is said twice: in sight it is only
 * heard, as what the button is described by, and seen is the way to the rest of what is known.
 */
export function WhyOff({
  findings,
  anyway,
  id,
  said,
  whole,
  onShow,
}: {
  findings: readonly Finding[];
  anyway: boolean;
  /** For the button, which it describes. */
  id: string;
  /** Why is in sight in the body. */
  said: boolean;
  /** All that is known is. */
  whole: boolean;
  onShow: () => void;
}) {
  const [first] = refusals(findings);
  if (first === undefined || !blocks(findings, anyway)) return <span className="grow" />;
  return (
    <div className="why-off">
      {!said && <Icon name="cross" size={14} tone="error" />}
      <p id={id} className={cx(said && 'sr')} title={first.message}>
        {first.message}
      </p>
      {!whole && <LinkButton onClick={onShow}>Show</LinkButton>}
    </div>
  );
}
