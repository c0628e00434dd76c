/** A driver host as a utility process: its own OS process, its own CUDA context. */
import { fileURLToPath } from 'node:url';
import { app, utilityProcess } from 'electron';
import type { FromHost } from '#contract/host-protocol';
import { processEnding } from './ending';
import type { HostEnding, HostTransport } from './transport';

/** `child-process-gone`, which tells a signal from an exit code, follows the exit event closely when it comes at all. */
const GONE_GRACE_MS = 30;

/** Told of every process, also of one that never becomes a host. */
export interface ProcessWatch {
  started(pid: number): void;
  ended(pid: number): void;
}

/**
 * @param serviceName  unique among all processes of this app: the only mark by which `child-process-gone` can be told
 */
export function startProcess(entry: URL, serviceName: string, watch: ProcessWatch): HostTransport {
  const child = utilityProcess.fork(fileURLToPath(entry), [], { serviceName, stdio: 'inherit' });
  let ended = false;
  let killWanted = false;
  let onEnd: (ending: HostEnding) => void = () => {};
  let pid: number | undefined;

  child.once('spawn', () => {
    pid = child.pid;
    if (pid !== undefined) watch.started(pid);
    if (killWanted) sigkill();
  });
  child.once('exit', (code) => {
    ended = true;
    if (pid !== undefined) watch.ended(pid);
    let reported = false;
    const report = (bySignal: boolean) => {
      if (reported) return;
      reported = true;
      app.off('child-process-gone', gone);
      clearTimeout(timer);
      onEnd(processEnding(code, bySignal));
    };
    const gone = (_event: unknown, details: Electron.Details) => {
      if (details.name === serviceName) report(details.reason === 'killed' || details.reason === 'crashed');
    };
    app.on('child-process-gone', gone);
    const timer = setTimeout(() => report(false), GONE_GRACE_MS);
  });

  // `kill()` of a utility process asks nicely; a process inside a driver call would not hear it.
  const sigkill = () => {
    killWanted = true;
    if (!ended && child.pid !== undefined) process.kill(child.pid, 'SIGKILL');
  };

  return {
    placement: 'process',
    send(message) {
      // Electron may crash when a message goes to a process whose exit is being reported.
      if (!ended) child.postMessage(message);
    },
    kill: sigkill,
    onMessage(listener) {
      child.on('message', (message: FromHost) => listener(message));
    },
    onEnd(listener) {
      onEnd = listener;
    },
  };
}
