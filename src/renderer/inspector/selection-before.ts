/** The selection through a reload of the page: kept by the window, and no longer than it. */
import * as v from 'valibot';
import { groupsOf } from '../lib/groups';
import type { Ledger } from '../lib/ledger';
import type { Selection } from '../lib/selection-store';

const STORAGE_KEY = 'selection';

const selectionSchema = v.variant('kind', [
  v.object({ kind: v.literal('object'), id: v.string() }),
  v.object({ kind: v.literal('device'), ordinal: v.number() }),
  v.object({ kind: v.literal('peer'), id: v.string() }),
]);

export function keepSelection(selection: Selection): void {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(selection));
}

/** What was selected when the page was loaded again, where it is still there. */
export function selectionBefore(ledger: Ledger): Selection | undefined {
  const kept = sessionStorage.getItem(STORAGE_KEY);
  if (kept === null) return undefined;
  const selection = v.parse(selectionSchema, JSON.parse(kept));
  if (selection.kind === 'object') return groupsOf(ledger).of.has(selection.id) ? selection : undefined;
  return selection.kind === 'device' || ledger.peers.has(selection.id) ? selection : undefined;
}
