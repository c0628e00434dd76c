import type { ContentsView } from '../views';
import { TensorTools } from './TensorTools';
import { TensorView } from './TensorView';

const tensorView: ContentsView = {
  id: 'tensor',
  title: 'Tensor',
  order: 4,
  Tools: TensorTools,
  Body: TensorView,
  without: ['map'],
};
export default tensorView;
