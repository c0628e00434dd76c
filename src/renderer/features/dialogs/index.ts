export { Dialogs } from './Dialogs';
