import './StateMark.css';
import type { ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './Icon';
import type { Tone } from './tone';

/** Signs of a state, each with its own shape: a filled dot lives, a ring has ended, a half disc is freed but held. */
export type Mark = 'live' | 'ring' | 'half' | 'broken' | 'wait' | 'ready' | 'unknown' | 'failed';

const marks: Record<Mark, { icon: IconName; tone?: Tone }> = {
  live: { icon: 'live' },
  ring: { icon: 'ring', tone: 'stale' },
  half: { icon: 'half', tone: 'gone' },
  broken: { icon: 'broken', tone: 'gone' },
  wait: { icon: 'wait', tone: 'event' },
  ready: { icon: 'check' },
  unknown: { icon: 'question', tone: 'stale' },
  failed: { icon: 'warn', tone: 'error' },
};

/** A state as a sign and a word. */
export function StateMark({
  mark,
  tone,
  className,
  title,
  children,
}: {
  mark: Mark;
  tone?: Tone;
  className?: string;
  title?: string;
  children: ReactNode;
}) {
  const { icon, tone: own } = marks[mark];
  return (
    <span className={cx('state', tone ?? own, className)} title={title}>
      <Icon name={icon} size={14} className={mark} />
      <span className="cut">{children}</span>
    </span>
  );
}
