/** What is selected before anybody has selected anything, and after what was selected has left. */
import { useEffect, useRef } from 'react';
import { useApp } from '../lib/app-store';
import { groupsOf } from '../lib/groups';
import { ledgerNow, useLedger, useLedgerStore } from '../lib/ledger-store';
import { type Selection, select, selectObject, useSelection } from '../lib/selection-store';
import { keepSelection, selectionBefore } from './selection-before';

/**
 * After a reload what was selected before it. Otherwise first the first device, then the first memory that appears, until
 * somebody chooses. A mapping that has left gives way to the memory that it mapped; when nothing at all is left, to the
 * first device.
 */
export function useAutomaticSelection(): void {
  const device = useApp((store) => store.devices[0]?.ordinal);
  const memory = useLedger((ledger) => groupsOf(ledger).list.find(({ kind }) => kind === 'memory')?.id);
  const selection = useSelection((store) => store.selection);
  const objectId = selection?.kind === 'object' ? selection.id : undefined;
  const groupId = useLedger((ledger) => (objectId === undefined ? undefined : groupsOf(ledger).of.get(objectId)?.id));
  /** The selected object when it was last seen. A new one is selected a moment before the ledger has it. */
  const seen = useRef<{ readonly objectId: string; readonly groupId: string } | undefined>(undefined);
  const groupStays = useLedger(
    (ledger) => seen.current !== undefined && groupsOf(ledger).byId.has(seen.current.groupId),
  );
  const automatic = useRef<Selection | undefined>(undefined);
  const ready = useLedgerStore(({ status }) => status !== 'loading');

  useEffect(() => {
    if (selection !== undefined) keepSelection(selection);
  }, [selection]);

  useEffect(() => {
    if (objectId !== undefined && groupId !== undefined) seen.current = { objectId, groupId };
  }, [objectId, groupId]);

  useEffect(() => {
    // What was selected before a reload is there when the ledger is.
    if (!ready) return;
    const before = selection === undefined ? selectionBefore(ledgerNow()) : undefined;
    if (before !== undefined) {
      select(before);
      return;
    }
    const chosen = selection !== automatic.current;
    const left = objectId !== undefined && groupId === undefined && seen.current?.objectId === objectId;
    if (left && groupStays && seen.current !== undefined) {
      selectObject(seen.current.groupId);
      return;
    }
    // Somebody chose something that is still there, or that may be looked back at beside other things.
    if (chosen && !(left && memory === undefined)) return;
    if (objectId !== undefined && !left) return;
    const next: Selection | undefined =
      memory !== undefined
        ? { kind: 'object', id: memory }
        : device !== undefined
          ? { kind: 'device', ordinal: device }
          : undefined;
    if (next === undefined) return;
    if (selection?.kind === 'device' && next.kind === 'device' && selection.ordinal === next.ordinal) return;
    automatic.current = next;
    select(next);
  }, [ready, device, memory, selection, objectId, groupId, groupStays]);
}
