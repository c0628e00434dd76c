import type { ContentsTool } from '../tools';
import { searchCommands } from './commands';
import { SearchBar } from './SearchBar';
import { SearchButton } from './SearchButton';

const searchTool: ContentsTool = {
  id: 'search',
  order: 10,
  Button: SearchButton,
  Bar: SearchBar,
  commands: searchCommands,
};
export default searchTool;
