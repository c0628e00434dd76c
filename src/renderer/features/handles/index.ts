export { HandlesPane } from './HandlesPane';
