/**
 * Everything that a page of this app gets from outside of it: `window.gpuIpc`, one frozen object whose methods follow
 * from the table of calls; and the way of its port for bytes to main. Neither `ipcRenderer` nor any of its events reaches
 * a page. Main checks every message again; nothing here is a barrier.
 */
import { contextBridge, ipcRenderer } from 'electron';
import type { Pushes, PushName } from '#contract/api';
import { type CallName, calls } from '#contract/calls';
import { BYTES_PORT, callChannel, pushChannel, type Reply } from '#contract/channels';
import type { LedgerPatch } from '#contract/records';
import { fail } from '#contract/result';

type Method = (argument?: unknown) => unknown;

const api: Record<string, Record<string, Method>> = {};

/** The last patch of the ledger that the page has got, and the answers that wait for a later one. */
let lastPatch = 0;
let waiting: { readonly patch: number; readonly release: () => void }[] = [];

for (const name of Object.keys(calls) as CallName[]) {
  const [group = '', method = ''] = name.split('.');
  const channel = callChannel(name);
  api[group] ??= {};
  api[group][method] = async (args) => {
    const [result, patch] = await ask(channel, args);
    if (patch > lastPatch) await new Promise<void>((release) => waiting.push({ patch, release }));
    return result;
  };
}

/** Main's answer. What cannot be sent to main (a function, a symbol) is a wrong argument like any other: no call rejects. */
async function ask(channel: string, args: unknown): Promise<Reply> {
  try {
    return await ipcRenderer.invoke(channel, args);
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const code = message.startsWith('Error invoking remote method') ? 'internal' : 'invalid-argument';
    return [fail({ code, message }), 0];
  }
}

/** Has main's pushes of one kind go to any number of listeners of the page. */
function subscription<P extends PushName>(push: P, then?: (value: Pushes[P]) => void): Method {
  const listeners = new Set<(value: Pushes[P]) => void>();
  ipcRenderer.on(pushChannel(push), (_event, value: Pushes[P]) => {
    for (const listener of listeners) {
      try {
        listener(value);
      } catch (error) {
        // One listener of the page must not keep the others, or an answer that waits, from getting theirs.
        console.error(error);
      }
    }
    then?.(value);
  });
  return (listener) => {
    if (typeof listener !== 'function') throw new TypeError('subscribe takes a function');
    // A wrapper of its own, so that subscribing one function twice is two subscriptions.
    const entry = (value: Pushes[P]) => listener(value);
    listeners.add(entry);
    return () => {
      listeners.delete(entry);
    };
  };
}

function patchArrived({ seq }: LedgerPatch): void {
  lastPatch = seq;
  const due = waiting.filter(({ patch }) => patch <= seq);
  if (due.length === 0) return;
  waiting = waiting.filter(({ patch }) => patch > seq);
  for (const { release } of due) release();
}

api.ledger = { ...api.ledger, subscribe: subscription('ledger.patch', patchArrived) };
api.contents = { ...api.contents, subscribe: subscription('contents.progress') };
api.settings = { ...api.settings, subscribe: subscription('settings.changed') };

// The page's port for bytes. Main looks at who sent it, and at every read that comes through it.
window.addEventListener('message', ({ source, data, ports }) => {
  if (source === window && data === BYTES_PORT && ports.length === 1)
    ipcRenderer.postMessage(BYTES_PORT, null, [...ports]);
});

contextBridge.exposeInMainWorld('gpuIpc', api);
