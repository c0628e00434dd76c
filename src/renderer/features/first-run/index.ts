export { FirstRun } from './FirstRun';
export { SimulatedBanner } from './SimulatedBanner';
