/** What is selected before anybody has selected anything: the first device, then the first memory that appears. */
import { useEffect, useRef } from 'react';
import { useApp } from '../lib/app-store';
import { groupsOf } from '../lib/groups';
import { useLedger } from '../lib/ledger-store';
import { select, useSelection } from '../lib/selection-store';

export function useAutomaticSelection(): void {
  const device = useApp((store) => store.devices[0]?.ordinal);
  const memory = useLedger((ledger) => groupsOf(ledger).list.find(({ kind }) => kind === 'memory')?.id);
  const automatic = useRef<unknown>(undefined);
  useEffect(() => {
    const { selection } = useSelection.getState();
    // Somebody chose: nothing is chosen for them any more.
    if (selection !== automatic.current) return;
    const next =
      memory !== undefined
        ? { kind: 'object' as const, id: memory }
        : device !== undefined
          ? { kind: 'device' as const, ordinal: device }
          : undefined;
    if (next === undefined || selection?.kind === 'object') return;
    automatic.current = next;
    select(next);
  }, [device, memory]);
}
