/** The driver host in a worker thread: ending it ends the thread, not the process. */
import { parentPort } from 'node:worker_threads';
import type { ToHost } from '#contract/host-protocol';
import { startHost } from '../host';

const port = parentPort;
if (!port) throw new Error('The driver host entry for worker threads was started in a main thread.');

startHost({
  post: (message, transfer) => port.postMessage(message, transfer),
  listen: (listener) => void port.on('message', (message: ToHost) => listener(message)),
  // In a worker this stops the thread only.
  exit: (code) => process.exit(code),
});
