/** Which view of the contents is open: one for the window, whatever is selected; remembered. */
import * as v from 'valibot';
import { useSettings, useSettingsStore } from '../../../lib/settings-store';
import { readRemembered, remember } from './remembered';

const schema = v.object({ id: v.optional(v.string(), 'bytes') });

export const useOpenView = (): string => useSettings(({ contents }) => readRemembered(contents, 'view', schema).id);

/** The same where nothing waits for it to change. */
export const openViewNow = (): string =>
  readRemembered(useSettingsStore.getState().settings.contents, 'view', schema).id;

export const openView = (id: string): void => remember('view', { id });
