/** The calls that main answers itself, each by its name in the contract. */
import type { MainHandlers } from '../router';
import { appHandlers } from './app';
import { demoHandlers } from './demo';
import type { Services } from './services';
import { settingsHandlers } from './settings';
import { sharingHandlers } from './sharing';

export function mainHandlers(services: Services): MainHandlers {
  return {
    ...appHandlers(services),
    ...settingsHandlers(services),
    ...sharingHandlers(services),
    ...demoHandlers(services),
  };
}
