/** What is remembered between runs. */
import { GpuIpcError } from '#contract/result';
import type { Settings } from '#contract/settings';
import type { MainHandlers } from '../router';
import type { Services } from './services';

/** Layout and tables are free in form; a page that writes without end must not fill the disk. */
const MAX_JSON_CHARS = 256 * 1024;

export function settingsHandlers(
  services: Pick<Services, 'settings' | 'applySettings'>,
): Pick<MainHandlers, 'settings.get' | 'settings.set'> {
  const { settings, applySettings } = services;
  return {
    'settings.get': () => settings.value,
    'settings.set': (changes) => {
      const next: Settings = { ...settings.value, ...changes };
      if (JSON.stringify(next).length > MAX_JSON_CHARS) {
        throw new GpuIpcError({ code: 'invalid-argument', message: 'The settings are larger than 256 KiB.' });
      }
      settings.set(next);
      applySettings();
      return next;
    },
  };
}
