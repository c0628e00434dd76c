/** The five ways of sharing, in the words of the rail and of Details. */
import type { Sharing } from '#contract/devices';
import type { IconName } from '../../ui/icons';

export const ways: ReadonlyArray<{ readonly id: keyof Sharing; readonly short: string }> = [
  { id: 'legacyMemory', short: 'Memory' },
  { id: 'events', short: 'Events' },
  { id: 'poolFd', short: 'Pools' },
  { id: 'vmmFd', short: 'VMM' },
  { id: 'fabric', short: 'Fabric' },
];

/** Unknown is not no: it has a sign of its own. */
export function wayIcon(supported: boolean | null): IconName {
  return supported === null ? 'question' : supported ? 'check' : 'minus';
}

export const wayWord = (supported: boolean | null): string =>
  supported === null ? 'unknown' : supported ? 'yes' : 'no';
