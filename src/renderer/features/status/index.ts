export { StatusBar } from './StatusBar';
