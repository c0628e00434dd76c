/** The driver host in a process of its own: an Electron utility process, whose port copies what it is given. */
import type { ToHost } from '#contract/host-protocol';
import { startHost } from '../host';

/** Electron's ParentPort, as far as it is used; the host does not depend on Electron's types. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { data: ToHost }) => void): void;
}

const { parentPort: port } = process as unknown as { parentPort?: ParentPort };
if (!port) throw new Error('The driver host entry for utility processes was started elsewhere.');

startHost({
  post: (message) => port.postMessage(message),
  listen: (listener) => port.on('message', (event) => listener(event.data)),
  // A moment for the last messages to leave the process.
  exit: (code) => void setTimeout(() => process.exit(code), 50),
});
