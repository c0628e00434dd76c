/** The process this window stands for: which one it is now, ending it on purpose, and starting a new one. */
import { useRef } from 'react';
import { create } from 'zustand';
import type { Peer } from '#contract/records';
import { type IpcError, toIpcError } from '#contract/result';
import { request } from '../../lib/api';
import { refreshDevices, refreshInfo, useApp } from '../../lib/app-store';
import { useLedger } from '../../lib/ledger-store';

interface ProcessStore {
  readonly restarting: boolean;
  /** Why it could not be restarted or killed. */
  readonly error: IpcError | undefined;
}

export const useProcess = create<ProcessStore>(() => ({ restarting: false, error: undefined }));

/** Starts a new process for this window; its peer has another id than the one before. */
export async function restartProcess(): Promise<void> {
  if (useProcess.getState().restarting) return;
  useProcess.setState({ restarting: true, error: undefined });
  try {
    await request('demo.restart', {});
    await refreshInfo();
    void refreshDevices();
  } catch (thrown) {
    useProcess.setState({ error: toIpcError(thrown) });
  } finally {
    useProcess.setState({ restarting: false });
  }
}

/** Kills this window's process, on purpose. */
export async function crashProcess(): Promise<void> {
  useProcess.setState({ error: undefined });
  try {
    await request('demo.crash');
  } catch (thrown) {
    useProcess.setState({ error: toIpcError(thrown) });
  }
}

/**
 * This window's own peer as the ledger knows it; `undefined` until both are there. A record that leaves the ledger
 * stays here as it was last seen.
 */
export function useSelf(): Peer | undefined {
  const id = useApp((app) => app.info?.self.peerId);
  const peer = useLedger((ledger) => (id === undefined ? undefined : ledger.peers.get(id)));
  const last = useRef<Peer>(undefined);
  if (peer !== undefined) last.current = peer;
  return last.current?.id === id ? last.current : undefined;
}

export const isGone = (peer: Peer | undefined): boolean => peer?.state === 'lost' || peer?.state === 'exited';
