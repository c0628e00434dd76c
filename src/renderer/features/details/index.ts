export { Details } from './Details';
export { VerdictDialog } from './sharing/VerdictDialog';
