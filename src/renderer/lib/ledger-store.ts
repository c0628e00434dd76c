/** The ledger of this window, kept current: one snapshot, then patches in order; after a gap a snapshot again. */
import { create } from 'zustand';
import type { LedgerPatch } from '#contract/records';
import { type IpcError, toIpcError } from '#contract/result';
import { request } from './api';
import { applyPatches, emptyLedger, fromSnapshot, type Ledger } from './ledger';

interface LedgerStore {
  readonly ledger: Ledger;
  /** `loading` until the first snapshot; `failed` when main did not give one. */
  readonly status: 'loading' | 'ready' | 'failed';
  readonly error?: IpcError;
}

export const useLedgerStore = create<LedgerStore>(() => ({ ledger: emptyLedger, status: 'loading' }));

/** A part of the ledger; the component renders again only when that part changes. */
export const useLedger = <T>(select: (ledger: Ledger) => T): T => useLedgerStore((store) => select(store.ledger));

/** The ledger now, outside of rendering. */
export const ledgerNow = (): Ledger => useLedgerStore.getState().ledger;

/** Patches that arrive within this time are applied together: one rendering for a burst of calls. */
const GATHER_MS = 16;

/** Starts keeping the store current. Returns the end of it. */
export function connectLedger(): () => void {
  let queue: LedgerPatch[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let syncing = false;
  let ended = false;

  const flush = () => {
    timer = undefined;
    if (syncing || ended) return;
    const patches = queue;
    queue = [];
    const next = applyPatches(ledgerNow(), patches);
    if (next === undefined) void sync();
    else useLedgerStore.setState({ ledger: next });
  };
  const sync = async () => {
    if (syncing) return;
    syncing = true;
    try {
      const snapshot = await request('ledger.snapshot');
      if (ended) return;
      useLedgerStore.setState({ ledger: fromSnapshot(snapshot), status: 'ready', error: undefined });
    } catch (thrown) {
      if (!ended) useLedgerStore.setState({ status: 'failed', error: toIpcError(thrown) });
      return;
    } finally {
      syncing = false;
    }
    // Those that came meanwhile: older ones are skipped, newer ones follow.
    flush();
  };
  const unsubscribe = window.gpuIpc.ledger.subscribe((patch) => {
    queue.push(patch);
    if (useLedgerStore.getState().status === 'failed') void sync();
    timer ??= setTimeout(flush, GATHER_MS);
  });
  void sync();
  return () => {
    ended = true;
    unsubscribe();
    clearTimeout(timer);
  };
}
