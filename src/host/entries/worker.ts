/** The driver host in a worker thread: ending it ends the thread, not the process. */
import { parentPort, workerData } from 'node:worker_threads';
import type { ToHost } from '#contract/host-protocol';
import { Giver } from '../hand-over';
import { startHost } from '../host';

const port = parentPort;
if (!port) throw new Error('The driver host entry for worker threads was started in a main thread.');

const giver = workerData instanceof SharedArrayBuffer ? new Giver(workerData) : undefined;

startHost({
  post: (message, transfer) => {
    giver?.sending();
    port.postMessage(message, transfer);
  },
  handOver: (id, page) => giver?.give(id, page) === true,
  listen: (listener) => void port.on('message', (message: ToHost) => listener(message)),
  // In a worker this stops the thread only.
  exit: (code) => process.exit(code),
});
