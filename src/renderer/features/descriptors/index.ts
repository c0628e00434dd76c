export { DescriptorsDialog } from './DescriptorsDialog';
