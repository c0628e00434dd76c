/** The driver calls of this window's own process, for the line under each step. */
import type { Call } from '#contract/records';
import { useLedger } from '../../lib/ledger-store';
import { useSelf } from './process';
import { newestCall, type WantedCall } from './words';

/** The newest successful call of the kind; none while `wanted` is undefined. */
export function useNewestCall(wanted: Omit<WantedCall, 'peerId'> | undefined): Call | undefined {
  const peerId = useSelf()?.id;
  return useLedger((ledger) =>
    peerId === undefined || wanted === undefined ? undefined : newestCall(ledger.calls, { peerId, ...wanted }),
  );
}

/** The newest successful call of `name` about `objectId`; none without an object. */
export function useNewestCallAbout(objectId: string | undefined, ...names: readonly string[]): Call | undefined {
  return useNewestCall(objectId === undefined ? undefined : { names, objectId });
}
