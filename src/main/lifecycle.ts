/** Ending the app: nothing that it started stays, however it ends. */
import { app } from 'electron';

export interface Ending {
  /** Releases everything. False when something is stuck that only the end of this process ends. */
  release(): Promise<boolean>;
}

let exitCode = 0;
let state: 'running' | 'releasing' | 'released' = 'running';

/** Has the app release everything before it quits, whoever asks it to: a window, a menu, the session or a signal. */
export function releaseBeforeQuit(ending: Ending): void {
  app.on('before-quit', (event) => {
    if (state === 'released') return;
    event.preventDefault();
    if (state === 'releasing') return;
    state = 'releasing';
    void ending
      .release()
      .catch((error: unknown) => {
        console.error('Releasing failed:', error);
        return false;
      })
      .then((clean) => {
        state = 'released';
        // A thread inside a driver call would keep an ordinary exit waiting for ever.
        if (!clean) process.kill(process.pid, 'SIGKILL');
        app.exit(exitCode);
      });
  });
  // Not before: while it starts, Electron puts handlers of its own in place, which a second signal ends the process
  // with, in the middle of releasing.
  void app.whenReady().then(() => {
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => quit(exitCode));
  });
}

/** Quits in the ordinary way, with this exit code. */
export function quit(code: number): void {
  exitCode = code;
  app.quit();
}
