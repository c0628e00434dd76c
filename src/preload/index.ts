/**
 * Everything that a page of this app gets from outside of it: `window.gpuIpc`, one frozen object whose methods follow
 * from the table of calls. Neither `ipcRenderer` nor any of its events reaches a page. Main checks every message again;
 * nothing here is a barrier.
 */
import { contextBridge, ipcRenderer } from 'electron';
import type { Pushes, PushName } from '#contract/api';
import { type CallName, calls } from '#contract/calls';
import { callChannel, pushChannel } from '#contract/channels';

type Method = (argument?: unknown) => unknown;

const api: Record<string, Record<string, Method>> = {};

for (const name of Object.keys(calls) as CallName[]) {
  const [group = '', method = ''] = name.split('.');
  const channel = callChannel(name);
  api[group] ??= {};
  api[group][method] = (args) => ipcRenderer.invoke(channel, args);
}

/** Has main's pushes of one kind go to any number of listeners of the page. */
function subscription<P extends PushName>(push: P): Method {
  const listeners = new Set<(value: Pushes[P]) => void>();
  ipcRenderer.on(pushChannel(push), (_event, value: Pushes[P]) => {
    for (const listener of listeners) listener(value);
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

api.ledger = { ...api.ledger, subscribe: subscription('ledger.patch') };
api.settings = { ...api.settings, subscribe: subscription('settings.changed') };

contextBridge.exposeInMainWorld('gpuIpc', api);
