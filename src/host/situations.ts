/** What this host knows about a handle whose opening failed, so that the driver's result can be explained. */
import { decodeMemoryHandle, guessHandleKind, handlePid } from '#contract/handle-layout';
import type { Situation } from '#native/cuda/index';
import { presence } from '#native/posix/process';
import type { HostState } from './host-state';
import type { OwnExport } from './objects';

/** Everything that the bytes, the own exports and the process table tell about a handle. */
export function situationOfHandle(host: HostState, handle: Uint8Array, flags?: number): Situation {
  const exports = [...host.objects.exports.values()];
  const own = exports.find(({ record }) => sameBytes(record.handle, handle));
  return {
    handle: handle.every((byte) => byte === 0) ? 'zero' : guessHandleKind(handle),
    flags,
    exporter: own ? { pid: process.pid, state: 'self' } : exporterOf(handle, exports),
    source: own ? (own.record.state === 'live' ? 'live' : 'freed') : undefined,
  };
}

function exporterOf(handle: Uint8Array, exports: readonly OwnExport[]): Situation['exporter'] {
  const pid = handlePid(handle);
  if (pid === undefined) return undefined;
  if (pid === process.pid) return { pid, state: 'self', otherPidNamespace: hasForeignClient(handle, exports) };
  return { pid, state: presence(pid) };
}

/** Our pid, but not our RM client, which all memory handles of one process share: a process of another pid namespace. */
function hasForeignClient(handle: Uint8Array, exports: readonly OwnExport[]): boolean {
  const mine = exports.find(({ record }) => record.kind === 'memory' && record.mechanism === 'legacy');
  if (!mine?.record.handle || guessHandleKind(handle) !== 'memory') return false;
  return decodeMemoryHandle(mine.record.handle).client !== decodeMemoryHandle(handle).client;
}

export const sameBytes = (a: Uint8Array | null, b: Uint8Array): boolean =>
  a !== null && a.byteLength === b.byteLength && a.every((byte, index) => byte === b[index]);
