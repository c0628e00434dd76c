import './Button.css';
import type { ComponentProps, ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './Icon';
import type { Tone } from './tone';

export interface ButtonProps extends ComponentProps<'button'> {
  /** `primary` once a view at most; `line` for the other choices; `quiet` in tool bars; `danger` for what ends things. */
  readonly look?: 'primary' | 'line' | 'quiet' | 'danger';
  readonly size?: 'small' | 'normal' | 'big';
  readonly icon?: IconName;
  readonly iconTone?: Tone;
  /** It opens a menu: an arrow at the end says so. */
  readonly opens?: boolean;
  readonly children?: ReactNode;
}

/** A button with a word, and a sign before it if one helps. */
export function Button({
  look = 'quiet',
  size = 'normal',
  icon,
  iconTone,
  opens = false,
  className,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={cx('btn', look !== 'quiet' && look, size !== 'normal' && size, className)}
    >
      {icon !== undefined && <Icon name={icon} size={size === 'small' ? 14 : 16} tone={iconTone} />}
      {children !== undefined && <span className="btn-t">{children}</span>}
      {opens && <Icon name="down" size={12} />}
    </button>
  );
}

export interface IconButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'aria-label'> {
  readonly icon: IconName;
  /** The accessible name; a Tooltip around the button may show it too. */
  readonly label: string;
  readonly iconSize?: 12 | 14 | 16;
  /** Draws it as switched on; say so with `aria-pressed` as well where it is a toggle. */
  readonly on?: boolean;
}

/** A button with a sign alone. */
export function IconButton({ icon, label, iconSize = 16, on = false, className, ...rest }: IconButtonProps) {
  return (
    <button type="button" {...rest} aria-label={label} className={cx('ibtn', on && 'on', className)}>
      <Icon name={icon} size={iconSize} />
    </button>
  );
}

/** A button that reads as a link inside a sentence. */
export function LinkButton({ className, ...rest }: ComponentProps<'button'>) {
  return <button type="button" {...rest} className={cx('link', className)} />;
}
