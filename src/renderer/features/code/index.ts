export { CodeDialog } from './CodeDialog';
