import type { ReactElement } from 'react';
import { useCommandStore } from '../../../lib/commands';
import { ContextMenu, type MenuItem, type MenuItems } from '../../../ui/Menu';

/** Runs a command by its id, as its keys do. */
const item = (label: string, id: string, keys?: string): MenuItem => ({
  label,
  keys,
  onSelect: () =>
    useCommandStore
      .getState()
      .commands.findLast((command) => command.id === id)
      ?.run(),
});

const items: MenuItems = [
  item('Copy', 'contents.copy', 'Ctrl C'),
  item('Copy as the last time', 'contents.copy-again', 'Ctrl Shift C'),
  item('Copy the offset', 'contents.copy-offset', 'Alt C'),
  item('Copy the address', 'contents.copy-address', 'Alt Shift C'),
  'line',
  item('Select all', 'contents.select-all', 'Ctrl A'),
  item('Bookmark', 'contents.bookmark', 'Ctrl B'),
  item('Save to a file…', 'contents.save', 'Ctrl S'),
];

const none: MenuItems = [];

/** What can be done with the bytes or values that are right-clicked; in other views, nothing. */
export function GridMenu({ viewId, area }: { viewId: string; area: ReactElement<Record<string, unknown>> }) {
  const isGrid = viewId === 'bytes' || viewId === 'values';
  return <ContextMenu label="Actions for the selection" items={isGrid ? items : none} area={area} />;
}
