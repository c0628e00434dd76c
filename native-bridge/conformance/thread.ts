/** The same as peer.ts in a worker thread. `workerData`: path of the driver library. */
import { parentPort, workerData } from 'node:worker_threads';
import type { Request } from './protocol';
import { serve } from './serve';

if (parentPort === null) throw new Error('start this as a worker thread');
const port = parentPort;
const answer = serve(workerData);

port.on('message', (request: Request) => port.postMessage(answer(request)));
