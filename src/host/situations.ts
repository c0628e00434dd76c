/** What this host knows about a handle whose opening failed, so that the driver's result can be explained. */
import { guessHandleKind, handlePid } from '#contract/handle-layout';
import type { Situation } from '#native/cuda/index';
import type { HostState } from './host-state';

/** Everything that the bytes, the own exports and the process table tell about a handle. */
export function situationOfHandle(host: HostState, handle: Uint8Array, flags?: number): Situation {
  const kind = handle.every((byte) => byte === 0) ? 'zero' : guessHandleKind(handle);
  const own = [...host.objects.exports.values()].find(({ record }) => sameBytes(record.handle, handle));
  const pid = handlePid(handle);
  return {
    handle: kind,
    flags,
    exporter: own
      ? { pid: process.pid, state: 'self' }
      : pid === undefined
        ? undefined
        : { pid, state: pid === process.pid ? 'self' : isAlive(pid) ? 'alive' : 'gone' },
    source: own ? (own.record.state === 'live' ? 'live' : 'freed') : undefined,
  };
}

export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean =>
  a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);

/** Whether a process with this pid exists, also one of another user. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
