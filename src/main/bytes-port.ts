/**
 * The short way of bytes into a window: a port between main and the page itself. It carries successful reads of memory
 * and nothing else, and each of them passes the checks of every other call.
 */
import type { BytesReply } from '#contract/channels';
import type { IpcError } from '#contract/result';
import type { Router } from './router';
import type { WindowRecord } from './windows/registry';

/** As MessagePortMain. */
interface Port {
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): unknown;
  start(): void;
  postMessage(message: unknown): void;
}

/**
 * Answers reads that come through a port.
 * @param sender  who is at the other end now; asked again for each read
 */
export function serveBytes(port: Port, sender: () => WindowRecord | IpcError, router: Router): void {
  port.on('message', ({ data }) => {
    if (Array.isArray(data) && typeof data[0] === 'number') void answer(data[0], data[1]);
  });
  port.start();

  async function answer(id: number, args: unknown): Promise<void> {
    const caller = sender();
    const result = 'code' in caller ? undefined : await router.answer('memory.read', caller, args);
    const reply = (result?.ok === true ? [id, result.value] : [id]) as BytesReply;
    port.postMessage(reply);
  }
}
