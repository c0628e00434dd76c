import './float.css';
import { Menu as BaseMenu } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './cx';
import { Icon, type IconName } from './Icon';
import { Kbd } from './Kbd';

export interface MenuItem {
  readonly label: string;
  readonly icon?: IconName;
  readonly detail?: ReactNode;
  readonly keys?: string;
  readonly disabled?: boolean;
  /** Ends something: written in the colour of errors. */
  readonly danger?: boolean;
  readonly onSelect: () => void;
}

export interface MenuProps {
  readonly label: string;
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  /** `'line'` parts groups. */
  readonly items: ReadonlyArray<MenuItem | 'line'>;
  readonly align?: 'start' | 'end';
}

/** A list of actions behind a button. */
export function Menu({ label, trigger, items, align = 'end' }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="float-pos" sideOffset={4} align={align}>
          <BaseMenu.Popup className="float menu" aria-label={label}>
            {items.map((item, index) =>
              item === 'line' ? (
                <BaseMenu.Separator key={`line ${items[index - 1] === undefined ? 0 : index}`} className="opt-sep" />
              ) : (
                <BaseMenu.Item
                  key={item.label}
                  className={cx('opt', item.danger && 'danger')}
                  disabled={item.disabled}
                  onClick={item.onSelect}
                  label={item.label}
                >
                  {item.icon !== undefined && <Icon name={item.icon} tone={item.danger ? 'error' : undefined} />}
                  <span className="grow">{item.label}</span>
                  {item.detail !== undefined && <span className="dim num">{item.detail}</span>}
                  {item.keys !== undefined && <Kbd>{item.keys}</Kbd>}
                </BaseMenu.Item>
              ),
            )}
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}
