/** The driver calls of this window's own process, for the line under each step. */
import type { Call } from '#contract/records';
import { useLedger } from '../../lib/ledger-store';
import { useSelf } from './process';
import { newestCall } from './words';

/** The newest successful call of `name` about `objectId`; `undefined` when there is none, or no object. */
export function useNewestCall(name: string, objectId: string | undefined): Call | undefined {
  const peerId = useSelf()?.id;
  return useLedger((ledger) =>
    peerId === undefined || objectId === undefined
      ? undefined
      : newestCall(ledger.calls, { peerId, name, objectId, failed: false }),
  );
}
