import type { ContentsView } from '../views';
import { ImageTools } from './ImageTools';
import { ImageView } from './ImageView';

const imageView: ContentsView = {
  id: 'image',
  title: 'Image',
  order: 5,
  Tools: ImageTools,
  Body: ImageView,
  without: ['map'],
};
export default imageView;
