/** The calls that main answers itself, each by its name in the contract. */
import type { MainHandlers } from '../router';
import { appHandlers } from './app';
import { demoHandlers } from './demo';
import { handleHandlers } from './handles';
import type { Services } from './services';
import { settingsHandlers } from './settings';
import { sharingHandlers } from './sharing';
import { verdictHandlers } from './verdict';

/** Calls that are being written. */
type Missing = Extract<
  keyof MainHandlers,
  | `contents.${string}`
  | `pools.${string}`
  | `virtual.${string}`
  | 'fds.list'
  | 'fds.close'
  | 'handles.parse'
  | 'handles.check'
>;

export function mainHandlers(services: Services): MainHandlers {
  const answered: Omit<MainHandlers, Missing> = {
    ...appHandlers(services),
    ...settingsHandlers(services),
    ...sharingHandlers(services),
    ...verdictHandlers(services),
    ...handleHandlers(services),
    ...demoHandlers(services),
  };
  return answered as MainHandlers;
}
