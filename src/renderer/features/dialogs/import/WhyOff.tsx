import type { Finding } from '#contract/calls/handles';
import { LinkButton } from '../../../ui/Button';
import { Icon } from '../../../ui/Icon';
import { blocks, refusals } from './findings';

/** Beside the button that is off: why. All that is known stands in the body, where it may be out of sight. */
export function WhyOff({
  findings,
  anyway,
  id,
  onShow,
}: {
  findings: readonly Finding[];
  anyway: boolean;
  /** For the button, which it describes. */
  id: string;
  onShow: () => void;
}) {
  const [first] = refusals(findings);
  if (first === undefined || !blocks(findings, anyway)) return <span className="grow" />;
  return (
    <div className="why-off">
      <Icon name="cross" size={14} tone="error" />
      <p id={id} title={first.message}>
        {first.message}
      </p>
      <LinkButton onClick={onShow}>Show</LinkButton>
    </div>
  );
}
