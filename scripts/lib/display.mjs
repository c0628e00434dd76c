/** A virtual X display (Xvfb) for machines without a screen. */

import { start, stop } from './process.mjs';
import { Stop } from './terminal.mjs';

export const hasDisplay = () =>
  process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);

/**
 * Starts Xvfb on a number that it finds free itself.
 * @returns {Promise<{ env: NodeJS.ProcessEnv, stop: () => Promise<void> }>} `env` is this process's environment with DISPLAY set
 */
export async function virtualDisplay() {
  // Without -noreset it starts over when its last client is gone, and refuses who comes in that moment.
  const args = ['-displayfd', '3', '-screen', '0', '1600x1000x24', '-nolisten', 'tcp', '-noreset'];
  const server = start('Xvfb', args, { stdio: ['ignore', 'ignore', 'pipe', 'pipe'] });
  let complaint = '';
  server.stderr?.setEncoding('utf8').on('data', (text) => {
    complaint += text;
  });
  const number = await new Promise((resolve, reject) => {
    let text = '';
    server.stdio[3]?.on('data', (chunk) => {
      text += chunk;
      if (text.endsWith('\n')) resolve(text.trim());
    });
    server.once('error', (error) => reject(new Stop(`Xvfb could not be started: ${error.message}`)));
    server.once('exit', () => reject(new Stop(`Xvfb ended at once: ${complaint.trim() || 'it gave no reason'}`)));
  });
  const { WAYLAND_DISPLAY: _, ...env } = process.env;
  return { env: { ...env, DISPLAY: `:${number}` }, stop: () => stop(server) };
}
