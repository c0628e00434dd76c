/** A driver host on a worker thread of this process. */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FromHost, ToHost } from '#contract/host-protocol';
import { HAND_OVER_BYTES, handOverMemory, mayWait, Taker } from '#host/hand-over';
import type { HostEnding, HostTransport } from './transport';

/**
 * How long main may stand still for a small read, in milliseconds: a few times what it takes. When the driver is busy
 * or hangs, the answer comes as a message, and until then no other read is waited for.
 */
const WAIT_MS = 0.5;
/** Being woken costs as much as the read: where there are cores enough, main looks for the answer itself. */
const LOOK_MS = availableParallelism() > 2 ? 0.2 : 0;

/** Starts the thread at once; messages sent before it runs wait for it. */
export function startThread(entry: URL): HostTransport {
  const memory = handOverMemory();
  const taker = mayWait() ? new Taker(memory) : undefined;
  const worker = new Worker(entry, { name: 'driver host', workerData: memory });
  let failure: string | undefined;
  let listener: (message: FromHost) => void = () => {};
  /** The read that was waited for in vain. */
  let late: number | undefined;
  worker.on('error', (error) => {
    failure = error.message;
    console.error('The driver host of the Inspector failed:', error);
  });
  worker.on('message', (message: FromHost) => {
    taker?.received();
    if (message.kind === 'answer' && message.id === late) late = undefined;
    listener(message);
  });
  return {
    placement: 'thread',
    send(message) {
      const post = () => worker.postMessage(message, transferable(message));
      if (taker === undefined || late !== undefined || !isSmallRead(message)) {
        post();
        return;
      }
      const { id, args } = message;
      const page = taker.take(id, args.length, post, { look: LOOK_MS, wait: WAIT_MS });
      if (page === undefined) late = id;
      else listener({ kind: 'answer', id, result: { ok: true, value: page } });
    },
    kill() {
      void worker.terminate();
    },
    onMessage(next) {
      listener = next;
    },
    onEnd(end) {
      worker.on('exit', (code) => end(ending(code, failure)));
    },
  };
}

type Read = Extract<ToHost, { name: 'memory.read' }>;

const isSmallRead = (message: ToHost): message is Read =>
  message.kind === 'call' && message.name === 'memory.read' && message.args.length <= HAND_OVER_BYTES;

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
