export { HandlesPane, type HandlesPaneProps } from './HandlesPane';
