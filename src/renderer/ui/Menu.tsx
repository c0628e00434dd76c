import './float.css';
import { ContextMenu as BaseContextMenu } from '@base-ui/react/context-menu';
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
  /** A choice that is on or off; its row carries a check when on. */
  readonly checked?: boolean;
  readonly onSelect: () => void;
}

/** Items in order; `'line'` parts groups. */
export type MenuItems = ReadonlyArray<MenuItem | 'line'>;

export interface MenuProps {
  readonly label: string;
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly items: MenuItems;
  readonly align?: 'start' | 'end';
}

function Items({ items }: { items: MenuItems }) {
  let lines = 0;
  return items.map((item) => {
    if (item === 'line') {
      lines += 1;
      return <BaseMenu.Separator key={`line ${lines}`} className="opt-sep" />;
    }
    const inside = (
      <>
        {item.icon !== undefined && <Icon name={item.icon} tone={item.danger ? 'error' : undefined} />}
        <span className="grow">{item.label}</span>
        {item.detail !== undefined && <span className="dim num">{item.detail}</span>}
        {item.keys !== undefined && <Kbd>{item.keys}</Kbd>}
      </>
    );
    const className = cx('opt', item.danger && 'danger');
    if (item.checked !== undefined) {
      return (
        <BaseMenu.CheckboxItem
          key={item.label}
          className={className}
          checked={item.checked}
          closeOnClick
          disabled={item.disabled}
          onCheckedChange={item.onSelect}
          label={item.label}
        >
          {inside}
          <BaseMenu.CheckboxItemIndicator>
            <Icon name="check" size={14} />
          </BaseMenu.CheckboxItemIndicator>
        </BaseMenu.CheckboxItem>
      );
    }
    return (
      <BaseMenu.Item
        key={item.label}
        className={className}
        disabled={item.disabled}
        onClick={item.onSelect}
        label={item.label}
      >
        {inside}
      </BaseMenu.Item>
    );
  });
}

/** A list of actions behind a button. */
export function Menu({ label, trigger, items, align = 'end' }: MenuProps) {
  return (
    <BaseMenu.Root modal={false}>
      <BaseMenu.Trigger render={trigger} />
      <BaseMenu.Portal>
        <BaseMenu.Positioner className="float-pos" sideOffset={4} align={align}>
          <BaseMenu.Popup className="float menu" aria-label={label}>
            <Items items={items} />
          </BaseMenu.Popup>
        </BaseMenu.Positioner>
      </BaseMenu.Portal>
    </BaseMenu.Root>
  );
}

export interface ContextMenuProps {
  readonly label: string;
  /** The element that is right-clicked. */
  readonly area: ReactElement<Record<string, unknown>>;
  /** Empty: nothing opens. */
  readonly items: MenuItems;
}

/** The same list at the pointer, on a right click or the menu key. */
export function ContextMenu({ label, area, items }: ContextMenuProps) {
  return (
    <BaseContextMenu.Root disabled={items.length === 0}>
      <BaseContextMenu.Trigger render={area} />
      <BaseContextMenu.Portal>
        <BaseContextMenu.Positioner className="float-pos">
          <BaseContextMenu.Popup className="float menu" aria-label={label}>
            <Items items={items} />
          </BaseContextMenu.Popup>
        </BaseContextMenu.Positioner>
      </BaseContextMenu.Portal>
    </BaseContextMenu.Root>
  );
}
