import type { ContentsTool } from '../tools';
import { takeAwayCommands } from './commands';
import { TakeAwayBar } from './TakeAwayBar';
import { TakeAwayButton } from './TakeAwayButton';

const takeAwayTool: ContentsTool = {
  id: 'take-away',
  order: 90,
  Button: TakeAwayButton,
  Bar: TakeAwayBar,
  commands: takeAwayCommands,
};
export default takeAwayTool;
