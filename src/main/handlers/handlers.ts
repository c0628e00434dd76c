/** The calls that main answers itself, each by its name in the contract. */
import type { MainHandlers } from '../router';
import { appHandlers } from './app';
import { contentHandlers } from './contents';
import { demoHandlers } from './demo';
import { fdHandlers } from './fds';
import { handleHandlers } from './handles';
import { poolHandlers } from './pools';
import type { Services } from './services';
import { settingsHandlers } from './settings';
import { sharingHandlers } from './sharing';
import { verdictHandlers } from './verdict';
import { virtualHandlers } from './virtual';

export function mainHandlers(services: Services): MainHandlers {
  return {
    ...appHandlers(services),
    ...settingsHandlers(services),
    ...sharingHandlers(services),
    ...poolHandlers(services),
    ...virtualHandlers(services),
    ...fdHandlers(services),
    ...verdictHandlers(services),
    ...handleHandlers(services),
    ...contentHandlers(services),
    ...demoHandlers(services),
  };
}
