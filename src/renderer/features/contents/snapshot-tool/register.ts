import type { ContentsTool } from '../tools';
import { SnapshotButton } from './SnapshotButton';

const snapshotTool: ContentsTool = { id: 'snapshot', order: 30, Button: SnapshotButton };
export default snapshotTool;
