/** How a process ended, in words. */
import { constants } from 'node:os';
import type { HostEnding } from './transport';

/** What to do about a process that is gone. The words are those of the buttons beside which it is read. */
export const HOST_LOST_HINT = 'Press Restart where it is offered, then ask again.';

const signalNames = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]));

/**
 * @param code      what the exit event said: the exit code, or the number of the signal
 * @param bySignal  whether the operating system ended it; Electron says so in `child-process-gone`
 */
export function processEnding(code: number, bySignal: boolean): HostEnding {
  if (bySignal) return { state: 'lost', words: signalNames.get(code) ?? `signal ${code}` };
  if (code === 0) return { state: 'exited', words: 'exit code 0' };
  return { state: 'lost', words: `exit code ${code}` };
}
