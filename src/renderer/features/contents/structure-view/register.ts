import type { ContentsView } from '../views';
import { StructureTools } from './StructureTools';
import { StructureView } from './StructureView';

const structureView: ContentsView = {
  id: 'structure',
  title: 'Structure',
  order: 3,
  Tools: StructureTools,
  Body: StructureView,
  without: ['map', 'value'],
};
export default structureView;
