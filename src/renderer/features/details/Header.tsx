import type { ReactNode } from 'react';
import { IconButton } from '../../ui/Button';
import { Icon, type IconName } from '../../ui/Icon';
import type { MenuItems } from '../../ui/Menu';
import { Menu } from '../../ui/Menu';
import type { Tone } from '../../ui/tone';

/** The bar over Details: what is selected, what kind of thing it is, everything that can be done with it. */
export function Header({
  icon,
  tone,
  title,
  kind,
  items = [],
  end,
}: {
  icon: IconName;
  tone?: Tone;
  title: string;
  kind: string;
  items?: MenuItems;
  end?: ReactNode;
}) {
  return (
    <header className="bar">
      <Icon name={icon} tone={tone} />
      <h2 className="cut details-t" title={title}>
        {title}
      </h2>
      <span className="dim details-k">{kind}</span>
      <span className="grow" />
      {end}
      {items.length > 0 && (
        <Menu label="More actions" items={items} trigger={<IconButton icon="more" label="More actions" />} />
      )}
    </header>
  );
}
