import type { Ref } from 'react';
import type { Finding } from '#contract/calls/handles';
import { Icon, type IconName } from '../../../ui/Icon';
import { Checkbox } from '../../../ui/Switch';
import type { Tone } from '../../../ui/tone';
import { mayBeTried, refusals } from './findings';

const signs: Readonly<
  Record<Finding['level'], { readonly icon: IconName; readonly tone: Tone; readonly word: string }>
> = {
  refuse: { icon: 'cross', tone: 'error', word: 'Refused' },
  warn: { icon: 'warn', tone: 'gone', word: 'Careful' },
  info: { icon: 'info', tone: 'dim', word: 'Good to know' },
};

/** What is known before the driver is asked; where it would refuse, whether to ask it all the same. */
export function FindingList({
  findings,
  anyway,
  onAnyway,
  ref,
  refusal,
}: {
  findings: readonly Finding[];
  anyway: boolean;
  onAnyway: (anyway: boolean) => void;
  /** The whole of it: to be brought into sight by the focus. */
  ref: Ref<HTMLElement>;
  /** The first that would refuse. */
  refusal: Ref<HTMLLIElement>;
}) {
  if (findings.length === 0) return null;
  const [first] = refusals(findings);
  return (
    <section ref={ref} tabIndex={-1} className="findings" aria-label="Known before it is opened" aria-live="polite">
      <ul>
        {findings.map((finding) => {
          const { level, code, message, hint } = finding;
          return (
            <li key={code} ref={finding === first ? refusal : undefined} className={level} data-code={code}>
              <Icon name={signs[level].icon} size={14} tone={signs[level].tone} />
              <div>
                <p>
                  <b>{signs[level].word}:</b> {message}
                </p>
                {hint !== undefined && <p className="soft">{hint}</p>}
              </div>
            </li>
          );
        })}
      </ul>
      {refusals(findings).length > 0 &&
        (mayBeTried(findings) ? (
          <Checkbox checked={anyway} onChange={onAnyway}>
            Try anyway <span className="dim">and see what the driver answers</span>
          </Checkbox>
        ) : (
          <p className="note">This cannot be tried: it could end the process that tries.</p>
        ))}
    </section>
  );
}
