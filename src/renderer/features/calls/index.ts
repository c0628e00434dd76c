export { CallsPane } from './CallsPane';
