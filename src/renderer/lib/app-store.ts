/** What the app and its devices are: asked once, devices again when memory on them has changed. */
import { create } from 'zustand';
import type { CallValue } from '#contract/calls';
import type { Device, DriverInfo } from '#contract/devices';
import { type IpcError, toIpcError } from '#contract/result';
import { request } from './api';
import { useLedgerStore } from './ledger-store';

export type AppInfo = CallValue<'app.info'>;

export interface AppStore {
  readonly info: AppInfo | undefined;
  readonly devices: readonly Device[];
  /** `loading` until the first answer about devices. */
  readonly devicesStatus: 'loading' | 'ready' | 'failed';
  readonly error: IpcError | undefined;
}

export const useApp = create<AppStore>(() => ({
  info: undefined,
  devices: [],
  devicesStatus: 'loading',
  error: undefined,
}));

/** Peer id of this window's own process; empty until known. */
export const useSelfId = (): string => useApp((store) => store.info?.self.peerId ?? '');

/** The peer that answers this window's calls now: its host may have been replaced since `app.info`. */
export async function refreshInfo(): Promise<void> {
  try {
    useApp.setState({ info: await request('app.info') });
  } catch (thrown) {
    useApp.setState({ error: toIpcError(thrown) });
  }
}

export async function refreshDevices(): Promise<void> {
  try {
    useApp.setState({ devices: await request('devices.list'), devicesStatus: 'ready', error: undefined });
  } catch (thrown) {
    // Devices that were known stay: old facts beside the reason beat an empty rail.
    useApp.setState({ devicesStatus: 'failed', error: toIpcError(thrown) });
  }
}

/** Looks for a real driver again and takes over what was found. Throws GpuIpcError, when refused for example. */
export async function lookAgain(): Promise<DriverInfo> {
  const driver = await request('app.lookAgain');
  await Promise.all([refreshInfo(), refreshDevices()]);
  return driver;
}

/**
 * Asks once more after a failure. A process that found no driver, or that is gone, would only repeat itself: another one
 * looks then.
 */
export async function askAgain(): Promise<void> {
  const code = useApp.getState().error?.code;
  if (code !== 'no-driver' && code !== 'host-lost') return refreshDevices();
  try {
    await lookAgain();
  } catch (thrown) {
    useApp.setState({ devicesStatus: 'failed', error: toIpcError(thrown) });
  }
}

/** After this long without another change, free memory is asked again. */
const SETTLE_MS = 400;

/** Starts with one question each; then follows the ledger. Returns the end of it. */
export function connectApp(): () => void {
  void refreshInfo();
  void refreshDevices();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = useLedgerStore.subscribe((now, before) => {
    if (before.status !== 'ready') return;
    if (now.ledger.peers !== before.ledger.peers) void refreshInfo();
    if (now.ledger.allocations === before.ledger.allocations && now.ledger.mappings === before.ledger.mappings) return;
    clearTimeout(timer);
    timer = setTimeout(() => void refreshDevices(), SETTLE_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
