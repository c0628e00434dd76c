import type { ContentsView } from '../views';
import { BytesTools } from './BytesTools';
import { BytesView } from './BytesView';

const bytesView: ContentsView = { id: 'bytes', title: 'Bytes', order: 1, Tools: BytesTools, Body: BytesView };
export default bytesView;
