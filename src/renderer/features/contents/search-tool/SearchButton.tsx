import { IconButton } from '../../../ui/Button';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import type { ToolProps } from '../tools';
import { searchOf } from './search';

/** Opens the search, and closes it. */
export function SearchButton({ session }: ToolProps) {
  const search = searchOf(session);
  const open = useSignal(search.onChange, () => search.isOpen);
  return (
    <Tooltip text="Find (Ctrl+F)">
      <IconButton
        icon="search"
        label="Find"
        on={open}
        aria-pressed={open}
        onClick={() => (open ? search.close() : search.open())}
      />
    </Tooltip>
  );
}
