import './Chip.css';
import type { ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './Icon';
import type { Tone } from './tone';

export interface ChipProps {
  readonly tone?: Exclude<Tone, 'dim' | 'soft' | 'accent'>;
  readonly icon?: IconName;
  readonly className?: string;
  readonly title?: string;
  readonly children: ReactNode;
}

/** A fact that comes and goes: a tint and edge of its role, a sign, a word. */
export function Chip({ tone, icon, className, title, children }: ChipProps) {
  return (
    <span className={cx('chip', 'num', tone, className)} title={title}>
      {icon !== undefined && <Icon name={icon} size={12} />}
      {children}
    </span>
  );
}
