/** Whether the map stands beside the bytes, and how often it is made again. */
import * as v from 'valibot';
import { useSettingsStore } from '../../../lib/settings-store';
import { readRemembered, remember } from './remembered';

/**
 * `changes`: when a byte was seen to change since, where the map is soon made, every five seconds at most. Or every so
 * many seconds, or on request only.
 */
export const MAP_REPEATS = ['changes', '5', '30', 'request'] as const;

export const mapSettings = v.object({
  on: v.optional(v.boolean(), true),
  repeat: v.optional(v.picklist(MAP_REPEATS), 'changes'),
});

export function toggleMap(): void {
  const { on } = readRemembered(useSettingsStore.getState().settings.contents, 'map', mapSettings);
  remember('map', { on: !on });
}
