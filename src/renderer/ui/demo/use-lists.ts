/** The ledger's tables as plain lists, for the joins of the demo windows. */
import { useMemo } from 'react';
import type { EventRecord } from '#contract/records';
import type { Ledger } from '../../lib/ledger';
import { useLedger } from '../../lib/ledger-store';
import type { LedgerLists } from './holding';

export type Lists = LedgerLists & { readonly events: readonly EventRecord[] };

/** New lists only when one of the tables changed. */
export function useLists(): Lists {
  const peers = useLedger((ledger: Ledger) => ledger.peers);
  const allocations = useLedger((ledger) => ledger.allocations);
  const exports = useLedger((ledger) => ledger.exports);
  const mappings = useLedger((ledger) => ledger.mappings);
  const events = useLedger((ledger) => ledger.events);
  const eventImports = useLedger((ledger) => ledger.eventImports);
  return useMemo(
    () => ({
      peers: [...peers.values()],
      allocations: [...allocations.values()],
      exports: [...exports.values()],
      mappings: [...mappings.values()],
      events: [...events.values()],
      eventImports: [...eventImports.values()],
    }),
    [peers, allocations, exports, mappings, events, eventImports],
  );
}
