export { ContentsPane } from './ContentsPane';
