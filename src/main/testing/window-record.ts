/** A window for unit tests: as the registry knows it, without a page. */
import type { Role } from '#contract/values';
import type { WindowRecord } from '../windows/registry';

export const windowRecord = (role: Role, peerId: string): WindowRecord => ({
  id: 1,
  role,
  name: role,
  peerId: () => peerId,
  hearsLedger: false,
  lastPatch: 0,
});
