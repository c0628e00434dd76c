import './EmptyState.css';
import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon';

/** Says what will be here, and gives the one next step. */
export function EmptyState({
  icon,
  title,
  children,
  action,
}: {
  icon?: IconName;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty-state">
      {icon !== undefined && <Icon name={icon} size={20} tone="dim" />}
      <b>{title}</b>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}
