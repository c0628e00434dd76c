import type { ContentsTool } from '../tools';
import { BookmarksBar } from './BookmarksBar';
import { BookmarksButton } from './BookmarksButton';
import { bookmarkCommands } from './commands';

const bookmarksTool: ContentsTool = {
  id: 'bookmarks',
  order: 20,
  Button: BookmarksButton,
  Bar: BookmarksBar,
  commands: bookmarkCommands,
};
export default bookmarksTool;
