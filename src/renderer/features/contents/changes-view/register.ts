import type { ContentsView } from '../views';
import { ChangesTools } from './ChangesTools';
import { ChangesView } from './ChangesView';
import { changesCommands } from './commands';

const changesView: ContentsView = {
  id: 'changes',
  title: 'Changes',
  order: 7,
  Tools: ChangesTools,
  Body: ChangesView,
  without: ['places', 'map', 'value'],
  commands: changesCommands,
};
export default changesView;
