/**
 * A host on a thread that is ended by force leaves the file descriptors of its exports open in this process, and with
 * them the memory that they stand for. A process that ends takes its own with it.
 */
import { readlinkSync } from 'node:fs';
import { closeDescriptor } from '#native/posix/libc';
import type { Ledger } from '../ledger/ledger';

/** What a driver gives for shared memory. Whatever else has such a number by now is not touched. */
const isSharedMemory = (file: string): boolean =>
  file === '/dev/nvidiactl' || /^\/memfd:gpu-ipc-sim\.(pool|physical)\b/.test(file);

/** Closes what a peer's exports still have open. Only for a thread that is gone: it cannot close them once more. */
export function closeLeftDescriptors(ledger: Pick<Ledger, 'records'>, peerId: string): void {
  for (const made of ledger.records('exports')) {
    if (made.peerId !== peerId) continue;
    for (const { fd } of made.descriptors ?? []) {
      try {
        if (isSharedMemory(readlinkSync(`/proc/self/fd/${fd}`))) closeDescriptor(fd);
      } catch {
        // Closed already.
      }
    }
  }
}
