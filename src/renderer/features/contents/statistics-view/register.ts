import type { ContentsView } from '../views';
import { statisticsCommands } from './commands';
import { StatisticsLive } from './StatisticsLive';
import { StatisticsTools } from './StatisticsTools';
import { StatisticsView } from './StatisticsView';

const statisticsView: ContentsView = {
  id: 'statistics',
  title: 'Statistics',
  order: 6,
  Tools: StatisticsTools,
  Body: StatisticsView,
  Live: StatisticsLive,
  without: ['places', 'map', 'value'],
  commands: statisticsCommands,
};
export default statisticsView;
