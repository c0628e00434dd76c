import type { ReactNode } from 'react';
import { useId } from 'react';
import { cx } from '../cx';
import { Icon } from '../Icon';
import type { StepState } from './steps';

export interface StepCardProps {
  readonly number: number;
  readonly title: string;
  readonly state: StepState;
  /** State in words, beside the title. */
  readonly say?: ReactNode;
  /** Buttons at the right end of the title's line. */
  readonly action?: ReactNode;
  readonly children?: ReactNode;
}

/** One numbered step: what to do, how it stands, and its one action. The number carries a check when it is done. */
export function StepCard({ number, title, state, say, action, children }: StepCardProps) {
  const id = useId();
  return (
    <li className={cx('step', state)} aria-current={state === 'now' ? 'step' : undefined} aria-labelledby={id}>
      <span className="step-n">
        {number}
        {state === 'done' && (
          <>
            <span className="step-ok">
              <Icon name="check" size={12} />
            </span>
            <span className="sr">, done</span>
          </>
        )}
      </span>
      <div className="step-b">
        <div className="step-row">
          <h2 id={id}>{title}</h2>
          {say !== undefined && <span className="step-say soft num cut">{say}</span>}
          {action !== undefined && <span className="step-end">{action}</span>}
        </div>
        {children}
      </div>
    </li>
  );
}

/** A further line of controls in a step. */
export function StepRow({ children, className, label }: { children: ReactNode; className?: string; label?: string }) {
  return (
    // A group only where it has a name: a line without one is layout.
    // biome-ignore lint/a11y/useAriaPropsSupportedByRole: the label comes with the role
    <div className={cx('step-row', className)} role={label === undefined ? undefined : 'group'} aria-label={label}>
      {children}
    </div>
  );
}

/** A quiet line in a step: what went well, or what will happen. */
export function StepNote({ children, id }: { children: ReactNode; id?: string }) {
  return (
    <p className="step-note num" id={id}>
      {children}
    </p>
  );
}
