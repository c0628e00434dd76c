import type { ContentsView } from '../views';
import { ValuesTools } from './ValuesTools';
import { ValuesView } from './ValuesView';

const valuesView: ContentsView = { id: 'values', title: 'Values', order: 2, Tools: ValuesTools, Body: ValuesView };
export default valuesView;
