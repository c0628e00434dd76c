import './Icon.css';
import { cx } from './cx';
import { type IconName, icons } from './icons';
import type { Tone } from './tone';

export type { IconName } from './icons';

export interface IconProps {
  readonly name: IconName;
  /** Edge in pixels; the stroke is heavier in the small sizes. */
  readonly size?: 12 | 14 | 16 | 20;
  readonly tone?: Tone;
  readonly className?: string;
}

/** A sign. Always decoration: the word that says the same stands beside it or in `aria-label` of its control. */
export function Icon({ name, size = 16, tone, className }: IconProps) {
  return (
    <svg className={cx('i', size !== 16 && `s${size}`, tone, className)} viewBox="0 0 16 16" aria-hidden="true">
      {icons[name]}
    </svg>
  );
}
