import './Banner.css';
import type { ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './Icon';
import type { Tone } from './tone';

export interface BannerProps {
  readonly icon: IconName;
  readonly tone: Tone;
  readonly title: ReactNode;
  /** Accessible name of the banner; the title when that is a string. */
  readonly label?: string;
  readonly children?: ReactNode;
  /** One action. */
  readonly action?: ReactNode;
  readonly className?: string;
  /** `alert` interrupts a screen reader: for failures only. */
  readonly role?: 'status' | 'alert';
}

/** A sentence across the top of the area it concerns: what happened, what it means, one thing to do. */
export function Banner({ icon, tone, title, label, children, action, className, role = 'status' }: BannerProps) {
  return (
    <section
      className={cx('banner', `banner-${tone}`, className)}
      aria-label={label ?? (typeof title === 'string' ? title : undefined)}
    >
      <Icon name={icon} size={20} tone={tone} />
      <div className="banner-w" role={role}>
        <b>{title}</b>
        {children !== undefined && <div className="banner-p">{children}</div>}
      </div>
      {action !== undefined && <span className="banner-a">{action}</span>}
    </section>
  );
}

export interface NoticeProps {
  readonly icon: IconName;
  readonly tone: 'gone' | 'error' | 'event' | 'stale' | 'simulated';
  readonly title: ReactNode;
  readonly label: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

/** The same inside Details or a card: what is wrong with the thing that is selected. */
export function Notice({ icon, tone, title, label, children, actions }: NoticeProps) {
  return (
    <section className={cx('notice', `notice-${tone}`)} role="status" aria-label={label}>
      <h3>
        <Icon name={icon} tone={tone} />
        {title}
      </h3>
      {children !== undefined && <div className="notice-p">{children}</div>}
      {actions !== undefined && actions !== false && <div className="acts">{actions}</div>}
    </section>
  );
}
