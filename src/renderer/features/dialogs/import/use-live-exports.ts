import { useMemo } from 'react';
import { useLedger } from '../../../lib/ledger-store';
import { type LiveExport, liveExports } from './live-exports';

/** A new list only when one of the tables changed. */
export function useLiveExports(selfId: string): readonly LiveExport[] {
  const exports = useLedger((ledger) => ledger.exports);
  const peers = useLedger((ledger) => ledger.peers);
  const allocations = useLedger((ledger) => ledger.allocations);
  const physicals = useLedger((ledger) => ledger.physicals);
  const events = useLedger((ledger) => ledger.events);
  const pools = useLedger((ledger) => ledger.pools);
  return useMemo(
    () => liveExports({ exports, peers, allocations, physicals, events, pools }, selfId),
    [exports, peers, allocations, physicals, events, pools, selfId],
  );
}
