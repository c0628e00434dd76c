import { IconButton } from '../../../ui/Button';
import { Tooltip } from '../../../ui/Tooltip';
import { useSignal } from '../model/use-signal';
import { isShown, onShowing, setShown } from './showing';

/** Shows the bookmarks, and hides them. */
export function BookmarksButton() {
  const shown = useSignal(onShowing, isShown);
  return (
    <Tooltip text="Bookmarks (Ctrl+B sets one)">
      <IconButton icon="bookmark" label="Bookmarks" on={shown} aria-pressed={shown} onClick={() => setShown(!shown)} />
    </Tooltip>
  );
}
