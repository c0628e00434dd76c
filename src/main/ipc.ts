/** Connects the router to Electron: one channel for each call, named by the contract, and a port for bytes. */
import { ipcMain } from 'electron';
import { type CallName, calls } from '#contract/calls';
import { BYTES_PORT, callChannel, type Reply } from '#contract/channels';
import { fail, type IpcError } from '#contract/result';
import { serveBytes } from './bytes-port';
import type { Router } from './router';
import type { WindowRegistry } from './windows/registry';
import { senderOf } from './windows/sender';

export function listen(router: Router, registry: WindowRegistry): void {
  for (const name of Object.keys(calls) as CallName[]) {
    ipcMain.handle(callChannel(name), async (event, args: unknown): Promise<Reply> => {
      const sender = senderOf(event, registry);
      if ('code' in sender) return [fail(sender), 0];
      const result = await router.answer(name, sender, args);
      return [result, sender.lastPatch];
    });
  }
  ipcMain.on(BYTES_PORT, (event) => {
    const [port] = event.ports;
    if (port === undefined) return;
    const gone: IpcError = { code: 'not-allowed', message: 'Refused: the window is gone.' };
    serveBytes(port, () => (event.sender.isDestroyed() ? gone : senderOf(event, registry)), router);
  });
}
