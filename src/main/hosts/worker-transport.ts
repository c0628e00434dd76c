/** A driver host on a worker thread of this process. */
import { Worker } from 'node:worker_threads';
import type { FromHost, ToHost } from '#contract/host-protocol';
import type { HostEnding, HostTransport } from './transport';

/** Starts the thread at once; messages sent before it runs wait for it. */
export function startThread(entry: URL): HostTransport {
  const worker = new Worker(entry, { name: 'driver host' });
  let failure: string | undefined;
  worker.on('error', (error) => {
    failure = error.message;
    console.error('The driver host of the Inspector failed:', error);
  });
  return {
    placement: 'thread',
    send(message) {
      worker.postMessage(message, transferable(message));
    },
    kill() {
      void worker.terminate();
    },
    onMessage(listener) {
      worker.on('message', (message: FromHost) => listener(message));
    },
    onEnd(listener) {
      worker.on('exit', (code) => listener(ending(code, failure)));
    },
  };
}

function ending(code: number, failure: string | undefined): HostEnding {
  if (failure !== undefined) return { state: 'lost', words: failure };
  return code === 0 ? { state: 'exited', words: 'exit code 0' } : { state: 'lost', words: `exit code ${code}` };
}

/** The bytes of a write came from a window for this host only: they move, rather than being copied again. */
function transferable(message: ToHost): ArrayBuffer[] {
  if (message.kind !== 'call' || message.name !== 'buffers.write') return [];
  const { bytes } = message.args;
  const whole = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
  return whole && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}
