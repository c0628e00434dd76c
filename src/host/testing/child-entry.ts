/** The driver host in a plain Node child process: what the tests need of a second process. */
import type { ToHost } from '#contract/host-protocol';
import { startHost } from '../host';

startHost({
  post: (message) => void process.send?.(message),
  listen: (listener) => void process.on('message', (message: ToHost) => listener(message)),
  exit: (code) => {
    process.exitCode = code;
    process.disconnect();
  },
});
// Whoever started it is gone: so is the reason to live.
process.on('disconnect', () => process.exit());
