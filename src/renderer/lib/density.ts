/** Row heights of the densities, in pixels, where a virtual list must know them. The same numbers as in tokens.css. */
import type { Settings } from '#contract/settings';
import { useSettings } from './settings-store';

export const rowHeights: Readonly<Record<Settings['density'], { readonly row: number; readonly call: number }>> = {
  compact: { row: 22, call: 20 },
  default: { row: 26, call: 22 },
  roomy: { row: 32, call: 28 },
};

export const useRowHeights = () => useSettings(({ density }) => rowHeights[density]);
